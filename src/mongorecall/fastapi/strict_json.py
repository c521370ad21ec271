"""Reads JSON as it is specified and no wider: one meaning for every reader, bounded work for us."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from mongorecall.fastapi._refusal import Refusal

MAX_DEPTH = 32
"""Deepest nesting of objects and arrays."""

MAX_DIGITS = 20
"""Most digits in one number."""

# A string (an unterminated one runs to the end, so that no quote is looked at twice), or one bracket.
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', re.DOTALL)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_json(raw: bytes) -> Any:
    """The value of a JSON text in UTF-8.

    Raises:
        Refusal: 422 ``invalid_json``: not JSON, nested deeper than `MAX_DEPTH`, a key twice in one object,
            a number of more than `MAX_DIGITS` digits or beyond a float, NaN, Infinity, half a surrogate pair.
    """
    try:
        text = raw.decode()
        _check_depth(text)
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_no_constant,
            parse_int=_integer,
            parse_float=_float,
        )
        if _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except ValueError:  # also UnicodeError and JSONDecodeError
        raise Refusal(422, "invalid_json") from None
    return value


def _check_depth(text: str) -> None:
    depth = 0
    for match in _STRUCTURE.finditer(text):
        character = text[match.start()]
        if character in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise ValueError("too deep")
        elif character in "]}":
            depth -= 1


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice")
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _check_digits(literal: str) -> None:
    if sum(character.isdigit() for character in literal) > MAX_DIGITS:
        raise ValueError("too many digits")


def _integer(literal: str) -> int:
    _check_digits(literal)
    return int(literal)


def _float(literal: str) -> float:
    _check_digits(literal)
    value = float(literal)
    if not math.isfinite(value):
        raise ValueError("beyond a float")
    return value
