"""Checks of arguments, made before any I/O. Messages name the argument and its type, never its value."""

from __future__ import annotations

import math
from datetime import timedelta

from mongorecall.errors import InvalidInputError, InvalidTypeError

MAX_ID_BYTES = 512
"""Longest id in UTF-8 bytes; an id is part of ``_id``, which every document and index entry carries."""

MAX_QUERY_CHARACTERS = 1_000_000
"""Longest query in characters. Keywords are capped far below it; this bounds the work of splitting."""

MAX_RESULTS = 2**31 - 1
"""Largest page of a search: what the server takes as a limit."""

UNKNOWN_SESSION_ID = "__unknown_session_id__"
"""Stands for a session id that the caller left out."""


def type_name(value: object) -> str:
    """The name of a value's class, cut to 64 characters."""
    return type(value).__name__[:64]


def as_str(name: str, value: object) -> str:
    """``value`` as an exact ``str`` (a subclass is copied), else `InvalidTypeError`."""
    if type(value) is str:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    raise InvalidTypeError(f"{name} must be str, got {type_name(value)}")


def check_id(name: str, value: object) -> str:
    """An id: 1 to 512 bytes of UTF-8 without control characters or surrogates; never normalised."""
    text = as_str(name, value)
    if not text:
        raise InvalidInputError(f"{name} must not be empty")
    if len(text) > MAX_ID_BYTES:
        raise InvalidInputError(f"{name}: {len(text)} characters, limit {MAX_ID_BYTES} bytes")
    if not (text.isascii() and text.isprintable()):
        _check_characters(name, text)
    return text


def _check_characters(name: str, text: str) -> None:
    for position, character in enumerate(text):
        code = ord(character)
        if code < 0x20 or 0x7F <= code < 0xA0:
            raise InvalidInputError(f"{name}: control character U+{code:04X} at {position}")
        if 0xD800 <= code <= 0xDFFF:
            raise InvalidInputError(f"{name}: surrogate U+{code:04X} at {position}")
    size = len(text.encode())
    if size > MAX_ID_BYTES:
        raise InvalidInputError(f"{name}: {size} bytes, limit {MAX_ID_BYTES}")


def check_optional_id(name: str, value: object) -> str | None:
    """An id or None."""
    return None if value is None else check_id(name, value)


def check_session_for_add(value: object) -> str:
    """The session id to store: None is the sentinel; the sentinel itself and ``""`` are refused."""
    if value is None:
        return UNKNOWN_SESSION_ID
    session_id = check_id("session_id", value)
    if session_id == UNKNOWN_SESSION_ID:
        raise InvalidInputError(f"session_id: {UNKNOWN_SESSION_ID} is reserved; pass None instead")
    return session_id


def check_query(value: object) -> str:
    """The query text: any ``str`` up to `MAX_QUERY_CHARACTERS`; the empty string is a normal query."""
    text = as_str("query", value)
    if len(text) > MAX_QUERY_CHARACTERS:
        raise InvalidInputError(f"query: {len(text)} characters, limit {MAX_QUERY_CHARACTERS}")
    return text


def check_int(name: str, value: object, *, low: int = 1, high: int = MAX_RESULTS) -> int:
    """An ``int`` from ``low`` to ``high``; bool and float are refused."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidTypeError(f"{name} must be an int from {low} to {high}, got {type_name(value)}")
    if not low <= value <= high:
        shown = f"{value}" if abs(value) < 10**12 else "a far larger number"
        raise InvalidInputError(f"{name} must be an int from {low} to {high}, got {shown}")
    return int(value)


def check_bool(name: str, value: object) -> bool:
    """A ``bool``; anything merely truthy is refused."""
    if not isinstance(value, bool):
        raise InvalidTypeError(f"{name} must be bool, got {type_name(value)}")
    return value


def check_number(name: str, value: object) -> float:
    """A finite ``int`` or ``float``."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidTypeError(f"{name} must be a number, got {type_name(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidInputError(f"{name} must be finite")
    return number


def check_duration(name: str, value: object, *, low: timedelta, high: timedelta) -> timedelta:
    """A ``timedelta`` or a number of seconds, from ``low`` to ``high``."""
    duration = value if isinstance(value, timedelta) else _seconds(name, value)
    if not low <= duration <= high:
        raise InvalidInputError(
            f"{name} must be from {low.total_seconds():g} to {high.total_seconds():g} seconds"
        )
    return duration


def _seconds(name: str, value: object) -> timedelta:
    try:
        return timedelta(seconds=check_number(name, value))
    except OverflowError:
        raise InvalidInputError(f"{name} is too large") from None
    except InvalidTypeError:
        raise InvalidTypeError(
            f"{name} must be a timedelta or a number of seconds, got {type_name(value)}"
        ) from None
