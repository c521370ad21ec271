"""Requests and tables for tests of decisions."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from mongorecall._planning import ScopeTable, SearchRequest
from mongorecall.models import SearchFilters
from tests.planning.corpus import NOW, SCOPE


def ask(
    *words: str, fetch: int = 50, weights: dict[str, float] | None = None, **filters: Any
) -> SearchRequest:
    """A search for ``words``."""
    return SearchRequest("memories", SCOPE, words, fetch, NOW, SearchFilters(**filters), weights)


def table(turns: int, shares: Mapping[str, float], *, sampled: int = 500, tied: bool = False) -> ScopeTable:
    """A table in which each word stands in a share of the turns, independently of the others."""
    random = Random(1)
    having = {
        word: sum(1 << turn for turn in range(sampled) if random.random() < share)
        for word, share in shares.items()
    }
    return ScopeTable(sampled, turns, having, tied=tied)
