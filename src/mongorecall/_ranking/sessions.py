"""The turns of a scope, apart by session and in the order of time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING

from mongorecall._checks import UNKNOWN_SESSION_ID
from mongorecall._documents import fields, id_key
from mongorecall._documents.order import order_key

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
    return [sorted(turns, key=_moment) for turns in sessions.values()]


def event_key(document: Document) -> Hashable:
    """What tells two documents of a scope apart."""
    identity = document.get(fields.ID)
    if isinstance(identity, Mapping) and len(identity) == _PARTS:
        session, event = identity.get(fields.SESSION_ID), identity.get(fields.EVENT_ID)
        if isinstance(session, str) and isinstance(event, str):
            return (session, event)
    return id_key(document)


_PARTS = 4


def _moment(document: Document) -> tuple[object, object]:
    return (order_key(document.get(fields.TIMESTAMP)), id_key(document))
