"""Choose the plan that is expected to cost least; any choice gives the same rows.

Costs are in microseconds of a common server. Only their ratios matter, but for `BRANCH` and `CHEAP`, and
no term depends on the round trip, since every plan is one command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from mongorecall._planning._bands import MAX_PAIRED, leading
from mongorecall._planning._estimate import Reading, chance_of, counts_reaching, reading, scores_in_sample
from mongorecall._planning._plans import Banded, Direct, Plan, Streamed
from mongorecall._planning._request import SearchRequest
from mongorecall._planning._table import ScopeTable

CHEAP = 700.0
"""Below this, scoring everything is cheaper than thinking about it."""

BRANCH = 90.0
"""One more part of a pipeline."""

KEEP = 0.85
"""A plan must be expected below this share of the direct one to be taken."""

CANDIDATES = 5
"""Thresholds that are looked at: the highest that may fill a page in part."""

MAX_STREAMED = 12
"""Query words up to which scores are read in the order of time."""


Offer = tuple[float, Callable[[SearchRequest], Plan]]
"""What a plan is expected to cost, and the plan."""


def plan(request: SearchRequest, table: ScopeTable | None, *, has_recency_index: bool) -> Plan:
    """The plan for ``request``, given what is believed about its scope (None: nothing is known)."""
    streams = has_recency_index and request.weights is None and not (table is not None and table.tied)
    if len(request.keywords) == 1 and request.weights is None:
        return Streamed(request, request.keywords, 1) if streams and request.floor <= 1 else Direct(request)
    if table is None or _is_small(table, request) or not _is_plannable(request):
        return Direct(request)
    read = reading(table, request.keywords)
    direct = read.distinct[-1] * _per_scored(len(read.words))
    if direct < CHEAP:
        return Direct(request)
    cost, choice = min(_offers(request, table, read, direct, streams=streams), key=_cost_of)
    return choice(request) if cost < KEEP * direct else Direct(request)


def _is_small(table: ScopeTable, request: SearchRequest) -> bool:
    return table.turns * _per_scored(len(request.keywords)) < CHEAP


def _is_plannable(request: SearchRequest) -> bool:
    """The sample says nothing about one session or a stretch of time, which are small anyway."""
    filters = request.filters
    narrow = filters.session_id is not None or filters.since is not None or filters.until is not None
    return not narrow and (request.weights is not None or request.floor <= len(request.keywords))


def _offers(
    request: SearchRequest, table: ScopeTable, read: Reading, direct: float, *, streams: bool
) -> Iterator[Offer]:
    yield direct, Direct
    if request.weights is not None:
        cuts = _weighted_cuts(request, table, read)
    else:
        counts = counts_reaching(table, read)
        cuts = [
            _cut(read, score, counts[score])
            for score in _thresholds(counts, request)
            if score > _lowest(request)
        ]
        if streams and len(read.words) <= MAX_STREAMED:
            yield from _streamed(request, read, counts)
    yield from _banded(request, read, cuts, direct)


def _cost_of(offer: Offer) -> float:
    return offer[0]


def _per_scored(words: int) -> float:
    """Fetch and score one document."""
    return 3.7 + 0.28 * words


def _per_paired(words: int) -> float:
    """Fetch one document and look for a second word."""
    return 3.3 + 0.05 * words


@dataclass(frozen=True, slots=True)
class _Cut:
    """A band that reaches down to ``low``: the rows expected in it or above, and what reading it costs."""

    low: float
    count: float
    cost: float
    paired: bool


def _lowest(request: SearchRequest) -> int:
    """The lowest score there is or that is asked for."""
    return max(1, int(request.floor))


def _thresholds(counts: Sequence[float], request: SearchRequest) -> list[int]:
    """The highest scores that may fill a page, at least in part."""
    enough = 0.15 * request.fetch
    falling = range(len(counts) - 1, _lowest(request) - 1, -1)
    return [score for score in falling if counts[score] >= enough][:CANDIDATES]


def _cut(read: Reading, score: int, count: float) -> _Cut:
    words = len(read.words)
    head = leading(read.words, score, None)
    scored = read.distinct[head] * _per_scored(words)
    passing = min(count, read.distinct[head]) * _per_scored(words)
    paired = read.entries[head] * _per_paired(words) + passing
    if paired < scored and words <= MAX_PAIRED:
        return _Cut(score, count, paired, paired=True)
    return _Cut(score, count, scored, paired=False)


def _weighted_cuts(request: SearchRequest, table: ScopeTable, read: Reading) -> list[_Cut]:
    """Cuts at scores of sampled turns: the best, the second, the fourth, …"""
    weights = request.weights or {}
    scores = scores_in_sample(table, weights)
    scale = table.turns / table.sampled
    cuts: list[_Cut] = []
    for place in (2**power for power in range(len(scores).bit_length())):
        low = scores[place - 1]
        if low <= request.floor or (cuts and low >= cuts[-1].low):
            continue
        head = leading(read.words, low, weights)
        cuts.append(
            _Cut(low, place * scale, read.distinct[head] * _per_scored(len(read.words)), paired=False)
        )
    return [cut for cut in cuts if cut.count >= 0.15 * request.fetch][:CANDIDATES]


def _banded(request: SearchRequest, read: Reading, cuts: Sequence[_Cut], direct: float) -> Iterator[Offer]:
    """One or two bands above the last, which is read when they do not fill the page."""
    short = {cut: 1 - chance_of(cut.count, request.fetch) for cut in cuts}
    rest = direct + BRANCH
    above = [(cut,) for cut in cuts]
    for bands in (*above, *combinations(cuts, 2)):
        cost = rest
        for cut in reversed(bands):
            cost = cut.cost + BRANCH + short[cut] * cost
        lows = tuple(cut.low for cut in bands)
        paired = tuple(cut.paired for cut in bands)
        yield cost, partial(Banded, words=read.words, cuts=lows, paired=paired)


def _streamed(request: SearchRequest, read: Reading, counts: Sequence[float]) -> Iterator[Offer]:
    """Everything above some score, then each score from there down, newest first."""
    for top in _thresholds(counts, request) or [_lowest(request)]:
        above = _cut(read, top + 1, counts[top + 1]).cost if top < len(read.words) else 0.0
        cost = above + BRANCH * (top + 1) + _levels(request, read, counts, top)
        yield cost, partial(Streamed, words=read.words, top=top)


def _levels(request: SearchRequest, read: Reading, counts: Sequence[float], top: int) -> float:
    """Of each level a part is read, by how many of its rows are wanted."""
    words, cost = len(read.words), 0.0
    for score in range(top, 0, -1):
        higher = counts[score + 1] if score < words else 0.0
        wanted = 1.2 * (request.fetch - higher) / max(counts[score] - higher, 1e-6)
        documents = read.distinct[leading(read.words, score, None)] * min(1.0, max(0.0, wanted))
        cost += documents * (_per_scored(words) + 1)
        if counts[score] > 1.2 * request.fetch:
            break
    return cost
