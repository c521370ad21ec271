"""Random searches, and plans of them that no chooser would make."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from random import Random
from typing import Any

from mongorecall._planning import Plan, ScopeTable, SearchRequest, plan
from mongorecall._planning._plans import Banded, Direct, Streamed
from mongorecall.models import SearchFilters
from tests.planning.corpus import NOW, SCOPE, Corpus


def search(random: Random, corpus: Corpus) -> SearchRequest:
    """1 to 120 words, some of them unknown; pages of 1, 2, 7 and 50; every filter."""
    size = random.choice((1, 1, 2, 3, 4, 6, 6, 12, 30, 66, 120))
    pool = (*corpus.words, *(f"x{number}" for number in range(120)))
    wanted = {random.choice(corpus.words) for _ in range(size)} | set(random.sample(pool, max(1, size // 8)))
    words = random.sample(sorted(wanted), min(size, len(wanted)))
    weights = {word: random.randrange(1, 2**22) / 2**20 for word in words} if random.random() < 0.2 else None
    return SearchRequest(
        collection="memories",
        scope=SCOPE,
        keywords=tuple(sorted(words)),
        fetch=random.choice((1, 2, 7, 50)),
        now=NOW,
        filters=_filters(random, size),
        weights=weights,
    )


def _filters(random: Random, words: int) -> SearchFilters:
    if random.random() < 0.6:
        return SearchFilters()
    chosen: dict[str, Any] = {}
    if random.random() < 0.3:
        chosen["min_score"] = random.choice((0.0, 1.0, 1.5, 2.0, float(words), words + 1.0))
    if random.random() < 0.3:
        chosen["session_id"] = f"s{random.randrange(7)}"
    if random.random() < 0.3:
        chosen["exclude_session_id"] = f"s{random.randrange(7)}"
    if random.random() < 0.3:
        chosen["author"] = random.choice(("user", "agent", "nobody"))
    if random.random() < 0.3:
        chosen["since"] = datetime.fromtimestamp(1_700_000_000 + random.randrange(40), UTC)
    if random.random() < 0.3:
        chosen["until"] = datetime.fromtimestamp(1_700_000_000 + random.randrange(40), UTC)
    return SearchFilters(**chosen)


def plans(random: Random, request: SearchRequest, corpus: Corpus, *, recency: bool) -> Iterator[Plan]:
    """The direct plan, one from scrambled statistics, and one that is simply made up."""
    yield Direct(request)
    yield plan(request, scrambled(random, request, corpus), has_recency_index=recency)
    words = tuple(random.sample(request.keywords, len(request.keywords)))
    if recency and request.weights is None and len(words) <= 12:
        lowest = max(1, int(request.floor))
        if lowest <= len(words):
            yield Streamed(request, words, random.randint(lowest, len(words)))
    cuts = _cuts(random, request)
    if cuts:
        yield Banded(request, words, cuts, tuple(random.random() < 0.5 for _ in cuts))


def _cuts(random: Random, request: SearchRequest) -> tuple[float, ...]:
    if request.weights is not None:
        total = sum(request.weights.values())
        possible = {random.uniform(0, total), *request.weights.values()}
    else:
        possible = {float(random.randint(2, 1 + len(request.keywords))) for _ in range(2)}
    above = [cut for cut in possible if cut > max(request.floor, 1e-9)]
    return tuple(sorted(random.sample(above, min(len(above), random.randint(1, 3))), reverse=True))


def scrambled(random: Random, request: SearchRequest, corpus: Corpus) -> ScopeTable:
    """A table as wrong as can be, of a scope so large that something is always planned."""
    sampled = random.choice((1, 30, 576))
    known = [word for word in (*request.keywords, *corpus.words) if random.random() < 0.7]
    having = {word: random.getrandbits(sampled) for word in known}
    return ScopeTable(sampled, random.choice((sampled, 100_000)), having, tied=random.random() < 0.1)
