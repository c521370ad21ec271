"""Why one expected event is not on the page: the first stage that lost it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mongorecall._documents import (
    MalformedDocument,
    admits,
    decode,
    duplicate_key,
    fields,
    is_erased,
    is_expired,
    is_forgotten,
    is_live,
    stored_analyzer,
    stored_keywords,
    stored_text,
)
from mongorecall.analysis import MAX_EVENT_KEYWORDS
from mongorecall.errors import DeadlineExceededError
from mongorecall.inspection._near_keywords import near_keywords
from mongorecall.inspection._next_steps import NEXT_STEP
from mongorecall.inspection._outside_text import words_outside_text
from mongorecall.inspection._reports import Cause, ExpectedFate, NearKeyword
from mongorecall.models import SearchFilters

if TYPE_CHECKING:
    from mongorecall._documents.probing import Document, Probe
    from mongorecall.inspection._inquiry import Inquiry
    from mongorecall.inspection._sessions import EventFact, SessionFacts
    from mongorecall.models import MemoryEntry, SearchMemoryResponse

RANKED = 1000
"""Memories of the full result among which the rank is looked for."""

_SHOWN_PAIRS = 10


@dataclass(frozen=True, slots=True)
class Expectation:
    """The event that should be on the page, and what is known of it beforehand.

    Attributes:
        inquiry: the search.
        response: its page.
        event_id: the event.
        session: the event's session beside the store; None when it was not given.
        allow_key_listing: whether other keys may be looked at.
    """

    inquiry: Inquiry
    response: SearchMemoryResponse
    event_id: str
    session: SessionFacts | None
    allow_key_listing: bool

    async def fate(self) -> ExpectedFate:
        """The answer. None, one or two reads, and one larger search when the event matches."""
        on_page = self.place(self.response.memories)
        if on_page is not None:
            return self._found(*on_page)
        probe = self.inquiry.probe
        if probe is None:
            return await self._by_searches()
        try:
            stored = await probe.find(self.inquiry.scope, self.event_id)
        except DeadlineExceededError:
            stage = "not found in the time there is; name its session"
            return self.lost("nothing_written", stage, {"whole_scope_read": False})
        document = self._choose(stored, probe)
        if document is None:
            return await self._absent(probe)
        return await _Stored(self, probe, document).fate()

    def lost(self, cause: Cause, stage: str, evidence: Mapping[str, Any], **details: Any) -> ExpectedFate:
        """A fate other than found."""
        return ExpectedFate(
            self.event_id,
            found=False,
            cause=cause,
            stage=stage,
            evidence=evidence,
            last_score=self.last_score,
            next_step=NEXT_STEP[cause],
            **details,
        )

    @property
    def last_score(self) -> float | None:
        """The score of the last memory on the page."""
        return self.response.memories[-1].score if self.response.memories else None

    @property
    def event(self) -> EventFact | None:
        """The event in the session that was given."""
        return None if self.session is None else self.session.of(self.event_id)

    @property
    def _session_id(self) -> str | None:
        """The session that the event is known to be in; ids may repeat in others."""
        return None if self.session is None or self.event is None else self.session.session_id

    def place(self, entries: Sequence[MemoryEntry]) -> tuple[int, MemoryEntry] | None:
        """Rank and entry of the event among results."""
        for rank, entry in enumerate(entries, 1):
            if entry.id == self.event_id and self._session_id in (None, entry.session_id):
                return rank, entry
        return None

    def _choose(self, documents: Sequence[Document], probe: Probe) -> Document | None:
        """The document meant: of the known session, a live one before the others."""
        here = [
            document for document in documents if self._session_id in (None, document.get(fields.SESSION_ID))
        ]
        return min(here, key=lambda document: not is_live(document, probe.now()), default=None)

    def _found(self, rank: int, entry: MemoryEntry) -> ExpectedFate:
        return ExpectedFate(
            self.event_id,
            found=True,
            cause=None,
            stage="found",
            rank=rank,
            score=entry.score,
            last_score=self.last_score,
            matched_keywords=tuple(entry.matched_keywords),
            evidence={"session": entry.session_id},
        )

    async def _by_searches(self) -> ExpectedFate:
        """For a service that cannot be looked into: a larger page, if it takes a limit."""
        if "filters" in self.inquiry.service.capabilities:
            place = self.place((await self.inquiry.search(limit=RANKED)).memories)
            if place is not None:
                return self.lost(
                    "cut_by_limit", "matched, but cut by the limit", {}, rank=place[0], score=place[1].score
                )
        if not self.inquiry.reading.keywords:
            return self.lost("no_searchable_words", "the query has no searchable words", {})
        return self.lost("nothing_written", "not found; this service cannot be looked into further", {})

    async def _absent(self, probe: Probe) -> ExpectedFate:
        """Nothing is stored under this key and event id."""
        event = self.event
        if event is not None and event.state in ("skipped", "failed"):
            return self.lost(
                "not_indexed",
                "skipped at write" if event.state == "skipped" else "could not be stored",
                {"reason": event.reason, "outside_text": list(event.outside)},
            )
        if event is not None and self.session is not None and self.session.count("stored"):
            return self.lost("stale_session", "not in the copy of the session that was stored", {})
        return await self._under_other_keys(probe) or self.lost(
            "nothing_written",
            "never written under this key",
            {} if self.allow_key_listing else {"other_keys": "not looked at"},
        )

    async def _under_other_keys(self, probe: Probe) -> ExpectedFate | None:
        scope, own = self.inquiry.scope, None if self.session is None else self.session.own_key
        if own is not None and own != self.inquiry.key and self.event is not None:
            stage = "its session belongs to another key"
            return self.lost("key_mismatch", stage, {"session_key": "/".join(own)})
        if not self.allow_key_listing:
            return None
        try:
            keys = await probe.locate(self.event_id, scope.app_name)
        except DeadlineExceededError:
            return None
        others = [key for key in keys if key != self.inquiry.key]
        if not others:
            return None
        same_app = any(app == scope.app_name for app, _ in others)
        stage = "stored for another user" if same_app else "stored under another app"
        return self.lost("key_mismatch", stage, {"keys": [f"{app}/{user}" for app, user in others]})


@dataclass(frozen=True, slots=True)
class _Stored:
    """An expected event that is stored under the key, in whatever state."""

    asked: Expectation
    probe: Probe
    document: Document

    async def fate(self) -> ExpectedFate:
        """The stages in their order: state, query, filters, keywords, content, rank."""
        matched = sorted(stored_keywords(self.document).intersection(self.asked.inquiry.reading.keywords))
        return (
            self._by_state()
            or self._by_filters()
            or (self._without_match() if not matched else await self._by_rank(tuple(matched)))
        )

    @property
    def _session_id(self) -> Any:
        return self.document.get(fields.SESSION_ID)

    def _by_state(self) -> ExpectedFate | None:
        lost, evidence = self.asked.lost, {"session": self._session_id}
        if is_forgotten(self.document):
            return lost("forgotten", "forgotten on request", evidence)
        if is_erased(self.document):
            return lost("not_indexed", "its newest version has no searchable text", evidence)
        if is_expired(self.document, self.probe.now()):
            return lost("expired", "its time is over", evidence)
        if not self.asked.inquiry.reading.keywords:
            return lost("no_searchable_words", "the query has no searchable words", evidence)
        return None

    def _by_filters(self) -> ExpectedFate | None:
        filters = SearchFilters(**self.asked.inquiry.options)
        if admits(filters, self.document):
            return None
        by_session = not admits(
            SearchFilters(session_id=filters.session_id, exclude_session_id=filters.exclude_session_id),
            self.document,
        )
        stage = "other session than the filter's" if by_session else "left out by a filter"
        return self.asked.lost("filtered", stage, {"session": self._session_id})

    def _without_match(self) -> ExpectedFate:
        """It shares no keyword with the query: because of its age, its rules, its damage, or its words."""
        asked, event = self.asked, self.asked.event
        wanted, analyzer = frozenset(asked.inquiry.reading.keywords), asked.inquiry.analyzer
        stored = stored_keywords(self.document)
        evidence = {"session": self._session_id, "keywords": len(stored)}
        if event is not None and event.state == "stale" and event.matched:
            return asked.lost("stale_session", "stored with an older text", evidence)
        text = stored_text(self.document)
        would_match = wanted.intersection(analyzer.keywords(text, cap=MAX_EVENT_KEYWORDS).keywords)
        if not stored or (not text and _malformed(self.document)):
            return asked.lost("malformed", "its stored document is damaged", evidence)
        if would_match:
            rules = stored_analyzer(self.document) or "classic 1"
            return asked.lost(
                "stale_analyzer", "indexed by other rules than the query's", {**evidence, "written_by": rules}
            )
        outside = words_outside_text(self.document, analyzer) & wanted
        if outside or (event is not None and event.outside):
            return asked.lost("not_indexed", "said only where no text is read", evidence)
        stage = "no keyword in common with the query"
        return asked.lost("no_shared_keyword", stage, evidence, near=_near_pairs(sorted(wanted), stored))

    async def _by_rank(self, matched: tuple[str, ...]) -> ExpectedFate:
        """It matches: unreadable, a duplicate of another, or beaten by better ones."""
        asked, details = self.asked, {"matched_keywords": matched}
        evidence = {"session": self._session_id}
        try:
            key = duplicate_key(decode(self.document))
        except MalformedDocument as fault:
            return asked.lost("malformed", "it cannot be read", {**evidence, "fault": fault.kind}, **details)
        full = await asked.inquiry.search(limit=RANKED)
        place = asked.place(full.memories)
        if place is not None:
            stage = f"matched, and ranked {place[0]}: below the page of {len(asked.response.memories)}"
            return asked.lost("cut_by_limit", stage, evidence, rank=place[0], score=place[1].score, **details)
        twin = next((entry for entry in full.memories if duplicate_key(entry) == key), None)
        if twin is not None:
            evidence = {**evidence, "instead": twin.id, "instead_session": twin.session_id}
            return asked.lost("duplicate", "an equal memory is returned in its place", evidence, **details)
        if asked.inquiry.options.get("min_score") is not None:
            return asked.lost("filtered", "its score is below min_score", evidence, **details)
        if not full.more:
            return asked.lost("malformed", "its fields and its id disagree", evidence, **details)
        stage = f"matched, and ranked below {RANKED}"
        return asked.lost("cut_by_limit", stage, evidence, score=float(len(matched)), **details)


def _malformed(document: Document) -> bool:
    try:
        decode(document)
    except MalformedDocument:
        return True
    return False


def _near_pairs(wanted: Sequence[str], stored: frozenset[str]) -> tuple[tuple[str, NearKeyword], ...]:
    pairs = [
        (word, near)
        for word in wanted
        for near in near_keywords(word, stored, neighbours=[other for other in wanted if other != word])
    ]
    return tuple(pairs[:_SHOWN_PAIRS])
