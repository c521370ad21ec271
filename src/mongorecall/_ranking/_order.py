"""The one order of every search: score, then time, both falling, then ``_id``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mongorecall._documents import fields, id_key, time_key
from mongorecall._documents.order import quick_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mongorecall._ranking._protocol import Ranked


def in_order(rows: Iterable[Ranked]) -> list[Ranked]:
    """``rows`` best first. Times compare as the server sorts them, so any stored value has its place."""
    listed = list(rows)
    ranks: list[tuple[float, float, int]] = []
    for at, row in enumerate(listed):
        time = row.document.get(fields.TIMESTAMP)
        if type(time) is not float or time != time:  # noqa: PLR0124 - NaN
            return _in_full_order(listed)
        ranks.append((-row.score, -time, at))
    ranks.sort()
    return _by_id_within([listed[at] for _, _, at in ranks], [rank[:2] for rank in ranks])


def _in_full_order(rows: list[Ranked]) -> list[Ranked]:
    rows.sort(key=lambda row: id_key(row.document))
    rows.sort(key=lambda row: (row.score, time_key(row.document)), reverse=True)
    return rows


def _by_id_within(rows: list[Ranked], ranks: list[tuple[float, float]]) -> list[Ranked]:
    """``rows`` with those of one rank in the order of ``_id``; hardly ever are there two."""
    start = 0
    for end in range(1, len(rows) + 1):
        if end == len(rows) or ranks[end] != ranks[start]:
            if end - start > 1:
                rows[start:end] = _by_id(rows[start:end])
            start = end
    return rows


def _by_id(rows: list[Ranked]) -> list[Ranked]:
    keys = [quick_key(row.document) for row in rows]
    if None in keys:
        return sorted(rows, key=lambda row: id_key(row.document))
    pairs = sorted((key, at) for at, key in enumerate(keys) if key)
    return [rows[at] for _, at in pairs]
