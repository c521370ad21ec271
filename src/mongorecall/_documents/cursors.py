"""Cursors of lists: the place after which the next page begins, as opaque text."""

from __future__ import annotations

import base64
import json

from mongorecall.errors import InvalidInputError

MAX_PAGE = 1000
"""Most entries of one page of a list."""


def pack_cursor(*ids: str) -> str:
    """A cursor after these ids."""
    return base64.urlsafe_b64encode(json.dumps(ids).encode()).decode()


def unpack_cursor(cursor: str, length: int) -> tuple[str, ...]:
    """The ids of a cursor; `InvalidInputError` for text that is none."""
    try:
        ids = json.loads(base64.urlsafe_b64decode(cursor.encode("ascii")))
    except (ValueError, RecursionError):
        ids = None
    if not (isinstance(ids, list) and len(ids) == length and all(_is_text(one) for one in ids)):
        raise InvalidInputError("cursor is not one that a page gave")
    return tuple(ids)


def _is_text(value: object) -> bool:
    """Whether it is a ``str`` that BSON can hold: JSON can spell lone surrogates."""
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)
