"""The keywords of a stored document by another analyzer, and the update that writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mongorecall._documents import fields
from mongorecall._documents._content import text_to_index
from mongorecall._documents.cursors import unpack_cursor
from mongorecall._documents.decoding import MalformedDocument, stored_content
from mongorecall._documents.filters import id_range
from mongorecall._documents.markers import document_id
from mongorecall._documents.preparing import analyzer_stamp
from mongorecall.analysis import MAX_EVENT_KEYWORDS
from mongorecall.models import MemoryScope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mongorecall._documents.filters import Filter
    from mongorecall.analysis import Analyzer

Update = dict[str, Any]

_IDENTITY = (fields.APP_NAME, fields.USER_ID, fields.SESSION_ID, fields.EVENT_ID)


def after_cursor(scope: MemoryScope | None, cursor: str | None) -> Filter:
    """The documents of a scope, or of all scopes, after the place of a cursor, in the order of ``_id``."""
    place = None if cursor is None else unpack_cursor(cursor, 4)
    if scope is not None:
        return id_range(scope, after=None if place is None else (place[2], place[3]))
    start = {} if place is None else document_id(MemoryScope.of(place[0], place[1]), place[2], place[3])
    ours = (fields.APP_NAME, fields.USER_ID, *(f"{fields.ID}.{name}" for name in _IDENTITY))
    return {fields.ID: {"$gt": start}, **{name: {"$type": "string"} for name in ours}}


def reindexed(
    document: Mapping[str, Any], analyzer: Analyzer, index_parts: frozenset[str]
) -> tuple[Filter, Update] | None:
    """What makes a document searchable by ``analyzer``; None when it is already.

    The filter names the revision and the keywords that were read, so a document that was written meanwhile
    is left as it is. Content and revision stay: re-adding the event finds it unchanged.

    Raises:
        MalformedDocument: its content cannot be read.
    """
    try:
        text = text_to_index(stored_content(document), index_parts)
    except (AttributeError, TypeError, KeyError):
        raise MalformedDocument("content_unreadable") from None
    keywords = list(analyzer.keywords(text, cap=MAX_EVENT_KEYWORDS).keywords)
    before = document.get(fields.MR)
    after = _with_stamp(before, analyzer_stamp(analyzer))
    if keywords == document.get(fields.KEYWORDS) and after == before:
        return None
    where = {
        fields.ID: {"$eq": document[fields.ID]},
        fields.APP_NAME: {"$eq": document[fields.APP_NAME]},
        fields.USER_ID: {"$eq": document[fields.USER_ID]},
        fields.KEYWORDS: {"$eq": document.get(fields.KEYWORDS)},
        fields.MR_REVISION: {"$eq": (before or {}).get(fields.REVISION)},
    }
    values: dict[str, Any] = {fields.KEYWORDS: keywords}
    if after is not None:
        values[fields.MR] = after
    return where, {"$set": values}


def _with_stamp(mr: Any, stamp: str | None) -> dict[str, Any] | None:
    """``mr`` that names the analyzer, its fields in their order; None where google-adk's shape needs none."""
    if mr is None and stamp is None:
        return None
    old = dict(mr or {fields.VERSION: fields.FORMAT_VERSION})
    old.pop(fields.ANALYZER, None)
    first = {name: old.pop(name) for name in (fields.VERSION, fields.REVISION) if name in old}
    return {**first, **({} if stamp is None else {fields.ANALYZER: stamp}), **old}
