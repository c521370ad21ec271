"""Markers, revisions and deadlines: what ``mr`` says about a stored document."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Literal

from bson.int64 import Int64

from mongorecall._documents import fields
from mongorecall._documents.times import aware
from mongorecall.models import MemoryScope

MarkerKind = Literal["forgotten", "erased"]
"""Forgotten: deleted for good, re-adding does not bring it back. Erased: its text is gone, a newer add may
store it again."""

FOREVER: Final = 2**63 - 1
"""The revision of a document in a format that this version does not know: newer than everything."""


def document_id(scope: MemoryScope, session_id: str, event_id: str) -> dict[str, str]:
    """The ``_id`` of an event. The order of its fields is part of its identity."""
    return {
        fields.APP_NAME: scope.app_name,
        fields.USER_ID: scope.user_id,
        fields.SESSION_ID: session_id,
        fields.EVENT_ID: event_id,
    }


def marker(
    scope: MemoryScope, session_id: str, event_id: str, *, rev: int, kind: MarkerKind
) -> dict[str, Any]:
    """The document that stands where an event was: its ids, and no text, keyword, author or time."""
    return {
        fields.ID: document_id(scope, session_id, event_id),
        fields.APP_NAME: scope.app_name,
        fields.USER_ID: scope.user_id,
        fields.SESSION_ID: session_id,
        fields.MR: {fields.VERSION: fields.FORMAT_VERSION, fields.REVISION: Int64(rev), kind: True},
    }


def is_marker(document: Mapping[str, Any]) -> bool:
    """Whether it is a marker of either kind."""
    mr = _mr(document)
    return mr.get(fields.FORGOTTEN) is True or mr.get(fields.ERASED) is True


def is_forgotten(document: Mapping[str, Any]) -> bool:
    """Whether it is the marker of a forgotten event."""
    return _mr(document).get(fields.FORGOTTEN) is True


def is_erased(document: Mapping[str, Any]) -> bool:
    """Whether it is the marker of an erased event."""
    return _mr(document).get(fields.ERASED) is True


def is_expired(document: Mapping[str, Any], now: datetime) -> bool:
    """Whether its deadline has come. ``now`` is aware. Without a date as deadline it never expires."""
    deadline = _mr(document).get(fields.EXPIRES_AT)
    return isinstance(deadline, datetime) and aware(deadline) <= now


def is_live(document: Mapping[str, Any], now: datetime) -> bool:
    """Neither a marker nor expired: what lists, counts and searches see."""
    return not is_marker(document) and not is_expired(document, now)


def revision_of(document: Mapping[str, Any]) -> int | None:
    """The revision of a document; None for one of google-adk, `FOREVER` for one of an unknown format."""
    mr = document.get(fields.MR)
    if isinstance(mr, list):
        return FOREVER
    if not isinstance(mr, Mapping) or not mr:
        return None
    revision = mr.get(fields.REVISION)
    is_number = isinstance(revision, int) and not isinstance(revision, bool)
    known = mr.get(fields.VERSION) == fields.FORMAT_VERSION and (revision is None or is_number)
    return revision if known else FOREVER


def stored_analyzer(document: Mapping[str, Any]) -> str | None:
    """Name and version of the analyzer that wrote it, or None for the classic default."""
    mr = document.get(fields.MR)
    stamp = mr.get(fields.ANALYZER) if isinstance(mr, dict | Mapping) else None
    return stamp if isinstance(stamp, str) else None


def _mr(document: Mapping[str, Any]) -> Mapping[str, Any]:
    mr = document.get(fields.MR)
    return mr if isinstance(mr, Mapping) else {}
