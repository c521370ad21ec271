"""Scores taken apart, for searches that ask: what each memory of a page got, and for what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from mongorecall.models import ScorePart

if TYPE_CHECKING:
    from mongorecall._ranking._protocol import Ranked
    from mongorecall._ranking.page import PageBuilder

PartsOf = Callable[[list["Ranked"]], Iterable[tuple[ScorePart, ...]]]
"""Rows of a search → the parts of each."""


def own_parts(matched: Iterable[str], weights: Mapping[str, float]) -> tuple[ScorePart, ...]:
    """The parts of a score that is the sum of the weights of ``matched``, the heaviest first."""
    parts = [
        ScorePart(kind="keyword", contribution=weights[word], keyword=word, weight=weights[word], factor=1.0)
        for word in matched
    ]
    return by_contribution(parts)


def by_contribution(parts: Iterable[ScorePart]) -> tuple[ScorePart, ...]:
    """Parts by falling contribution, then by keyword."""
    return tuple(sorted(parts, key=lambda part: (-part.contribution, part.keyword or "")))


def take_with_parts(page: PageBuilder, rows: Iterable[Ranked], parts_of: PartsOf) -> None:
    """Fill a page as `PageBuilder.take` does, and give each memory that is added the parts of its score."""
    kept, first = [], len(page.memories)
    for row in rows:
        before = len(page.memories)
        page.take((row,))
        if len(page.memories) > before:
            kept.append(row)
        if page.more:
            break
    for memory, parts in zip(page.memories[first:], parts_of(kept), strict=True):
        memory.score_parts = parts
