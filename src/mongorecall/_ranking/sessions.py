"""The turns of a scope, apart by session and in the order of time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from operator import itemgetter
from typing import TYPE_CHECKING

from mongorecall._checks import UNKNOWN_SESSION_ID
from mongorecall._documents import fields, id_key
from mongorecall._documents.order import order_key, quick_key

if TYPE_CHECKING:
    from mongorecall._ranking._protocol import Document


def has_neighbours(document: Document) -> bool:
    """Whether the turns of its session belong together; those added without a session do not."""
    session = document.get(fields.SESSION_ID)
    return isinstance(session, str) and session != UNKNOWN_SESSION_ID


def sessions_of(documents: Iterable[Document]) -> list[list[Document]]:
    """The sessions, each by time and then ``_id``, rising."""
    sessions: dict[str, list[Document]] = defaultdict(list)
    for document in documents:
        if has_neighbours(document):
            sessions[document[fields.SESSION_ID]].append(document)
    return [_by_time(turns) for turns in sessions.values()]


def _by_time(turns: list[Document]) -> list[Document]:
    quick = [quick_key(turn) for turn in turns]
    if None in quick:
        return sorted(turns, key=_moment)
    return [turn for _, turn in sorted(zip(quick, turns, strict=True), key=itemgetter(0))]


def event_key(document: Document) -> Hashable:
    """What tells two documents of a scope apart."""
    identity = document.get(fields.ID)
    if isinstance(identity, Mapping) and len(identity) == _PARTS:
        session, event = identity.get(fields.SESSION_ID), identity.get(fields.EVENT_ID)
        if type(session) is str and type(event) is str:
            return (session, event)
    return id_key(document)


_PARTS = 4  # of the id of an event


def _moment(document: Document) -> tuple[object, object]:
    return (order_key(document.get(fields.TIMESTAMP)), id_key(document))
