"""What goes into a memory service and what comes out, as pydantic models.

Field names are google-adk's, in snake_case; camelCase is read as well. Fields that are not named here
(function calls and responses, inline data, state, …) are kept as they are. A service also takes any
object that is shaped like an `Event` or a `Session`, so google-adk's own objects need no conversion.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from mongorecall._checks import check_id


class _Open(BaseModel):
    """Reads both cases, keeps unknown fields."""

    model_config = ConfigDict(
        extra="allow", alias_generator=to_camel, populate_by_name=True, arbitrary_types_allowed=True
    )


class _Closed(BaseModel):
    """A frozen result of ours."""

    model_config = ConfigDict(extra="forbid", frozen=True)


# --- what goes in --------------------------------------------------------------------------------


class Part(_Open):
    """One part of a turn: text, or anything else (kept, not indexed)."""

    text: str | None = None
    thought: bool | None = None


class Content(_Open):
    """What was said in one turn."""

    parts: list[Part] | None = None
    role: str | None = None

    @property
    def text(self) -> str:
        """The text parts joined by a space, without thoughts: what is searched."""
        return " ".join(part.text for part in self.parts or () if part.text and not part.thought)

    @classmethod
    def of(cls, text: str, *, role: str | None = None) -> Self:
        """A content of one text part."""
        return cls(parts=[Part(text=text)], role=role)


class Event(_Open):
    """One turn of a conversation.

    Attributes:
        id: unique in its session; random when left out.
        author: who said it, such as ``"user"`` or the agent's name.
        timestamp: seconds since 1970 in UTC; now when left out.
        content: what was said; None for an event without content.
        partial: True for a streaming chunk, which is never stored.
    """

    id: str = Field(default_factory=lambda: uuid.uuid4().hex)
    author: str | None = None
    timestamp: float = Field(default_factory=time.time)
    content: Content | None = None
    partial: bool | None = None


class Session(_Open):
    """One conversation with one user."""

    id: str
    app_name: str
    user_id: str
    events: list[Event] = Field(default_factory=list)


KeyPolicy = Literal["exact", "strip", "casefold"] | Callable[[str], str]
"""How ids become keys: as they are, without white space around them, that and case-folded, or by a
function from id to id, which must be pure."""


class MemoryScope(_Closed):
    """App and user: the wall between users. Nothing is ever read or written across scopes."""

    app_name: str
    user_id: str

    @classmethod
    def of(cls, app_name: str, user_id: str, *, policy: KeyPolicy = "exact") -> MemoryScope:
        """The one shared way to build a scope; writers and readers with one policy cannot differ.

        Raises:
            InvalidInputError: an id is empty, too long, or has control characters, also after the policy.
            InvalidTypeError: an id is not a ``str``.
        """
        app, user = check_id("app_name", app_name), check_id("user_id", user_id)
        if policy != "exact":
            app = check_id("app_name", _apply(policy, app))
            user = check_id("user_id", _apply(policy, user))
        return cls(app_name=app, user_id=user)

    @property
    def key(self) -> str:
        """``app/user``, for people to read; not unique when an id holds a slash."""
        return f"{self.app_name}/{self.user_id}"


def _apply(policy: KeyPolicy, value: str) -> str:
    if policy == "exact":
        return value
    if policy == "strip":
        return value.strip()
    if policy == "casefold":
        return value.strip().casefold()
    return policy(value)


# --- what comes out ------------------------------------------------------------------------------


class LentKeyword(_Closed):
    """A keyword that counted for a turn although it stands in a turn near it (ranking ``"context"``)."""

    keyword: str
    event_id: str | None
    distance: int
    """Turns from the hit to the lender: negative when the lender came earlier."""


class ScorePart(_Closed):
    """One part of a score. The contributions of a memory's parts sum up to its score exactly, in any order.

    Attributes:
        kind: a keyword that stands in the turn · one that a turn near it lends · the factor for turns of an
            author whom the query names · the factor for turns that ask · the ceiling of turns near no anchor.
        contribution: what it adds, in units of the score; below 0 where it takes away.
        keyword: of the query; None for the last three kinds, as is ``weight``.
        weight: 1 with ranking ``"overlap"``, else the keyword's inverse document frequency in the scope.
        factor: of the weight, 0 to 1: 1 in the turn itself, the kernel at ``distance`` for a lent keyword; of
            the sum of the parts before, for an author or a question; None for the ceiling.
        event_id: the turn that lends; None where none does, or where it has no id.
        distance: turns from the memory to the lender, negative when it came earlier; None if not lent.
    """

    kind: Literal["keyword", "lent_keyword", "named_author", "question", "ceiling"]
    contribution: float
    keyword: str | None = None
    weight: float | None = None
    factor: float | None = None
    event_id: str | None = None
    distance: int | None = None


class MemoryEntry(BaseModel):
    """One remembered turn.

    Attributes:
        content: what was said, as stored.
        custom_metadata: as stored (``store_metadata=True``), else empty.
        id: the event id, or None where the stored document has none that is a string.
        author: who said it.
        timestamp: ISO 8601 in UTC with offset, such as ``2026-03-01T09:30:00+00:00``; None when the
            stored time cannot be read.
        session_id: the session it was said in; None where it was stored without one.
        score: what the ranking gave; None outside searches.
        matched_keywords: the query's keywords that stand in this turn, ascending.
        lent_keywords: the query's keywords that counted through a turn near it.
        score_parts: what ``score`` is the sum of; own keywords first, then lent ones, each by falling
            contribution. Empty unless asked for, and with a ranking object that has no ``parts``.
    """

    model_config = ConfigDict(extra="forbid")

    content: Content
    custom_metadata: dict[str, Any] = Field(default_factory=dict)
    id: str | None = None
    author: str | None = None
    timestamp: str | None = None
    session_id: str | None = None
    score: float | None = None
    matched_keywords: list[str] = Field(default_factory=list)
    lent_keywords: list[LentKeyword] = Field(default_factory=list)
    score_parts: tuple[ScorePart, ...] = ()


EmptyReason = Literal["no_searchable_words", "nothing_stored", "no_shared_keyword", "filtered", "malformed"]
"""Why a search came back empty. ``"nothing_stored"``: the scope holds no memory at all;
``"no_shared_keyword"``: it does, none shares a keyword with the query; ``"filtered"``: some do, and the
filters of this call leave out every one; ``"malformed"``: some do, and none of them can be read."""


class SearchMemoryResponse(BaseModel):
    """The page of a search, best first.

    Attributes:
        memories: at most the limit.
        query_keywords: the keywords that were looked for, ascending.
        reason: why there is no memory, None when there is one.
        skipped: stored documents that match but cannot be read and were left out of this page.
        more: whether further memories match beyond this page.
    """

    model_config = ConfigDict(extra="forbid")

    memories: list[MemoryEntry] = Field(default_factory=list)
    query_keywords: list[str] = Field(default_factory=list)
    reason: EmptyReason | None = None
    skipped: int = 0
    more: bool = False


SkipReason = Literal["no_content", "no_text", "thought_only", "partial", "stop_words_only", "forgotten"]
"""Why an event was not stored: no content or no parts · parts without text (images, function calls, …) ·
only thoughts · a streaming chunk · no keyword is left of its text · it was forgotten, and stays so."""


class FailedEvent(_Closed):
    """An event that could not be stored. ``index`` is its place in the call, from 0."""

    index: int
    event_id: str | None
    reason: str


class IngestReport(BaseModel):
    """What became of each event of one call.

    ``received == stored + replaced + unchanged + erased + sum(skipped.values()) + len(failed)`` always.

    Attributes:
        received: events in the call.
        stored: written as new memories.
        replaced: rewritten, because something of them changed.
        unchanged: already stored as they are, named again later in the same call, or older than
            what is stored.
        erased: memories removed, because the event has no keywords any more.
        skipped: events not stored, by `SkipReason`.
        failed: events that could not be stored, each with the reason.
        repaired: events stored with lone surrogates, NaN or infinity replaced.
        truncated: ids of events with more than 10,000 keywords, words over 1,024 characters, or runs of
            over 30 combining marks, whose index is therefore shortened; the content is kept whole.
    """

    model_config = ConfigDict(extra="forbid")

    received: int = 0
    stored: int = 0
    replaced: int = 0
    unchanged: int = 0
    erased: int = 0
    skipped: dict[SkipReason, int] = Field(default_factory=dict)
    failed: list[FailedEvent] = Field(default_factory=list)
    repaired: int = 0
    truncated: list[str] = Field(default_factory=list)

    @property
    def accounted(self) -> int:
        """The right side of the equation above."""
        kept = self.stored + self.replaced + self.unchanged + self.erased
        return kept + sum(self.skipped.values()) + len(self.failed)


class ForgetReceipt(_Closed):
    """What a deletion did: counts, no content.

    Attributes:
        forgotten: memories removed, or, with ``dry_run``, that would be.
        sessions: distinct sessions they were in.
        dry_run: whether this was only a count.
        at: when, as ISO 8601 in UTC.
    """

    forgotten: int
    sessions: int
    dry_run: bool
    at: str


class ReindexProgress(_Closed):
    """How far `MongoDbMemoryService.reindex` has come.

    Attributes:
        seen: documents looked at.
        changed: documents whose keywords or analyzer were written anew.
        unreadable: documents whose content cannot be read; they stay as they are.
        cursor: where to go on after an interruption; None before the first document.
    """

    seen: int
    changed: int
    unreadable: int
    cursor: str | None


class SessionSummary(_Closed):
    """One session of a scope: how many memories, and the first and last time in it."""

    session_id: str
    memories: int
    first: str | None
    last: str | None


class MemoryPage(_Closed):
    """One page of a list in the order of ``(session_id, event_id)``; ``cursor`` is None at the end."""

    memories: list[MemoryEntry]
    cursor: str | None


class SessionPage(_Closed):
    """One page of sessions in the order of their id; ``cursor`` is None at the end."""

    sessions: list[SessionSummary]
    cursor: str | None


class Health(_Closed):
    """The state of a service and its store; `MongoDbMemoryService.health` makes it.

    Attributes:
        ok: the server answers and nothing in ``advice`` needs an action to keep searches fast.
        server: version of the server, or None when it does not answer.
        topology: ``"standalone"``, ``"replica_set"``, ``"sharded"`` or None.
        driver: ``"motor 3.7.1"`` or ``"pymongo 4.20.1"``.
        index: ``"present"``, ``"missing"``, ``"hidden"``, ``"conflict"`` or ``"unknown"``.
        recency_index: the same, or ``"off"`` when not asked for and not there.
        documents: estimated documents in the collection.
        advice: sentences for the operator, most important first.
    """

    ok: bool
    server: str | None
    topology: str | None
    driver: str
    index: str
    recency_index: str
    documents: int | None
    advice: list[str]


# --- shapes of arguments ---------------------------------------------------------------------------


class SearchFilters(_Closed):
    """What `BaseMemoryService.search_memory` takes beside the query; by default nothing is filtered.

    Attributes:
        limit: most memories to return; the service's ``max_results`` when None.
        session_id: only this session.
        exclude_session_id: every session but this.
        author: only turns of this author.
        since: only turns at or after this time (aware ``datetime``).
        until: only turns before this time.
        min_score: only memories scored at least this.
        score_parts: also take each score apart; the same search, at the same cost in round trips.
    """

    OPTIONS: ClassVar[tuple[str, ...]] = (
        "limit",
        "session_id",
        "exclude_session_id",
        "author",
        "since",
        "until",
        "min_score",
        "score_parts",
    )

    limit: int | None = None
    session_id: str | None = None
    exclude_session_id: str | None = None
    author: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    min_score: float | None = None
    score_parts: bool = False

    @property
    def narrows(self) -> bool:
        """Whether anything but ``limit`` and ``score_parts`` is set."""
        others = {"limit", "score_parts"}
        return any(getattr(self, name) is not None for name in self.OPTIONS if name not in others)


Metadata = Mapping[str, Any]
"""Custom metadata of an event: keys are str, values are what JSON holds."""
