"""An event → the document that remembers it, or why there is none; one bad event fails alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from bson.int64 import Int64
from bson.raw_bson import RawBSONDocument

from mongorecall._checks import as_str, check_id, type_name
from mongorecall._documents import fields
from mongorecall._documents._content import Visible, is_encodable, plain_texts, read_content
from mongorecall._documents._encoding import MAX_DOCUMENT_BYTES, Encoded, encode, identity_of
from mongorecall._documents._storable import UnstorableError, check_metadata, repair
from mongorecall._documents.markers import document_id
from mongorecall.analysis import MAX_EVENT_KEYWORDS, Analyzer, ClassicAnalyzer, Extraction
from mongorecall.errors import InvalidInputError, InvalidTypeError
from mongorecall.models import MemoryScope, SkipReason

TEXT_ONLY = frozenset({"text"})
"""The parts whose words are indexed by default."""

_SHOWN_CHARACTERS = 64
_DERIVED = "derived-"
_DERIVED_BYTES = 16
_CLASSIC_VERSION = ClassicAnalyzer().version


@dataclass(slots=True, repr=False)
class Prepared:
    """An event ready to be stored. Not to be changed; a frozen one takes thrice the time to make.

    Attributes:
        index: its place in the call.
        event_id: its id, derived from author, time and content where it had none.
        identity: the ``_id`` of its document.
        body: the fields after ``_id``, in stored order; ``mr`` without its revision.
        keywords: what it is indexed under, ascending.
        repaired: lone surrogates, NaN or infinity were replaced.
        truncated: the index is shortened by a cap; the content is whole.
        encoded: the document as BSON.
    """

    index: int
    event_id: str
    identity: dict[str, str]
    body: dict[str, Any]
    keywords: tuple[str, ...]
    repaired: bool
    truncated: bool
    encoded: Encoded

    @property
    def size(self) -> int:
        """Bytes of the document."""
        return len(self.encoded.data)

    def document(self, rev: int) -> dict[str, Any]:
        """The document with this revision."""
        return _document(self.identity, self.body, rev)

    def raw(self, rev: int) -> RawBSONDocument:
        """The document with this revision as BSON; nothing is encoded again."""
        return self.encoded.with_revision(rev)

    @property
    def identity_bytes(self) -> bytes:
        """``_id`` as BSON."""
        return identity_of(self.encoded.data)

    def revision_in(self, stored: RawBSONDocument) -> int | None:
        """The revision of ``stored`` when it is this document but for that; None when it is another."""
        return self.encoded.revision_in(bytes(stored.raw))

    def __repr__(self) -> str:
        return f"Prepared(index={self.index}, event_id={self.event_id[:_SHOWN_CHARACTERS]!r})"


@dataclass(frozen=True, slots=True)
class Skipped:
    """An event that is not stored. What is stored under its id is erased, unless it is a partial one.

    An event without an id gets one here that nothing is stored under.
    """

    index: int
    event_id: str
    reason: SkipReason


@dataclass(frozen=True, slots=True)
class Failed:
    """An event that cannot be stored. The reason names fields, types and limits, never content."""

    index: int
    event_id: str | None
    reason: str


def prepare(
    event: Any,
    *,
    index: int,
    scope: MemoryScope,
    session_id: str,
    analyzer: Analyzer,
    metadata: Mapping[str, Any] | None = None,
    expires_at: datetime | None = None,
    index_parts: frozenset[str] = TEXT_ONLY,
) -> Prepared | Skipped | Failed:
    """What is to be done with one event. Raises nothing, whatever ``event`` is.

    Args:
        event: any object with ``id``, ``author``, ``timestamp`` and ``content``.
        index: its place in the call.
        scope: the app and user, checked.
        session_id: checked, or the sentinel.
        analyzer: takes the keywords from the text.
        metadata: of the whole call, to which the event's own ``custom_metadata`` is added; None when the
            service keeps none.
        expires_at: aware; None for never.
        index_parts: ``"text"``, and ``"function_response"`` or ``"function_response:<name>"``.
    """
    shown: str | None = None
    try:
        shown = _shown(getattr(event, "id", None))
        event_id, content = _read(event, index_parts)
        if not isinstance(content, Visible):
            return Skipped(index, event_id or f"{_DERIVED}none-{index}", content)
        view = _view(event, event_id, content)
        extraction = analyzer.keywords(content.indexed, cap=MAX_EVENT_KEYWORDS)
        if not extraction.keywords:
            return Skipped(index, view.event_id, "stop_words_only")
        mr = _mr(content, _analyzer_stamp(analyzer), _metadata(event, metadata), expires_at)
        body = _body(scope, session_id, view, extraction, mr)
        identity = document_id(scope, session_id, view.event_id)
        return _prepared(index, identity, body, extraction, view.event_id, repaired=view.repaired)
    except (UnstorableError, InvalidInputError) as error:
        return Failed(index, shown, str(error))
    except Exception as error:  # noqa: BLE001 - runs code of the caller's objects, which may raise anything
        return Failed(index, shown, f"cannot be read ({type_name(error)})")


class PlainEvent(NamedTuple):
    """All that is read of a usual event: an id, and a content that is nothing but texts.

    It is a key as well: equal ones are stored as equal documents.
    """

    event_id: str
    author: str | None
    timestamp: float | None
    role: str | None
    texts: tuple[str, ...]


def plain_event(event: Any) -> PlainEvent | None:
    """What is read of ``event``, or None for one that `prepare` has to look at closely."""
    read = plain_texts(getattr(event, "content", None))
    if read is None or getattr(event, "partial", None):
        return None
    event_id, author = getattr(event, "id", None), getattr(event, "author", None)
    if type(event_id) is not str or not event_id or not (author is None or type(author) is str):
        return None
    timestamp = getattr(event, "timestamp", None)
    usual = type(timestamp) is float and (author is None or author.isascii())
    return PlainEvent(event_id, author, timestamp, *read) if usual else None


def prepare_plain(
    event: PlainEvent, *, index: int, scope: MemoryScope, session_id: str, analyzer: Analyzer
) -> Prepared | Skipped | Failed | None:
    """As `prepare`, in half the time; None where there is something to look at closely after all."""
    text = " ".join(filter(None, event.texts))
    if not text or len(text) > MAX_DOCUMENT_BYTES // 4 or not is_encodable(text):
        return None
    try:
        check_id("event id", event.event_id)
        extraction = analyzer.keywords(text, cap=MAX_EVENT_KEYWORDS)
        if not extraction.keywords:
            return Skipped(index, event.event_id, "stop_words_only")
        body = _plain_body(scope, session_id, event, extraction, _analyzer_stamp(analyzer))
        identity = document_id(scope, session_id, event.event_id)
        return _prepared(index, identity, body, extraction, event.event_id, repaired=False)
    except (UnstorableError, InvalidInputError):
        return None


def _plain_body(
    scope: MemoryScope, session_id: str, event: PlainEvent, extraction: Extraction, stamp: str | None
) -> dict[str, Any]:
    content: dict[str, Any] = {"parts": [{"text": part} for part in event.texts]}
    if event.role is not None:
        content["role"] = event.role
    mr: dict[str, Any] = {fields.VERSION: fields.FORMAT_VERSION}
    if stamp is not None:
        mr[fields.ANALYZER] = stamp
    return {
        fields.APP_NAME: scope.app_name,
        fields.USER_ID: scope.user_id,
        fields.SESSION_ID: session_id,
        fields.AUTHOR: event.author,
        fields.KEYWORDS: list(extraction.keywords),
        fields.CONTENT: content,
        fields.TIMESTAMP: event.timestamp,
        fields.MR: mr,
    }


@dataclass(frozen=True, slots=True)
class _View:
    """The fields of an event, checked."""

    event_id: str
    author: str | None
    timestamp: float | None
    content: Visible
    repaired: bool


def _read(event: Any, index_parts: frozenset[str]) -> tuple[str, Visible | SkipReason]:
    """The id, empty where there is none, and the content or why there is none to keep."""
    for name in ("id", "content"):
        if not hasattr(event, name):
            raise UnstorableError(f"event must have {name}, got {type_name(event)} without it")
    event_id = as_str("event id", event.id)
    if event_id:
        check_id("event id", event_id)
    if getattr(event, "partial", None):
        return event_id, "partial"
    return event_id, read_content(event.content, index_parts)


def _view(event: Any, event_id: str, content: Visible) -> _View:
    if len(content.text) > MAX_DOCUMENT_BYTES:  # told before it is split: no character is less than a byte
        raise UnstorableError(f"text is {len(content.text)} characters, limit {MAX_DOCUMENT_BYTES}")
    author, repaired = _author(getattr(event, "author", None))
    timestamp = _timestamp(getattr(event, "timestamp", None))
    event_id = event_id or _derived_id(author, timestamp, content.content)
    return _View(event_id, author, timestamp, content, repaired or content.repaired)


def _author(value: Any) -> tuple[str | None, bool]:
    return (None, False) if value is None else repair(as_str("author", value))


def _timestamp(value: Any) -> float | None:
    """Seconds as a float, kept as it is, also NaN and infinity; None stays None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidTypeError(f"timestamp must be a number, got {type_name(value)}")
    try:
        return float(value)
    except OverflowError:
        raise UnstorableError("timestamp is too large") from None


