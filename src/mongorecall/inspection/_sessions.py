"""A session beside what is stored of it: which events are there, stale, skipped, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mongorecall._documents import (
    Failed,
    Prepared,
    Skipped,
    fields,
    is_erased,
    is_expired,
    is_forgotten,
    stored_keywords,
    stored_text,
)
from mongorecall.errors import InvalidInputError
from mongorecall.inspection._events import text_of
from mongorecall.inspection._outside_text import words_of, words_outside_text

if TYPE_CHECKING:
    from datetime import datetime

    from mongorecall._documents.probing import Document, Probe
    from mongorecall.analysis import Analyzer
    from mongorecall.models import MemoryScope

EventState = Literal[
    "stored",  # as it is in the session
    "missing",  # never stored, or stored under another key
    "stale",  # stored with another text
    "other_rules",  # stored with the same text, and keywords of other rules
    "unreadable",  # stored, and damaged since
    "skipped",  # has nothing that is indexed
    "failed",  # cannot be stored
    "forgotten",
    "erased",
    "expired",
]

MOST_EVENTS = 2000
"""The latest events of a session that are looked at."""

_SLICE = 500


@dataclass(frozen=True, slots=True)
class EventFact:
    """One event of the session.

    Attributes:
        event_id: its id.
        state: what the store has of it.
        reason: why it was skipped or failed; None for the other states.
        matched: query keywords in its searchable text.
        outside: query keywords that it has only where no text is read.
    """

    event_id: str
    state: EventState
    reason: str | None
    matched: tuple[str, ...] = field(repr=False)
    outside: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """A session as given, compared with the store.

    Attributes:
        session_id: the session.
        own_key: app and user that the session names, by the service's key policy.
        events: its latest events, in order.
        in_state: query keywords that stand in the session's state, which is never stored.
    """

    session_id: str
    own_key: tuple[str, str] | None
    events: tuple[EventFact, ...]
    in_state: tuple[str, ...] = field(repr=False)

    def count(self, state: EventState) -> int:
        """Events in a state."""
        return sum(event.state == state for event in self.events)

    def matching(self, *states: EventState) -> tuple[EventFact, ...]:
        """Events in one of these states whose searchable text shares a keyword with the query."""
        return tuple(event for event in self.events if event.state in states and event.matched)

    def outside(self) -> tuple[EventFact, ...]:
        """Events that have a keyword of the query only where no text is read."""
        return tuple(event for event in self.events if event.outside)

    def of(self, event_id: str) -> EventFact | None:
        """The last event with this id."""
        return next((event for event in reversed(self.events) if event.event_id == event_id), None)

    def evidence(self) -> dict[str, Any]:
        """Counts by state, the ids of events that are not as they should be, and reasons of skipping."""
        states = Counter(event.state for event in self.events)
        wanting = [event for event in self.events if event.state not in ("stored", "skipped")]
        reasons = Counter(event.reason for event in self.events if event.state == "skipped")
        return {
            "session": self.session_id,
            "events": len(self.events),
            "states": dict(states),
            "skipped": dict(reasons),
            "wanting": [{"event_id": event.event_id, "state": event.state} for event in wanting[:20]],
            "outside_text": [
                {"event_id": event.event_id, "keywords": list(event.outside)} for event in self.outside()[:20]
            ],
            "in_state": list(self.in_state),
        }


async def look_at_session(
    probe: Probe, scope: MemoryScope, session: Any, keywords: Sequence[str], analyzer: Analyzer
) -> SessionFacts:
    """Compare a session with what is stored of it under ``scope``. One read for every 500 events.

    Raises:
        InvalidInputError: ``session`` has no ``id`` or no list of ``events``.
    """
    session_id, events = _read(session)
    outcomes = [(event, probe.prepare(event, scope, session_id)) for event in events]
    stored = await _stored(probe, scope, session_id, [outcome.event_id for _, outcome in outcomes])
    wanted = frozenset(keywords)
    comparison = _Comparison(stored, wanted, analyzer, probe.now())
    facts = tuple(comparison.fact(event, outcome) for event, outcome in outcomes)
    in_state = words_of(getattr(session, "state", None), analyzer) & wanted
    return SessionFacts(session_id, _own_key(probe, session), facts, tuple(sorted(in_state)))


def _read(session: Any) -> tuple[str, list[Any]]:
    session_id, events = getattr(session, "id", None), getattr(session, "events", None)
    if not isinstance(session_id, str) or not isinstance(events, Sequence) or isinstance(events, str | bytes):
        raise InvalidInputError("session must have an id and a list of events")
    return session_id, list(events[-MOST_EVENTS:])


def _own_key(probe: Probe, session: Any) -> tuple[str, str] | None:
    """The key that the session names, by the service's policy; None when it names none."""
    try:
        scope = probe.scope(session.app_name, session.user_id)
    except (AttributeError, InvalidInputError):
        return None
    return scope.app_name, scope.user_id


async def _stored(
    probe: Probe, scope: MemoryScope, session_id: str, event_ids: Sequence[str | None]
) -> dict[str, Document]:
    known = [event_id for event_id in event_ids if event_id]
    found: dict[str, Document] = {}
    for start in range(0, len(known), _SLICE):
        for document in await probe.under(scope, session_id, known[start : start + _SLICE]):
            found[document[fields.ID][fields.EVENT_ID]] = document
    return found


@dataclass(frozen=True, slots=True)
class _Comparison:
    """What an event is compared with."""

    stored: dict[str, Document]
    wanted: frozenset[str]
    analyzer: Analyzer
    now: datetime

    def fact(self, event: Any, outcome: Prepared | Skipped | Failed) -> EventFact:
        event_id = outcome.event_id or ""
        matched: frozenset[str] = frozenset()
        if isinstance(outcome, Prepared):
            matched = self.wanted.intersection(outcome.keywords)
        outside = (words_outside_text(event, self.analyzer) & self.wanted) - matched
        document = self.stored.get(event_id)
        reason = None if isinstance(outcome, Prepared) else outcome.reason
        if isinstance(outcome, Prepared):
            state: EventState = (
                "missing" if document is None else self._state_of_text(event, outcome, document)
            )
        else:
            state = _state_without_text(outcome, document)
        return EventFact(event_id, state, reason, tuple(sorted(matched)), tuple(sorted(outside)))

    def _state_of_text(self, event: Any, outcome: Prepared, document: Document) -> EventState:
        if is_forgotten(document):
            return "forgotten"
        if is_erased(document):
            return "erased"
        if is_expired(document, self.now):
            return "expired"
        stored = stored_keywords(document)
        if stored == frozenset(outcome.keywords):
            return "stored"
        if stored_text(document) != text_of(event):
            return "stale"
        return "other_rules" if stored else "unreadable"


def _state_without_text(outcome: Skipped | Failed, document: Document | None) -> EventState:
    if isinstance(outcome, Failed):
        return "failed"
    if document is None or is_erased(document) or outcome.reason == "partial":
        return "skipped"
    return "forgotten" if is_forgotten(document) else "stale"
