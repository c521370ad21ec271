"""The one order of every search: score, then time, both falling, then ``_id``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mongorecall._documents import id_key, time_key
from mongorecall._documents.order import quick_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mongorecall._ranking._protocol import Ranked


def in_order(rows: Iterable[Ranked]) -> list[Ranked]:
    """``rows`` best first. Times compare as the server sorts them, so any stored value has its place."""
    listed = list(rows)
    quick = [quick_key(row.document) for row in listed]
    if None not in quick:
        pairs = sorted(
            (
                (-row.score, -key[0], key[1], key[2], at)
                for at, (row, key) in enumerate(zip(listed, quick, strict=True))
                if key
            ),
        )
        return [listed[pair[-1]] for pair in pairs]
    listed.sort(key=lambda row: id_key(row.document))
    listed.sort(key=lambda row: (row.score, time_key(row.document)), reverse=True)
    return listed