def _derived_id(author: str | None, timestamp: float | None, content: Mapping[str, Any]) -> str:
    """An id for an event without one: the same event always gets the same."""
    whole = json.dumps([author, timestamp, content], sort_keys=True, separators=(",", ":"))
    return _DERIVED + hashlib.blake2b(whole.encode(), digest_size=_DERIVED_BYTES).hexdigest()


def _body(
    scope: MemoryScope, session_id: str, view: _View, extraction: Extraction, mr: dict[str, Any]
) -> dict[str, Any]:
    return {
        fields.APP_NAME: scope.app_name,
        fields.USER_ID: scope.user_id,
        fields.SESSION_ID: session_id,
        fields.AUTHOR: view.author,
        fields.KEYWORDS: list(extraction.keywords),
        fields.CONTENT: view.content.safe,
        fields.TIMESTAMP: view.timestamp,
        fields.MR: mr,
    }


def _prepared(
    index: int,
    identity: dict[str, str],
    body: dict[str, Any],
    extraction: Extraction,
    event_id: str,
    *,
    repaired: bool,
) -> Prepared:
    return Prepared(
        index=index,
        event_id=event_id,
        identity=identity,
        body=body,
        keywords=extraction.keywords,
        repaired=repaired,
        truncated=extraction.capped or extraction.shortened > 0 or extraction.cut_marks > 0,
        encoded=encode(_document(identity, body, 0)),
    )


