"""What may be sent to a router: strict models, every length bounded, nothing extra."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    WithJsonSchema,
)
from pydantic.config import JsonDict

from mongorecall.models import Content, Event, MemoryScope, Part, SearchFilters, Session

MAX_QUERY = 10_000
MAX_TEXT = 1_000_000
MAX_EVENTS = 1_000
MAX_PARTS = 1_000
MAX_KEYS = 1_000
MAX_PAGE = 500
MAX_LIMIT = 1_000

# No C0, DEL or C1 control character: what ids may not hold.
_ID_PATTERN = "^[^\x00-\x1f\x7f-\x9f]+$"

Id = Annotated[str, StringConstraints(min_length=1, max_length=512, pattern=_ID_PATTERN)]
Cursor = Annotated[str, StringConstraints(min_length=1, max_length=4_096)]
Query = Annotated[str, StringConstraints(max_length=MAX_QUERY)]
Text = Annotated[str, StringConstraints(max_length=MAX_TEXT)]
Key = Annotated[str, StringConstraints(max_length=512)]
Free = Annotated[dict[Key, Any], Field(max_length=MAX_KEYS)]


def _read_time(value: object) -> object:
    return datetime.fromisoformat(value) if isinstance(value, str) and len(value) <= 40 else value


Instant = Annotated[
    AwareDatetime,
    BeforeValidator(_read_time),
    WithJsonSchema({"type": "string", "format": "date-time", "maxLength": 40}),
]
"""An ISO 8601 time with its offset from UTC."""


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class ScopeBody(_Strict):
    """Another app and user than the caller's own; needs an admin."""

    app_name: Id
    user_id: Id

    @property
    def scope(self) -> MemoryScope:
        """As the library's own scope."""
        return MemoryScope.of(self.app_name, self.user_id)


class Scoped(_Strict):
    """Every request: it acts in the caller's own scope unless an admin names another."""

    scope: ScopeBody | None = None


class Showing(Scoped):
    """A request whose answer holds memory text only when it asks for it."""

    content: bool = False


class Reading(Showing):
    """A request for turns; with ``reading`` each says, word by word, how its text was read."""

    reading: bool = False


# --- writing ---------------------------------------------------------------------------------------


class PartBody(_Strict):
    """One part of a turn: text, or something else that is kept."""

    text: Text | None = None
    thought: bool | None = None
    function_call: Free | None = None
    function_response: Free | None = None

    def part(self) -> Part:
        """As the library's own part."""
        return Part.model_validate(self.model_dump(exclude_none=True))


class ContentBody(_Strict):
    """What was said in one turn."""

    parts: Annotated[list[PartBody], Field(max_length=MAX_PARTS)]
    role: Key | None = None

    def model(self) -> Content:
        """As the library's own content."""
        return Content(parts=[part.part() for part in self.parts], role=self.role)


class EventBody(_Strict):
    """One turn. ``text`` is short for a content of one text part.

    A turn sent without an id gets one from its author, time and text, so that sending it again with the
    same time stores it once. ``timestamp`` is in seconds since 1970 in UTC; the time of arrival if left out.
    """

    id: Id | None = None
    author: Key | None = None
    timestamp: Annotated[float, Field(ge=-62_135_596_800, lt=253_402_300_800)] | None = None
    text: Text | None = None
    content: ContentBody | None = None
    partial: bool | None = None

    def event(self) -> Event:
        """As the library's own event."""
        content = self.content.model() if self.content else None
        if self.text is not None and content is None:
            content = Content.of(self.text, role="user" if self.author == "user" else "model")
        when = datetime.now(UTC).timestamp() if self.timestamp is None else self.timestamp
        return Event(
            id=self.id or "", author=self.author, timestamp=when, content=content, partial=self.partial
        )


Events = Annotated[list[EventBody], Field(max_length=MAX_EVENTS)]

_COFFEE: JsonDict = {
    "id": "e-1",
    "author": "user",
    "text": "My favourite coffee is a flat white.",
    "timestamp": 1772438400.0,
}


