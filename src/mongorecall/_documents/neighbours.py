"""Reads of turns for ranking: those that match, whole sessions, or a few turns each way of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mongorecall._documents import fields
from mongorecall._documents.filters import Filter, live, scope_filter

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from mongorecall.models import MemoryScope

Pipeline = list[dict[str, Any]]


def matching_turns(where: Filter, keywords: Sequence[str], *, most: int, content: bool) -> Pipeline:
    """The turns that a filter lets through, in any order, with or without their content; no more than
    ``most`` of them."""
    return [{"$match": where}, {"$limit": most}, *_cut(keywords, content=content)]


def with_content(scope: MemoryScope, identities: Sequence[Any], keywords: Sequence[str]) -> Pipeline:
    """The turns of these ``_id``."""
    return [{"$match": {**scope_filter(scope), fields.ID: {"$in": list(identities)}}}, *_cut(keywords)]


def whole_sessions(
    scope: MemoryScope, session_ids: Collection[str], keywords: Sequence[str], now: datetime, *, most: int
) -> Pipeline:
    """Every live turn of some sessions, in any order; no more than ``most`` of them."""
    where = {**scope_filter(scope), fields.SESSION_ID: {"$in": list(session_ids)}, **live(now)}
    return [{"$match": where}, {"$limit": most}, *_cut(keywords)]


def next_to(
    document: Mapping[str, Any],
    scope: MemoryScope,
    keywords: Sequence[str],
    now: datetime,
    *,
    reach: int,
) -> list[Pipeline]:
    """The ``reach`` turns before a document in its session with itself, and those after it.

    Turns of one time stand in the order of the event id. Two reads, sorted by the index of sessions.
    """
    session = {**scope_filter(scope), fields.SESSION_ID: {"$eq": document[fields.SESSION_ID]}, **live(now)}
    time, event_id = document.get(fields.TIMESTAMP), document[fields.ID][fields.EVENT_ID]
    return [
        _side(session, _beyond(time, event_id, "$lt", "$lte"), -1, reach + 1, keywords),
        _side(session, _beyond(time, event_id, "$gt", "$gt"), 1, reach, keywords),
    ]


def _cut(keywords: Sequence[str], *, content: bool = True) -> Pipeline:
    """Of each turn what ranking and decoding need; its keywords are cut to those of the query."""
    unsent = (fields.APP_NAME, fields.USER_ID, *(() if content else (fields.CONTENT, fields.MR)))
    stored = {"$cond": [{"$isArray": f"${fields.KEYWORDS}"}, f"${fields.KEYWORDS}", [f"${fields.KEYWORDS}"]]}
    return [
        {"$addFields": {fields.KEYWORDS: {"$setIntersection": [stored, {"$literal": list(keywords)}]}}},
        {"$project": dict.fromkeys(unsent, 0)},
    ]


def _beyond(time: Any, event_id: str, times: str, ids: str) -> dict[str, Any]:
    return {
        "$or": [
            {fields.TIMESTAMP: {times: time}},
            {fields.TIMESTAMP: {"$eq": time}, fields.ID_EVENT: {ids: event_id}},
        ]
    }


def _side(
    session: dict[str, Any], beyond: dict[str, Any], direction: int, count: int, keywords: Sequence[str]
) -> Pipeline:
    order = {fields.TIMESTAMP: direction, fields.ID_EVENT: direction}
    return [{"$match": {**session, **beyond}}, {"$sort": order}, {"$limit": count}, *_cut(keywords)]
