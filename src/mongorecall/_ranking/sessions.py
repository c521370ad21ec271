"""The turns of a scope, apart by session and in the order of time."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

from mongorecall._checks import UNKNOWN_SESSION_ID
from mongorecall._documents import fields, id_key
from mongorecall._documents.order import order_key, quick_key

if TYPE_CHECKING:
    from collections.abc import Container, Hashable, Iterable

    from mongorecall._ranking._protocol import Document


def session_of(document: Document) -> str | None:
    """The session whose turns are its neighbours; None for a turn that was added without one."""
    session = document.get(fields.SESSION_ID)
    return session if isinstance(session, str) and session != UNKNOWN_SESSION_ID else None


@dataclass(frozen=True, slots=True)
class SessionTurns:
    """Turns of one session by time and then ``_id``, rising, and what tells each from all others."""

    turns: list[Document]
    keys: list[Hashable]


def sessions_of(documents: Iterable[Document], wanted: Container[str]) -> list[SessionTurns]:
    """The ``wanted`` sessions among ``documents``."""
    sessions: dict[str, list[Document]] = defaultdict(list)
    for document in documents:
        session = session_of(document)
        if session is not None and session in wanted:
            sessions[session].append(document)
    return [_by_time(turns) for turns in sessions.values()]


def _by_time(turns: list[Document]) -> SessionTurns:
    quick = [quick_key(turn) for turn in turns]
    if None in quick:
        ordered = sorted(turns, key=_moment)
        return SessionTurns(ordered, [event_key(turn) for turn in ordered])
    pairs = sorted(((key, turn) for key, turn in zip(quick, turns, strict=True) if key), key=itemgetter(0))
    return SessionTurns([turn for _, turn in pairs], [key[1:] for key, _ in pairs])


def event_key(document: Document) -> Hashable:
    """What tells two documents of a scope apart."""
    quick = quick_key(document)
    return id_key(document) if quick is None else quick[1:]


def _moment(document: Document) -> tuple[object, object]:
    return (order_key(document.get(fields.TIMESTAMP)), id_key(document))
