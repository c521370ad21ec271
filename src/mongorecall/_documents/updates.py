"""Forgetting and remembering again, as updates of stored documents.

A forgotten event leaves a marker: its ``_id``, its scope and ``mr.forgotten``. One that was erased before
keeps ``mr.erased`` beside it, so that those forgotten by one deletion, and only they, can be counted by
its revision.
"""

from __future__ import annotations

from typing import Any

from bson.int64 import Int64

from mongorecall._documents import fields

Filter = dict[str, Any]
Update = list[dict[str, Any]]


def forget_live(where: Filter, revision: int) -> tuple[Filter, Update]:
    """Turn every memory among ``where`` into a marker."""
    kept = {name: f"${name}" for name in (fields.ID, fields.APP_NAME, fields.USER_ID, fields.SESSION_ID)}
    marker = {**kept, fields.MR: _mr(revision, fields.FORGOTTEN)}
    return (
        {**where, fields.MR_ERASED: {"$ne": True}, fields.MR_FORGOTTEN: {"$ne": True}},
        [{"$replaceWith": marker}],
    )


def forget_erased(where: Filter, revision: int) -> tuple[Filter, Update]:
    """Turn every marker of an erased event among ``where`` into one of a forgotten event."""
    return (
        {**where, fields.MR_ERASED: True, fields.MR_FORGOTTEN: {"$ne": True}},
        _set(_mr(revision, fields.ERASED, fields.FORGOTTEN)),
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
    return {**where, fields.MR_FORGOTTEN: True}, _set(_mr(revision, fields.ERASED))


def _mr(revision: int, *kinds: str) -> dict[str, Any]:
    """As a literal, so that nothing in it is taken for an expression."""
    values = {fields.VERSION: fields.FORMAT_VERSION, fields.REVISION: Int64(revision)}
    return {"$literal": values | dict.fromkeys(kinds, True)}


def _set(mr: dict[str, Any]) -> Update:
    # taken away first: setting a sub-document merges it with what is there
    return [{"$unset": fields.MR}, {"$set": {fields.MR: mr}}]
