"""What a search asks for: the one argument of every plan."""

from __future__ import annotations

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
        now: the present by the server's clock, aware; memories that have expired by then do not match.
        weights: what each keyword adds to the score; every keyword adds 1 when None.
    """

    collection: str
    scope: MemoryScope
    keywords: tuple[str, ...]
    fetch: int
    now: datetime
    filters: SearchFilters = field(default_factory=SearchFilters)
    weights: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        if not self.keywords:
            raise ValueError("a search without keywords matches nothing and has no plan")
        if self.fetch < 1:
            raise ValueError("fetch must be at least 1")
