"""What a search asks for: the one argument of every plan."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from mongorecall.models import MemoryScope, SearchFilters


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search, ready to be planned.

    Attributes:
        collection: name of the collection, for pipelines that read it more than once.
        scope: the app and user whose memories are searched, and no others.
        keywords: distinct query keywords, at least one.
        filters: what narrows the search; its ``limit`` is not looked at here.
        fetch: rows wanted, at least 1: the page and a margin for rows that will be dropped.
        now: the present by the server's clock, aware; memories that have expired by then do not match. None
            lets them match.
        weights: what each keyword adds to the score, above 0; every keyword adds 1 when None. Sums must not
            depend on the order of adding: multiples of one power of two.
    """

    collection: str
    scope: MemoryScope
    keywords: tuple[str, ...]
    fetch: int
    now: datetime | None
    filters: SearchFilters = field(default_factory=SearchFilters)
    weights: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        if not self.keywords:
            raise ValueError("a search without keywords matches nothing and has no plan")
        if self.fetch < 1:
            raise ValueError("fetch must be at least 1")

    @property
    def floor(self) -> float:
        """The lowest score asked for; 0 when every match is. A count of keywords is rounded up."""
        asked = self.filters.min_score
        if asked is None or asked <= 0:
            return 0
        return asked if self.weights is not None else math.ceil(asked)
