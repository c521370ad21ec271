"""The order in which MongoDB sorts values, for the fields that memories are sorted by."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bson.binary import Binary
from bson.decimal128 import Decimal128
from bson.max_key import MaxKey
from bson.min_key import MinKey
from bson.objectid import ObjectId
from bson.regex import Regex
from bson.timestamp import Timestamp

from mongorecall._documents.times import aware

OrderKey = tuple[Any, ...]
"""Compares with every other key: first the rank of the type, then what compares within it."""

_EMPTY_ARRAY: OrderKey = (0.5,)
_NULL: OrderKey = (1,)


def order_key(value: Any) -> OrderKey:
    """Where a value stands in an ascending sort. A missing field is None; an array stands for itself."""
    if value is None:
        return _NULL
    if isinstance(value, bool):
        return (8, value)
    if isinstance(value, int | float | Decimal128):
        return _number(value)
    if isinstance(value, str):
        return (3, value.encode("utf-8", "surrogatepass"))
    if isinstance(value, Mapping):
        return (4, tuple((order_key(item)[0], name.encode(), order_key(item)) for name, item in value.items()))
    if isinstance(value, list | tuple):
        return (5, tuple(order_key(item) for item in value))
    return _rare(value)


def falling_key(value: Any) -> OrderKey:
    """Where a value stands in a falling sort: an array by its largest element, an empty one before null."""
    if isinstance(value, list | tuple):
        return max(map(order_key, value), default=_EMPTY_ARRAY)
    return order_key(value)


def _number(value: Any) -> OrderKey:
    number = value.to_decimal() if isinstance(value, Decimal128) else value
    return (2, 0) if math.isnan(number) else (2, 1, number)


def _rare(value: Any) -> OrderKey:
    """Types that only somebody else's documents hold there."""
    if isinstance(value, MinKey):
        return (0,)
    if isinstance(value, MaxKey):
        return (99,)
    if isinstance(value, bytes):
        subtype = value.subtype if isinstance(value, Binary) else 0
        return (6, len(value), subtype, bytes(value))
    if isinstance(value, ObjectId):
        return (7, value.binary)
    if isinstance(value, datetime):
        return (9, aware(value))
    if isinstance(value, Timestamp):
        return (10, value.time, value.inc)
    if isinstance(value, Regex):
        return (11, str(value.pattern), value.flags)
    return (12, type(value).__name__)
