"""A document encoded once: its revision can be set later without encoding again, and bytes are compared."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import bson
from bson.errors import InvalidDocument
from bson.raw_bson import RawBSONDocument

from mongorecall._documents import fields
from mongorecall._documents._storable import UnstorableError

MAX_DOCUMENT_BYTES = 16_000_000
"""Largest document: 777,216 bytes below the server's limit, which leaves room for what a command adds."""

_REVISION = struct.Struct("<q")
_HEADER = 4
_MR_NAME = len(b"\x03mr\x00")
_REVISION_IN_MR = 4 + len(b"\x10v\x00") + 4 + len(b"\x12rev\x00")
_BARE_MR = _REVISION_IN_MR + 8 + 1
"""Bytes of ``mr {v, rev}``, which most documents have."""

_LENGTH = struct.Struct("<i")
_IDENTITY = 4 + len(b"\x03_id\x00")
"""Where ``_id`` begins: it is the first field of whatever is stored."""


@dataclass(slots=True, repr=False)
class Encoded:
    """BSON of a document whose last field is ``mr {v, rev, …}``; ``offset`` is where the revision stands."""

    data: bytes
    offset: int

    def with_revision(self, rev: int) -> RawBSONDocument:
        """The document with this revision."""
        start = self.offset
        return RawBSONDocument(self.data[:start] + _REVISION.pack(rev) + self.data[start + _REVISION.size :])

    def revision_in(self, stored: bytes) -> int | None:
        """The revision of ``stored`` when it is this document but for that; None when it is another."""
        start, end = self.offset, self.offset + _REVISION.size
        if (
            len(stored) != len(self.data)
            or stored[end:] != self.data[end:]
            or stored[:start] != self.data[:start]
        ):
            return None
        return int(_REVISION.unpack_from(stored, start)[0])


def identity_of(raw: bytes) -> bytes:
    """The ``_id`` of an encoded document, still encoded: equal for equal ids, and found without decoding."""
    return raw[_IDENTITY : _IDENTITY + _LENGTH.unpack_from(raw, _IDENTITY)[0]]


def encode(document: Mapping[str, Any]) -> Encoded:
    """Encode a document that ends with ``mr {v, rev, …}``.

    Raises:
        UnstorableError: it is too large, or BSON cannot hold it.
    """
    try:
        data = bson.encode(document)
        mr = document[fields.MR]
        tail = _BARE_MR if len(mr) == 2 else len(bson.encode(mr))
    except (InvalidDocument, OverflowError, RecursionError, UnicodeError) as error:
        raise UnstorableError(f"cannot be encoded ({type(error).__name__})") from None
    if len(data) > MAX_DOCUMENT_BYTES:
        raise UnstorableError(f"document is {len(data)} bytes, limit {MAX_DOCUMENT_BYTES}")
    return Encoded(data, len(data) - 1 - tail + _REVISION_IN_MR)


def same_but_revision(new: RawBSONDocument, stored: RawBSONDocument, *, keep_deadline: bool = False) -> bool:
    """Whether writing ``new`` over ``stored`` would change nothing but the revision.

    A document of google-adk, which has no ``mr``, is the same when ``mr`` would say nothing of its own.

    Args:
        new: as `Prepared.raw` makes it.
        stored: as it was read.
        keep_deadline: a memory that already has a deadline keeps it when the new one is not earlier.
            Retention counts from the first add, so re-adding a session rewrites nothing; a ttl of this
            call is compared as it is.
    """
    new_head, new_mr = _split(new)
    stored_head, stored_mr = _split(stored)
    if new_head != stored_head:
        return False
    ours, theirs = _without_revision(new_mr), _without_revision(stored_mr)
    if keep_deadline:
        _align_deadlines(ours, theirs)
    return ours == theirs


def _split(document: RawBSONDocument) -> tuple[bytes, Mapping[str, Any]]:
    """The bytes before ``mr`` (whole, without header and end, where there is none at the end) and ``mr``."""
    raw = bytes(document.raw)
    mr = document.get(fields.MR)
    if not isinstance(mr, RawBSONDocument):
        return raw[_HEADER:-1], {}
    return raw[_HEADER : -1 - len(mr.raw) - _MR_NAME], bson.decode(mr.raw)


def _without_revision(mr: Mapping[str, Any]) -> dict[str, Any]:
    return {fields.VERSION: fields.FORMAT_VERSION} | {
        name: value for name, value in mr.items() if name != fields.REVISION
    }


def _align_deadlines(ours: dict[str, Any], theirs: Mapping[str, Any]) -> None:
    new, stored = ours.get(fields.EXPIRES_AT), theirs.get(fields.EXPIRES_AT)
    if isinstance(new, datetime) and isinstance(stored, datetime) and stored <= new:
        ours[fields.EXPIRES_AT] = stored
