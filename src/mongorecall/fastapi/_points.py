"""Takes a score apart into what each keyword adds, where that can be told exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from mongorecall.fastapi.replies import Points

if TYPE_CHECKING:
    from mongorecall.models import MemoryEntry


def points_of(entry: MemoryEntry, weights: Mapping[str, float] | None = None) -> list[Points]:
    """One point for each keyword, or its weight; empty unless they add up to the score.

    Args:
        entry: a memory that a search returned.
        weights: what each keyword of the query is worth; None where every keyword counts the same.
    """
    worth = {word: 1.0 if weights is None else weights.get(word, 0.0) for word in entry.matched_keywords}
    if entry.score is None or not math.isclose(sum(worth.values()), entry.score, rel_tol=1e-6):
        return []
    counted = sorted(worth.items(), key=lambda pair: (-pair[1], pair[0]))
    return [Points(keyword=word, points=points) for word, points in counted if points]
