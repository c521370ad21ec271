"""Filters of reads, writes and deletions; each holds the app and user, and every value only as a value."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from bson.max_key import MaxKey

from mongorecall._documents import fields
from mongorecall._documents.markers import document_id
from mongorecall._documents.times import is_number
from mongorecall.models import MemoryScope, SearchFilters

Filter = dict[str, Any]


def scope_filter(scope: MemoryScope) -> Filter:
    """Every document of an app and user, markers included."""
    return {fields.APP_NAME: {"$eq": scope.app_name}, fields.USER_ID: {"$eq": scope.user_id}}


def live(now: datetime) -> Filter:
    """Neither expired nor a marker: what lists and counts see."""
    return {
        fields.MR_FORGOTTEN: {"$ne": True},
        fields.MR_ERASED: {"$ne": True},
        **unexpired(now),
    }


def unexpired(now: datetime) -> Filter:
    """Not expired by ``now``. A comparison with a date matches dates only, so odd values never expire."""
    return {fields.MR_EXPIRES_AT: {"$not": {"$lte": now}}}


def search_filter(
    scope: MemoryScope,
    keywords: Collection[str] | None,
    filters: SearchFilters,
    now: datetime | None,
) -> Filter:
    """What a search matches. Markers have no keywords, so they need no clause.

    Args:
        scope: the app and user.
        keywords: at least one of them must stand in the document; None leaves the clause out.
        filters: ``limit`` and ``min_score`` are not matters of a filter.
        now: the present, aware; None lets expired documents match too.
    """
    return {
        **scope_filter(scope),
        **_any_keyword(keywords),
        **(unexpired(now) if now is not None else {}),
        **narrowing(filters),
    }


def narrowing(filters: SearchFilters) -> Filter:
    """The clauses of session, author and time."""
    clauses: Filter = {}
    session: Filter = {}
    if filters.session_id is not None:
        session["$eq"] = filters.session_id
    if filters.exclude_session_id is not None:
        session["$ne"] = filters.exclude_session_id
    if session:
        clauses[fields.SESSION_ID] = session
    if filters.author is not None:
        clauses[fields.AUTHOR] = {"$eq": filters.author}
    time: Filter = {}
    if filters.since is not None:
        time["$gte"] = filters.since.timestamp()
    if filters.until is not None:
        time["$lt"] = filters.until.timestamp()
    if time:
        clauses[fields.TIMESTAMP] = time
    return clauses


def admits(filters: SearchFilters, document: Mapping[str, Any]) -> bool:
    """What `narrowing` says, asked of one document in memory."""
    session_id = document.get(fields.SESSION_ID)
    if filters.session_id is not None and session_id != filters.session_id:
        return False
    if filters.exclude_session_id is not None and session_id == filters.exclude_session_id:
        return False
    if filters.author is not None and document.get(fields.AUTHOR) != filters.author:
        return False
    return _in_time(filters, document.get(fields.TIMESTAMP))


def _in_time(filters: SearchFilters, time: Any) -> bool:
    since, until = filters.since, filters.until
    if since is None and until is None:
        return True
    if not is_number(time):
        return False
    after = since is None or bool(time >= since.timestamp())
    return after and (until is None or bool(time < until.timestamp()))


def id_range(
    scope: MemoryScope,
    session_id: str | None = None,
    *,
    low: str | None = None,
    high: str | None = None,
    after: tuple[str, str | None] | None = None,
) -> Filter:
    """A range on ``_id``: one index scan over a scope, a session, or a part of them.

    Args:
        scope: the app and user.
        session_id: only this session; all sessions when None.
        low: smallest event id, itself included; needs ``session_id``.
        high: largest event id, itself included; needs ``session_id``.
        after: ``(session_id, event_id)`` that everything comes after: the place of a cursor; without an
            event id, after the whole session.
    """
    start: Filter = {fields.APP_NAME: scope.app_name, fields.USER_ID: scope.user_id}
    end: Filter = dict(start)
    if session_id is None:
        end[fields.SESSION_ID] = MaxKey()
    else:
        start[fields.SESSION_ID] = end[fields.SESSION_ID] = session_id
        end[fields.EVENT_ID] = MaxKey() if high is None else high
        if low is not None:
            start[fields.EVENT_ID] = low
    bounds: Filter = {"$gte": start, "$lte": end}
    if after is not None:
        session, event = after
        place: Filter = document_id(scope, session, "")
        place[fields.EVENT_ID] = MaxKey() if event is None else event
        bounds = {"$gt": place, "$lte": end}
    return {fields.ID: bounds}


def of_event(event_id: str) -> list[dict[str, Any]]:
    """Stages that keep only the ``_id`` of documents with this event id.

    The ids are taken first and compared then, so that the server answers from the index of ``_id`` and
    reads no document.
    """
    return [
        {"$project": {fields.ID: 1}},
        {"$project": {"hit": {"$eq": [f"${fields.ID_EVENT}", {"$literal": event_id}]}}},
        {"$match": {"hit": True}},
    ]


def stored_under(
    collection_name: str, scope: MemoryScope, session_id: str, event_ids: Collection[str]
) -> Filter:
    """The ``find`` command that reads what is stored under some ids of one session, by each id."""
    ids = [document_id(scope, session_id, event_id) for event_id in event_ids]
    return {
        "find": collection_name,
        "filter": {**scope_filter(scope), fields.ID: {"$in": ids}},
        "hint": {fields.ID: 1},
    }


def stored_between(
    collection_name: str, scope: MemoryScope, session_id: str, event_ids: Collection[str], *, limit: int
) -> Filter:
    """The ``find`` command that reads the range that some ids of one session span, up to ``limit`` documents.

    A third of the work of `stored_under` where the ids are the whole session. Fewer documents than
    ``limit`` are all there are.
    """
    within = id_range(scope, session_id, low=min(event_ids), high=max(event_ids))
    return {
        "find": collection_name,
        "filter": {**scope_filter(scope), **within},
        "hint": {fields.ID: 1},
        "limit": limit,
    }


def _any_keyword(keywords: Collection[str] | None) -> Filter:
    if keywords is None:
        return {}
    words = list(keywords)
    return {fields.KEYWORDS: {"$eq": words[0]} if len(words) == 1 else {"$in": words}}
