"""JSON values → what BSON holds without loss; the rest is refused, for a reason that shows no content."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

from pydantic_core import PydanticSerializationError, to_jsonable_python

from mongorecall._checks import type_name
from mongorecall.errors import InvalidInputError, InvalidTypeError

MAX_DEPTH = 200
"""Deepest nesting that is kept at all."""

BSON_DEPTH = 80
"""Deepest nesting stored as BSON: the server takes 100 levels, and commands add some of their own."""

_REFERENCE_KEYS = frozenset({"$ref", "$id", "$db"})
"""A document with these is a reference to the driver, which hands over another object."""

_LARGEST_INT = 2**63 - 1
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


class UnstorableError(ValueError):
    """A value cannot be stored; the message says why, without the value."""


def repair(text: str) -> tuple[str, bool]:
    """``text`` with lone surrogates replaced by U+FFFD, and whether there were any."""
    if text.isascii():
        return text, False
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(_REPLACEMENT if "\ud800" <= c <= "\udfff" else c for c in text), True
    return text, False


class Cleaner:
    """Copies JSON-like values so that they can be stored.

    Attributes:
        repaired: lone surrogates, NaN or infinity were replaced.
        lossy: BSON would not give the value back as it is; see `bson_safe`.
    """

    __slots__ = ("lossy", "repaired")

    def __init__(self) -> None:
        self.repaired = False
        self.lossy = False

    def clean(self, value: Any, depth: int = 1) -> Any:
        """``value`` as JSON values that can be stored exactly; `UnstorableError` where that cannot be."""
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, int):
            return _checked_int(value)
        if isinstance(value, float):
            return self._number(value)
        if isinstance(value, Mapping | list | tuple):
            return self._nested(value, depth)
        raise UnstorableError(f"a value of type {type_name(value)} cannot be stored")

    def text(self, value: str) -> str:
        """``value`` without lone surrogates."""
        text, repaired = repair(str.__str__(value))
        self.repaired |= repaired
        return text

    def _number(self, value: float) -> float | None:
        if math.isfinite(value):
            return float(value)
        self.repaired = True
        return None

    def _nested(self, value: Any, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise UnstorableError(f"nested deeper than {MAX_DEPTH} levels")
        self.lossy |= depth > BSON_DEPTH
        if isinstance(value, Mapping):
            return {self._key(key): self.clean(item, depth + 1) for key, item in value.items()}
        return list(value) if are_plain_numbers(value) else [self.clean(item, depth + 1) for item in value]

    def _key(self, key: Any) -> str:
        if not isinstance(key, str):
            raise UnstorableError(f"a key of type {type_name(key)} cannot be stored")
        if "\0" in key:
            raise UnstorableError("a key with a NUL character cannot be stored")
        self.lossy |= key in _REFERENCE_KEYS
        return self.text(key)


def are_plain_numbers(values: Collection[Any]) -> bool:
    """Whether a list is all 64-bit ints or all finite floats, as of an embedding: told at the speed of C."""
    kinds = set(map(type, values))
    if kinds == {int}:
        return bool(min(values) >= -_LARGEST_INT - 1 and max(values) <= _LARGEST_INT)
    return kinds == {float} and all(map(math.isfinite, values))


def _checked_int(value: int) -> int:
    if not -_LARGEST_INT - 1 <= value <= _LARGEST_INT:
        raise UnstorableError("an integer over 64 bits cannot be stored")
    return int(value)


def bson_safe(value: Any, depth: int = 1) -> Any:
    """A clean value with null in the place of what BSON would not give back."""
    if isinstance(value, dict):
        if depth > BSON_DEPTH or not _REFERENCE_KEYS.isdisjoint(value):
            return None
        return {key: bson_safe(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return None if depth > BSON_DEPTH else [bson_safe(item, depth + 1) for item in value]
    return value


def as_json(value: Any) -> Any:
    """``value`` as JSON values, bytes as base64; lone surrogates and non-finite numbers pass."""
    try:
        return to_jsonable_python(value, bytes_mode="base64", inf_nan_mode="constants")
    except PydanticSerializationError:
        raise UnstorableError("holds a value that JSON cannot") from None


def check_metadata(value: object) -> dict[str, Any] | None:
    """Custom metadata of a call, copied so that it can be stored; None for none.

    Raises:
        InvalidTypeError: it is not a mapping.
        InvalidInputError: a key or value cannot be stored, or BSON would not give it back.
    """
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise InvalidTypeError(f"custom_metadata must be a mapping, got {type_name(value)}")
    cleaner = Cleaner()
    try:
        clean: dict[str, Any] = cleaner.clean(as_json(dict(value)))
    except (UnstorableError, UnicodeError, RecursionError, ValueError) as error:
        reason = str(error) if isinstance(error, UnstorableError) else type_name(error)
        raise InvalidInputError(f"custom_metadata: {reason}") from None
    if cleaner.lossy:
        raise InvalidInputError("custom_metadata: nested too deeply, or a key is $ref, $id or $db")
    return clean or None
