"""Random histories of conversations for the comparison with google-adk's own service.

They stay inside what both services promise: what design decided to do otherwise has tests of its own in
``test_deviations``. So no equal turns under two ids, no partial events, and no event loses its words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from google.genai import types

from tests.adk.events import event

if TYPE_CHECKING:
    from random import Random

    from google.adk.events.event import Event

_ENGLISH = ["kiln", "glaze", "coffee", "flat", "white", "order", "4417", "well-known", "don't", "snake_case"]
_MARKS = ["v2.13", "user@example.com", "C#", "①②", "x²", "👍", "…", "---", "'"]
_LATIN = ["naïve", "café", "CAFÉ", "cafe\u0301", "Straße", "İstanbul", "ﬁre"]
_SCRIPTS = ["ΌΣΟΣ", "όσος", "привет", "Мир", "使用MongoDB存储", "紅茶が好き", "私はRustで書く", "지훈입니다"]
_WORDS = [*_ENGLISH, *_MARKS, *_LATIN, *_SCRIPTS, "हिन्दी", "ภาษาไทย", "مرحبا", "שלום"]
_STOP = ["the", "and", "of", "is", "to", "what", "you"]
_OTHER = (
    types.Part(function_call=types.FunctionCall(name="look", args={"kiln": 1, "deep": {"a": [1.5, None]}})),
    types.Part(function_response=types.FunctionResponse(name="look", response={"glaze": "blue"})),
    types.Part(inline_data=types.Blob(data=b"\x00\xffkiln", mime_type="image/png")),
    types.Part(text="secret walnut thought", thought=True),
)


@dataclass(frozen=True, slots=True)
class Call:
    """One ``add_events_to_memory``."""

    user_id: str
    session_id: str | None
    events: list[Event]


def history(random: Random) -> list[Call]:
    """Some calls: several users and sessions, equal times, re-added and rewritten events."""
    known: dict[tuple[str, str | None], list[Event]] = {}
    calls = []
    for number in range(random.randint(3, 8)):
        place = random.choice(["u-1", "u-2"]), random.choice(["s-1", "s-2", None])
        events = [_event(random, f"{number}-{index}") for index in range(random.randint(0, 8))]
        older = known.setdefault(place, [])
        events += [_rewritten(random, each) for each in random.sample(older, min(len(older), 2))]
        older += [each for each in events if each.content and each not in older]
        random.shuffle(events)
        calls.append(Call(*place, events))
    return calls


def queries(random: Random) -> list[str]:
    """Questions that find much, little and nothing."""
    drawn = [" ".join(random.choices([*_WORDS, *_STOP], k=random.randint(1, 6))) for _ in range(8)]
    return ["", "the of", "walnut", "kiln", *drawn]


def _event(random: Random, mark: str) -> Event:
    kind = random.random()
    if kind < 0.1:
        return event(" ".join(random.choices(_STOP, k=2)), id=f"stop-{mark}")
    if kind < 0.2:
        return event(random.choice(_OTHER), id=f"other-{mark}")
    return _talk(random, f"e-{mark}", author=random.choice(["user", "agent"]), minute=random.randint(0, 4))


def _rewritten(random: Random, old: Event) -> Event:
    """The event again, or with a new text under its id; one without words stays as it is."""
    if not old.id.startswith("e-") or random.random() < 0.5:
        return old
    return _talk(random, old.id, author=old.author, minute=random.randint(0, 4))


def _talk(random: Random, id: str, *, author: str, minute: int) -> Event:  # noqa: A002 - the field's name
    said = random.choices([*_WORDS, *_STOP], k=random.randint(1, 12))
    # A word of its own keeps turns apart: equal turns are returned once, and which one is not defined.
    parts: list[str | types.Part] = [" ".join(said), f"{id}n{random.randint(0, 10**9)}"]
    parts += random.sample(_OTHER, random.choice([0, 0, 1, 2]))
    random.shuffle(parts)
    return event(*parts, id=id, author=author, minute=minute)
