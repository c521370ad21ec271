"""Forgetting and remembering again, as updates of stored documents.

A forgotten event leaves a marker: its ``_id``, its scope and ``mr.forgotten``. One that was erased or had
expired before has ``mr.erased`` beside it, so that the memories forgotten by one deletion, and only they,
can be counted by its revision, however often its commands were sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bson.int64 import Int64

from mongorecall._documents import fields
from mongorecall._documents.filters import live

Filter = dict[str, Any]
Update = list[dict[str, Any]]


def replace_older(document: Mapping[str, Any], revision: int) -> Update:
    """Put ``document`` in the place of one of a lower revision.

    Not of one of a higher or the same revision, of the marker of a forgotten event, or of one in a format
    that this version does not know: those stay as they are, and count as matched and not as modified. As a
    pipeline, since a filter with more than the ``_id`` costs a plan for every write.
    """
    may = [  # what is missing sorts before every number, and text after
        {"$lt": [f"${fields.MR_REVISION}", Int64(revision)]},
        {"$lte": [f"${fields.MR_VERSION}", fields.FORMAT_VERSION]},
        {"$ne": [f"${fields.MR_FORGOTTEN}", True]},
    ]
    replaced = {"$cond": [{"$and": may}, {"$literal": document}, "$$ROOT"]}
    return [{"$replaceWith": replaced}]


def forget_live(where: Filter, revision: int, now: datetime) -> tuple[Filter, Update]:
    """Turn every memory among ``where`` into a marker; expired ones are memories no more."""
    return {**where, **live(now)}, _replace(_mr(revision, fields.FORGOTTEN))


def forget_gone(where: Filter, revision: int, now: datetime) -> tuple[Filter, Update]:
    """Turn what is erased or expired among ``where`` into markers of forgotten events."""
    gone = [{fields.MR_ERASED: True}, {fields.MR_EXPIRES_AT: {"$lte": now}}]
    return (
        {**where, "$or": gone, fields.MR_FORGOTTEN: {"$ne": True}},
        _replace(_mr(revision, fields.ERASED, fields.FORGOTTEN)),
    )


def forgotten_by(where: Filter, revision: int) -> Filter:
    """The memories that the deletion of this revision removed."""
    return {
        **where,
        fields.MR_REVISION: Int64(revision),
        fields.MR_FORGOTTEN: True,
        fields.MR_ERASED: {"$ne": True},
    }


def remember(where: Filter, revision: int) -> tuple[Filter, Update]:
    """Turn markers of forgotten events into such as any later add may replace."""
    return {**where, fields.MR_FORGOTTEN: True}, _replace(_mr(revision, fields.ERASED))


def remembered_by(where: Filter, revision: int) -> Filter:
    """The events that `remember` of this revision gave back."""
    return {**where, fields.MR_REVISION: Int64(revision), fields.MR_FORGOTTEN: {"$ne": True}}


def _mr(revision: int, *kinds: str) -> dict[str, Any]:
    """As a literal, so that nothing in it is taken for an expression."""
    values = {fields.VERSION: fields.FORMAT_VERSION, fields.REVISION: Int64(revision)}
    return {"$literal": values | dict.fromkeys(kinds, True)}


def _replace(mr: dict[str, Any]) -> Update:
    """Leave the ids and ``mr``: no text, keyword, author or time."""
    kept = {name: f"${name}" for name in (fields.ID, fields.APP_NAME, fields.USER_ID, fields.SESSION_ID)}
    return [{"$replaceWith": {**kept, fields.MR: mr}}]
