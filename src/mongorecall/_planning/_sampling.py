"""The sample of a scope: two reads along the index of ``_id``, which every collection has.

The first finds the first and the last session; the second takes short runs of neighbouring turns between
them and counts the scope. Only keywords and times are read, and markers cost nothing. Runs start at ids
spread evenly from the first to the last, so any scheme of ids works; badly spread ids make a poorer sample.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, Final

from mongorecall._documents import fields, id_range
from mongorecall._planning._stages import Pipeline, chained
from mongorecall._planning._table import ScopeTable
from mongorecall.models import MemoryScope

RUNS: Final = 12
RUN_TURNS: Final = 48
SAMPLE_ROWS: Final = RUNS * RUN_TURNS + 1

_COUNT: Final = "n"
_DIGITS: Final = 8  # of an id behind what all share, that are told apart
_ALPHABETS: Final = (
    string.digits,
    "0123456789abcdef",
    string.digits + string.ascii_uppercase + string.ascii_lowercase,
)


def ends_pipeline(collection: str, scope: MemoryScope) -> Pipeline:
    """The first and the last ``session_id`` of a scope, in two rows; none for an empty scope."""
    within = {"$match": id_range(scope)}
    ends: list[Pipeline] = [
        [within, {"$sort": {fields.ID: direction}}, {"$limit": 1}, {"$project": {fields.ID: 1}}]
        for direction in (1, -1)
    ]
    return chained(collection, ends, 2)


def session_ids(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """What `ends_pipeline` found."""
    found = [row[fields.ID][fields.SESSION_ID] for row in rows]
    return [session_id for session_id in found if isinstance(session_id, str)]


def sample_pipeline(collection: str, scope: MemoryScope, ends: Sequence[str], random: Random) -> Pipeline:
    """Keywords and times of about `RUNS` times `RUN_TURNS` turns, and a row with the size of the scope.

    Args:
        collection: its name.
        scope: whose turns.
        ends: the first and the last session id.
        random: shifts the runs, so that another sample sees other turns.
    """
    first, last = ends[0], ends[-1]
    starts = [
        first,
        *(place_between(first, last, (run - random.random()) / (RUNS - 1)) for run in range(1, RUNS - 1)),
    ]
    runs = [_run(id_range(scope, after=(start, "")), 1) for start in starts]
    runs.append(_run(id_range(scope), -1))
    count: Pipeline = [{"$match": id_range(scope)}, {"$count": _COUNT}]
    return chained(collection, [*runs, count], SAMPLE_ROWS)


def table_of(rows: Iterable[Mapping[str, Any]]) -> ScopeTable | None:
    """The table of what `sample_pipeline` found; None when no turn of the scope has keywords."""
    turns: dict[Any, Mapping[str, Any]] = {}
    stored = 0
    for row in rows:
        if _COUNT in row:
            stored = row[_COUNT]
        else:
            turns[repr(row[fields.ID])] = row  # runs of a small scope overlap
    return ScopeTable.of(turns.values(), stored)


def _run(within: Mapping[str, Any], direction: int) -> Pipeline:
    return [
        {"$match": within},
        {"$sort": {fields.ID: direction}},
        {"$limit": RUN_TURNS},
        {"$project": {fields.KEYWORDS: 1, fields.TIMESTAMP: 1}},
    ]


def place_between(first: str, last: str, part: float) -> str:
    """A string at about ``part`` of the way from ``first`` to ``last``, in their alphabet."""
    pairs = zip(first, last, strict=False)
    shared = next(
        (place for place, (one, other) in enumerate(pairs) if one != other), min(len(first), len(last))
    )
    ends = first[shared : shared + _DIGITS], last[shared : shared + _DIGITS]
    letters = set("".join(ends)) - {"-"}
    alphabet = next((known for known in _ALPHABETS if letters <= set(known)), _ALPHABETS[-1])
    low, high = (_as_number(end, alphabet) for end in ends)
    return first[:shared] + _as_text(low + int(part * (high - low)), alphabet)


def _as_number(text: str, alphabet: str) -> int:
    """``text`` as a number of `_DIGITS` digits; characters outside the alphabet count as the lowest."""
    number = 0
    for character in text.ljust(_DIGITS, alphabet[0]):
        number = number * len(alphabet) + max(0, alphabet.find(character))
    return number


def _as_text(number: int, alphabet: str) -> str:
    digits = []
    for _ in range(_DIGITS):
        number, digit = divmod(number, len(alphabet))
        digits.append(alphabet[digit])
    return "".join(reversed(digits))
