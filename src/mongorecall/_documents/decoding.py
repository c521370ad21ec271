"""A stored document → the memory that is returned."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

from pydantic import ValidationError

from mongorecall._checks import UNKNOWN_SESSION_ID
from mongorecall._documents import fields
from mongorecall._documents._content import visible_text
from mongorecall._documents._storable import Cleaner, UnstorableError
from mongorecall._documents.times import format_time
from mongorecall.models import LentKeyword, MemoryEntry

Fault = Literal["content_missing", "content_unreadable"]

_validate: Callable[[Any], MemoryEntry] = MemoryEntry.__pydantic_validator__.validate_python
"""``MemoryEntry.model_validate`` without its wrapping, which costs a third of it, for every row of a page."""

_TEXT_CONTENT = frozenset({"parts", "role"})
_MAPPINGS = (dict, Mapping)
"""The first spares most rows the second, which is asked for its abstract base class."""

_ONLY_STR = frozenset({str})

_NOTHING: Mapping[str, Any] = MappingProxyType({})

DuplicateKey = tuple[str | None, str, str | None]


class MalformedDocument(Exception):  # noqa: N818 - names what it is about, and never leaves the library
    """A document whose content cannot be read; ``kind`` says how, without content."""

    def __init__(self, kind: Fault) -> None:
        super().__init__(kind)
        self.kind: Fault = kind


def decode(
    document: Mapping[str, Any],
    *,
    metadata: bool = True,
    score: float | None = None,
    matched: Sequence[str] = (),
    lent: Sequence[LentKeyword] = (),
) -> MemoryEntry:
    """The memory a document holds, whoever wrote it, with what a ranking gave it.

    Only unreadable content makes it malformed. An unreadable time is None; so is an author, session or
    event id that is no text. ``metadata=False`` leaves out the custom metadata.

    Raises:
        MalformedDocument: the content is missing or no content.
    """
    mr = _ours(document)
    identity = document.get(fields.ID)
    event_id = identity.get(fields.EVENT_ID) if isinstance(identity, _MAPPINGS) else identity
    author = document.get(fields.AUTHOR)
    session_id = document.get(fields.SESSION_ID)
    if session_id == UNKNOWN_SESSION_ID or not isinstance(session_id, str):
        session_id = None
    values: dict[str, Any] = {
        "content": _readable_content(document, mr),
        "id": event_id if isinstance(event_id, str) else None,
        "author": author if isinstance(author, str) else None,
        "timestamp": format_time(document.get(fields.TIMESTAMP)),
        "session_id": session_id,
        "score": score,
        "matched_keywords": list(matched),
    }
    if lent:
        values["lent_keywords"] = list(lent)
    if metadata and mr and isinstance(stored := mr.get(fields.METADATA), Mapping):
        values["custom_metadata"] = dict(stored)
    try:
        return _validate(values)
    except ValidationError:
        raise MalformedDocument("content_unreadable") from None


def duplicate_key(entry: MemoryEntry) -> DuplicateKey:
    """Entries with the same author, text and time are one memory; the first in the order stays.

    Memories without text (function responses) are told apart by the whole content.
    """
    text = entry.content.text
    if not text and entry.content.parts:
        text = repr(entry.content)
    return (entry.author, text, entry.timestamp)


def stored_text(document: Mapping[str, Any]) -> str:
    """The visible text of a document; empty where its content is malformed."""
    content, mr = document.get(fields.CONTENT), _ours(document)
    if type(content) is dict and fields.CONTENT_JSON not in mr and _is_one_text(content):
        text: str = content["parts"][0]["text"]
        return text
    try:
        return visible_text(_stored_content(document, mr))
    except (MalformedDocument, AttributeError, TypeError, KeyError):
        return ""


def stored_content(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The content of a document as it was given; `MalformedDocument` where there is none."""
    return _stored_content(document, _ours(document))


def stored_keywords(document: Mapping[str, Any]) -> frozenset[str]:
    """The keywords of a document; a string counts as a list of one, anything else as none."""
    keywords = document.get(fields.KEYWORDS)
    if type(keywords) is list and _ONLY_STR.issuperset(map(type, keywords)):
        return frozenset(keywords)  # nearly always
    if isinstance(keywords, str):
        return frozenset((keywords,))
    if isinstance(keywords, list):
        return frozenset(word for word in keywords if isinstance(word, str))
    return frozenset()


def printed_key(document: Mapping[str, Any]) -> str:
    """``app/user`` of a document or of a row of a search, for a log: ids only, each cut to 64 characters."""
    identity = document.get(fields.ID)
    known = {**identity, **document} if isinstance(identity, Mapping) else document
    return "/".join(str(known.get(name))[:64] for name in (fields.APP_NAME, fields.USER_ID))


def _ours(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """``mr`` of a format that we know, else nothing."""
    mr = document.get(fields.MR)
    if isinstance(mr, _MAPPINGS) and mr.get(fields.VERSION) == fields.FORMAT_VERSION:
        return mr
    return _NOTHING


def _readable_content(document: Mapping[str, Any], mr: Mapping[str, Any]) -> Mapping[str, Any]:
    """Stored content without the values that only BSON knows."""
    stored = _stored_content(document, mr)
    if _is_one_text(stored):
        return stored
    try:
        clean: dict[str, Any] = Cleaner().clean(stored)
    except UnstorableError:
        raise MalformedDocument("content_unreadable") from None
    return clean


def _stored_content(document: Mapping[str, Any], mr: Mapping[str, Any]) -> Mapping[str, Any]:
    content = document.get(fields.CONTENT)
    if content is None:
        raise MalformedDocument("content_missing")
    if mr and isinstance(exact := mr.get(fields.CONTENT_JSON), str):
        try:
            content = json.loads(exact)
        except ValueError:
            raise MalformedDocument("content_unreadable") from None
    if not isinstance(content, _MAPPINGS):
        raise MalformedDocument("content_unreadable")
    return content


def _is_one_text(content: Mapping[str, Any]) -> bool:
    """Whether there is nothing but one text in it, as in nearly every turn: no odd BSON value can be."""
    parts = content.get("parts")
    if type(parts) is not list or len(parts) != 1 or not content.keys() <= _TEXT_CONTENT:
        return False
    part = parts[0]
    return type(part) is dict and len(part) == 1 and type(part.get("text")) is str
