"""What the browser tests find in the database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mongorecall import MongoDbMemoryService
from mongorecall.models import Content, Event, Session

MONDAY = 1_772_442_000.0

COFFEE = (
    ("user", "My favourite coffee is a flat white, with oat milk."),
    ("agent", "A flat white with oat milk it is. I will remember that."),
    ("user", "And no praline for me, please: I am allergic to hazelnuts."),
    ("agent", "Understood. Nothing with hazelnuts, ever."),
)
ORDER = (
    ("user", "Where is the parcel that I ordered?"),
    ("agent", "Order 4417 was shipped on Tuesday, and is due tomorrow."),
    ("user", "Send me the coffee beans from Lisbon as well, the ones from last year."),
    ("agent", "Two bags of coffee beans are on their way."),
)
TRIP = (
    ("user", "We fly to Lisbon on the third of May, seat 12A as always."),
    ("agent", "Booked: Lisbon, 3 May, seat 12A, no coffee on board."),
)
KILN = tuple(("user", f"Kiln note {number}: the kiln was fired to cone {number}.") for number in range(1, 10))

PAYLOADS = (
    "<script>window.__xss=1</script>",
    "<img src=x onerror=window.__xss=1>",
    "<svg onload=window.__xss=1>",
    "<svg><script>window.__xss=1</script></svg>",
    "<iframe srcdoc='<script>parent.__xss=1</script>'></iframe>",
    "<iframe src=javascript:parent.__xss=1></iframe>",
    "<a href=javascript:window.__xss=1>click</a>",
    "<body onload=window.__xss=1>",
    "<input autofocus onfocus=window.__xss=1>",
    "<details open ontoggle=window.__xss=1>",
    "<video><source onerror=window.__xss=1></video>",
    "<audio src=x onerror=window.__xss=1>",
    "<object data=javascript:window.__xss=1></object>",
    "<embed src=javascript:window.__xss=1>",
    "<form action=javascript:window.__xss=1><button>go</button></form>",
    "<math><mtext><script>window.__xss=1</script></mtext></math>",
    "<style>@import 'http://evil.example/x.css'</style>",
    "<style>*{background:url(http://evil.example/x)}</style>",
    "<link rel=stylesheet href=http://evil.example/x.css>",
    "<meta http-equiv=refresh content='0;url=http://evil.example'>",
    "<base href=http://evil.example/>",
    "<template><script>window.__xss=1</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=window.__xss=1>'></noscript>",
    '"><script>window.__xss=1</script>',
    "'-window.__xss=1-'",
    "${window.__xss=1}`${window.__xss=1}`",
    "{{constructor.constructor('window.__xss=1')()}}",
    "</textarea><script>window.__xss=1</script>",
    "]]><script>window.__xss=1</script><![CDATA[",
    "<x style=animation-name:x onanimationstart=window.__xss=1>",
)

BIDI = "pay \u202egnp.exe\u202c now\u200b!"
"""Text that looks like something else unless its controls are shown."""


def sessions() -> Iterator[Session]:
    """Every session of the tests."""
    yield _session("support", "u-42", "monday", COFFEE, MONDAY)
    yield _session("support", "u-42", "thursday", ORDER, MONDAY + 3 * 86_400)
    yield _session("support", "u-42", "lisbon", TRIP, MONDAY + 9 * 86_400)
    yield _session("support", "42", "imported", COFFEE[:1], MONDAY)
    yield _session("pottery", "u-7", "kiln", KILN, MONDAY)
    yield _session("support", "u-99", "leaving", COFFEE, MONDAY)
    yield _session("hostile", "u-x", "payloads", [("user", f"x {text}") for text in PAYLOADS], MONDAY)
    yield _session("hostile", "u-x", "<b onclick=alert(1)>", [("<i>agent</i>", "x " + BIDI)], MONDAY)


def _session(app: str, user: str, name: str, turns: Iterable[tuple[str, str]], start: float) -> Session:
    events = [
        Event(
            id=f"{name[:8]}-{number}",
            author=author,
            timestamp=start + 35 * number,
            content=Content.of(text, role="user" if author == "user" else "model"),
        )
        for number, (author, text) in enumerate(turns, 1)
    ]
    return Session(id=name, app_name=app, user_id=user, events=events)


async def fill(uri: str, database: str) -> None:
    """Write the sessions."""
    async with MongoDbMemoryService(connection_string=uri, database_name=database) as service:
        for session in sessions():
            await service.add_session(session)
