"""Event ↔ stored document: the only package that knows the names of stored fields."""

from mongorecall._documents._content import visible_text
from mongorecall._documents._encoding import MAX_DOCUMENT_BYTES, identity_of, same_but_revision
from mongorecall._documents._storable import check_metadata
from mongorecall._documents.batch import count_kept, count_skipped, last_of_each_id
from mongorecall._documents.cursors import MAX_PAGE, pack_cursor, unpack_cursor
from mongorecall._documents.decoding import (
    MalformedDocument,
    decode,
    duplicate_key,
    printed_key,
    stored_keywords,
    stored_text,
)
from mongorecall._documents.exporting import as_json_ready
from mongorecall._documents.filters import (
    admits,
    id_range,
    live,
    of_event,
    scope_filter,
    search_filter,
    stored_between,
    stored_under,
)
from mongorecall._documents.markers import (
    MarkerKind,
    document_id,
    is_erased,
    is_expired,
    is_forgotten,
    is_live,
    is_marker,
    marker,
    revision_of,
    stored_analyzer,
)
from mongorecall._documents.order import id_key, time_key, time_span
from mongorecall._documents.preparing import (
    TEXT_ONLY,
    Failed,
    Prepared,
    Skipped,
    analyzer_stamp,
    plain_event,
    prepare,
)
from mongorecall._documents.times import expiry, format_time
from mongorecall._documents.updates import (
    forget_gone,
    forget_live,
    forgotten_by,
    remember,
    remembered_by,
    replace_older,
)

__all__ = [
    "MAX_DOCUMENT_BYTES",
    "MAX_PAGE",
    "TEXT_ONLY",
    "Failed",
    "MalformedDocument",
    "MarkerKind",
    "Prepared",
    "Skipped",
    "admits",
    "analyzer_stamp",
    "as_json_ready",
    "check_metadata",
    "count_kept",
    "count_skipped",
    "decode",
    "document_id",
    "duplicate_key",
    "expiry",
    "forget_gone",
    "forget_live",
    "forgotten_by",
    "format_time",
    "id_key",
    "id_range",
    "identity_of",
    "is_erased",
    "is_expired",
    "is_forgotten",
    "is_live",
    "is_marker",
    "last_of_each_id",
    "live",
    "marker",
    "of_event",
    "pack_cursor",
    "plain_event",
    "prepare",
    "printed_key",
    "remember",
    "remembered_by",
    "replace_older",
    "revision_of",
    "same_but_revision",
    "scope_filter",
    "search_filter",
    "stored_analyzer",
    "stored_between",
    "stored_keywords",
    "stored_text",
    "stored_under",
    "time_key",
    "time_span",
    "unpack_cursor",
    "visible_text",
]
