"""The order in which MongoDB sorts values, for the fields that memories are sorted by."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from bson.binary import Binary
from bson.decimal128 import Decimal128
from bson.max_key import MaxKey
from bson.min_key import MinKey
from bson.objectid import ObjectId
from bson.regex import Regex
from bson.timestamp import Timestamp

from mongorecall._documents import fields
from mongorecall._documents.times import aware, format_time

OrderKey = tuple[Any, ...]
"""Compares with every other key: first the rank of the type, then what compares within it."""

_EMPTY_ARRAY: OrderKey = (0.5,)
_NULL: OrderKey = (1,)


def order_key(value: Any) -> OrderKey:
    """Where a value stands in an ascending sort. A missing field is None; an array stands for itself."""
    for types, key in _KEYS:
        if isinstance(value, types):
            return key(value)
    return (12, type(value).__name__)


def falling_key(value: Any) -> OrderKey:
    """Where a value stands in a falling sort: an array by its largest element, an empty one before null."""
    if isinstance(value, list | tuple):
        return max(map(order_key, value), default=_EMPTY_ARRAY)
    return order_key(value)


def id_key(document: Mapping[str, Any]) -> OrderKey:
    """Where a document stands in the order of ``_id``, rising."""
    return order_key(document.get(fields.ID))


def time_key(document: Mapping[str, Any]) -> OrderKey:
    """Where a document stands in the order of time; to be sorted falling."""
    return falling_key(document.get(fields.TIMESTAMP))


def time_span(documents: Iterable[Mapping[str, Any]]) -> tuple[str | None, str | None]:
    """The first and last time of ``documents`` in the order of the server, printed; null counts for none."""
    times = [time for one in documents if (time := one.get(fields.TIMESTAMP)) is not None]
    if not times:
        return None, None
    return format_time(min(times, key=order_key)), format_time(max(times, key=order_key))


def quick_key(document: Mapping[str, Any]) -> tuple[float, str, str] | None:
    """Time, session and event of an ordinary document of a scope; None for any other.

    Such keys of one scope stand in the order of time and then ``_id``, and cost a twentieth of the others.
    """
    time, identity = document.get(fields.TIMESTAMP), document.get(fields.ID)
    if type(time) is not float or time != time or type(identity) is not dict:  # noqa: PLR0124 - NaN
        return None
    if tuple(identity) != _IDENTITY:
        return None
    _, _, session, event = identity.values()
    return (time, session, event) if type(session) is str and type(event) is str else None


_IDENTITY = (fields.APP_NAME, fields.USER_ID, fields.SESSION_ID, fields.EVENT_ID)


def _number(value: Any) -> OrderKey:
    number = value.to_decimal() if isinstance(value, Decimal128) else value
    return (2, 0) if math.isnan(number) else (2, 1, number)


def _fields(value: Mapping[str, Any]) -> OrderKey:
    """Sub-documents compare field by field: type, then name, then value."""
    keys = [(name, order_key(item)) for name, item in value.items()]
    return (4, tuple((key[0], name.encode(), key) for name, key in keys))


def _binary(value: bytes) -> OrderKey:
    return (6, len(value), value.subtype if isinstance(value, Binary) else 0, bytes(value))


_KEYS: tuple[tuple[tuple[type, ...], Callable[[Any], OrderKey]], ...] = (
    ((MinKey,), lambda _: (0,)),
    ((type(None),), lambda _: _NULL),
    ((bool,), lambda value: (8, value)),
    ((int, float, Decimal128), _number),
    ((str,), lambda value: (3, value.encode("utf-8", "surrogatepass"))),
    ((Mapping,), _fields),
    ((list, tuple), lambda value: (5, tuple(map(order_key, value)))),
    ((bytes,), _binary),
    ((ObjectId,), lambda value: (7, value.binary)),
    ((datetime,), lambda value: (9, aware(value))),
    ((Timestamp,), lambda value: (10, value.time, value.inc)),
    ((Regex,), lambda value: (11, str(value.pattern), value.flags)),
    ((MaxKey,), lambda _: (99,)),
)
"""The first type that fits; bool stands before int, which it is a kind of."""
