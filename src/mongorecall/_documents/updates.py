"""Forgetting and remembering again, as updates of stored documents.

A forgotten event leaves a marker: its ``_id``, its scope and ``mr.forgotten``. One that was erased before
keeps ``mr.erased`` beside it, so that those forgotten by one deletion, and only they, can be counted by
its revision.
"""

from __future__ import annotations

from typing import Any

from bson.int64 import Int64

FORMAT_VERSION = 1

Filter = dict[str, Any]
Update = list[dict[str, Any]]


def forget_live(where: Filter, revision: int) -> tuple[Filter, Update]:
    """Turn every memory among ``where`` into a marker."""
    marker = {"v": FORMAT_VERSION, "forgotten": True, "rev": Int64(revision)}
    update = {
        "$replaceWith": {
            "_id": "$_id",
            "app_name": "$app_name",
            "user_id": "$user_id",
            "session_id": "$session_id",
            "mr": {"$literal": marker},
        }
    }
    return {**where, "mr.erased": {"$ne": True}, "mr.forgotten": {"$ne": True}}, [update]


def forget_erased(where: Filter, revision: int) -> tuple[Filter, Update]:
    """Turn every marker of an erased event among ``where`` into one of a forgotten event."""
    marker = {"v": FORMAT_VERSION, "erased": True, "forgotten": True, "rev": Int64(revision)}
    return (
        {**where, "mr.erased": True, "mr.forgotten": {"$ne": True}},
        [{"$set": {"mr": {"$literal": marker}}}],
    )


def forgotten_by(where: Filter, revision: int) -> Filter:
    """The memories that the deletion of this revision removed."""
    return {**where, "mr.rev": Int64(revision), "mr.forgotten": True, "mr.erased": {"$ne": True}}


def remember(where: Filter, revision: int) -> tuple[Filter, Update]:
    """Turn markers of forgotten events into such as any later add may replace."""
    marker = {"v": FORMAT_VERSION, "erased": True, "rev": Int64(revision)}
    return {**where, "mr.forgotten": True}, [{"$set": {"mr": {"$literal": marker}}}]