class AddEvents(Scoped):
    """Turns to remember."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"session_id": "monday", "events": [_COFFEE]}]})

    events: Events
    session_id: Id | None = None
    ttl_seconds: Annotated[float, Field(gt=0, le=3_153_600_000)] | None = None
    custom_metadata: Free | None = None


class SessionBody(_Strict):
    """A whole session."""

    id: Id
    events: Events

    def session(self, scope: MemoryScope) -> Session:
        """As the library's own session, in a scope."""
        events = [event.event() for event in self.events]
        return Session(id=self.id, app_name=scope.app_name, user_id=scope.user_id, events=events)


class AddSession(Scoped, SessionBody):
    """A whole session to remember; sending it again is safe."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"id": "monday", "events": [_COFFEE]}]})


class CompareSession(Scoped, SessionBody):
    """A session as the caller knows it, to be compared with what is stored of it."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"id": "monday", "events": [_COFFEE]}]})


# --- reading ---------------------------------------------------------------------------------------


class Search(Reading):
    """A search; what is left out does not filter. With ``score_parts`` each score is taken apart."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"query": "coffee?", "limit": 5, "content": True},
                {"query": "coffee?", "score_parts": True},
            ]
        }
    )

    query: Query
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] | None = None
    session_id: Id | None = None
    exclude_session_id: Id | None = None
    author: Key | None = None
    since: Instant | None = None
    until: Instant | None = None
    min_score: Annotated[float, Field(ge=-1e9, le=1e9)] | None = None

    score_parts: bool = False

    def options(self, capabilities: Collection[str]) -> dict[str, Any]:
        """What is set, as `BaseMemoryService.search_memory` takes it; parts only where it can tell them."""
        values = {name: getattr(self, name) for name in SearchFilters.OPTIONS}
        if not self.score_parts or "score_parts" not in capabilities:
            del values["score_parts"]
        return {name: value for name, value in values.items() if value is not None}


class Explain(Showing):
    """A query to take apart; ``expect`` is the event that should have been found."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"query": "coffee preference?", "expect": "e-1"}]}
    )

    query: Query
    expect: Id | None = None
    session_id: Id | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] | None = None


class Diagnose(Showing):
    """A query whose search misses; ``session`` is the conversation as the caller knows it."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "coffee preference?"}]})

    query: Query
    expect: Id | None = None
    session: SessionBody | None = None


class ListSessions(Scoped):
    """One page of sessions; ``cursor`` is from the page before."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"limit": 50}]})

    limit: Annotated[int, Field(ge=1, le=MAX_PAGE)] = 100
    cursor: Cursor | None = None


class ListMemories(Reading):
    """One page of memories, of one session or of all."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"session_id": "monday", "content": True}]})

    session_id: Id | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_PAGE)] = 100
    cursor: Cursor | None = None


class Export(Scoped):
    """Everything held about the user of the scope; it is text, so the caller must be allowed to see it."""

    model_config = ConfigDict(json_schema_extra={"examples": [{}]})


class Empty(_Strict):
    """A question without arguments."""

    model_config = ConfigDict(json_schema_extra={"examples": [{}]})


class ListScopes(_Strict):
    """The scopes that hold memories, most first; admins only."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"limit": 50}]})

    limit: Annotated[int, Field(ge=1, le=MAX_PAGE)] = 100


class Forget(Scoped):
    """What to forget: first as a dry run, then with what the dry run counted and the user id, typed.

    ``what`` says which: one memory (``memory_id``, and its ``session_id`` when known), one session
    (``session_id``), or everything of the user.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"what": "session", "session_id": "monday"},
                {"what": "user", "dry_run": False, "expected": 3, "confirm": "u-42"},
            ]
        }
    )

    what: Literal["memory", "session", "user"]
    memory_id: Id | None = None
    session_id: Id | None = None
    dry_run: bool = True
    expected: Annotated[int, Field(ge=0, le=2**53)] | None = None
    confirm: Id | None = None


# --- visiting the inspector ------------------------------------------------------------------------


class Login(_Strict):
    """The token that the inspector printed when it was started."""

    token: Key


class ShowContent(_Strict):
    """Whether this visit shows memory text."""

    show: bool