def _metadata(event: Any, of_call: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    if of_call is None:
        return None
    return check_metadata({**of_call, **(check_metadata(getattr(event, "custom_metadata", None)) or {})})


def _mr(
    visible: Visible, stamp: str | None, metadata: Mapping[str, Any] | None, expires_at: datetime | None
) -> dict[str, Any]:
    mr: dict[str, Any] = {fields.VERSION: fields.FORMAT_VERSION}
    if stamp is not None:
        mr[fields.ANALYZER] = stamp
    if expires_at is not None:
        mr[fields.EXPIRES_AT] = expires_at
    if metadata:
        mr[fields.METADATA] = dict(metadata)
    if visible.safe is not visible.content:
        mr[fields.CONTENT_JSON] = json.dumps(visible.content, ensure_ascii=False, separators=(",", ":"))
    return mr


def _document(identity: dict[str, str], body: Mapping[str, Any], rev: int) -> dict[str, Any]:
    mr = body[fields.MR]
    ours = {fields.VERSION: mr[fields.VERSION], fields.REVISION: Int64(rev), **mr}
    return {fields.ID: identity, **body, fields.MR: ours}


def analyzer_stamp(analyzer: Analyzer) -> str | None:
    """``"name version"`` as documents carry it; None for the classic default, which they do not name."""
    name, version = analyzer.name, analyzer.version
    return None if (name, version) == ("classic", _CLASSIC_VERSION) else f"{name} {version}"


@lru_cache(maxsize=32)
def _cached_stamp(analyzer: Any) -> str | None:
    return analyzer_stamp(analyzer)


def _analyzer_stamp(analyzer: Analyzer) -> str | None:
    """As `analyzer_stamp`; a fingerprint of thousands of stop words is not taken for every event."""
    key: Any = analyzer
    try:
        return _cached_stamp(key)
    except TypeError:  # an analyzer of somebody else's that cannot be hashed
        return analyzer_stamp(analyzer)


def _shown(event_id: Any) -> str | None:
    """An event id for a report: whole when it is a proper one, else cut and escaped."""
    if not isinstance(event_id, str):
        return None
    text = str.__str__(event_id)
    try:
        return check_id("event id", text)
    except InvalidInputError:
        return text[:_SHOWN_CHARACTERS].encode("ascii", "backslashreplace").decode()
