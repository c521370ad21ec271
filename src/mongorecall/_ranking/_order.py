"""The one order of every search: score, then time, both falling, then ``_id``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mongorecall._documents import id_key, time_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mongorecall._ranking._protocol import Ranked


def in_order(rows: Iterable[Ranked]) -> list[Ranked]:
    """``rows`` best first. Times compare as the server sorts them, so any stored value has its place."""
    by_id = sorted(rows, key=lambda row: id_key(row.document))
    by_id.sort(key=lambda row: (row.score, time_key(row.document)), reverse=True)
    return by_id
