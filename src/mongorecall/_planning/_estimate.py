"""What a search is expected to read and find, by the sample of its scope."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from mongorecall._planning._table import ScopeTable

UNSEEN = 0.35
"""Sampled turns that a word is believed to be in when it is in none: less than one, more than nothing."""

PRIOR = 0.25
"""Sampled turns that the belief in independent words weighs, beside what was seen together."""

MAX_SCORE = 32
"""Scores are told apart up to this one."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading the rarest words costs in documents.

    Attributes:
        words: the query's keywords, rarest first.
        turns_having: for each word, the sampled turns that have it.
        shares: for each word, the share of the turns that have it.
        distinct: entry ``p``: documents with any of the first ``p`` words.
        entries: entry ``p``: documents with each of the first ``p`` words, added up.
    """

    words: tuple[str, ...]
    turns_having: tuple[int, ...]
    shares: tuple[float, ...]
    distinct: tuple[float, ...]
    entries: tuple[float, ...]


def reading(table: ScopeTable, keywords: Sequence[str]) -> Reading:
    """The keywords in the order of believed rarity, and what reading them means."""
    found = table.having
    ordered = sorted((found.get(word, 0).bit_count(), word) for word in keywords)
    words = tuple(word for _, word in ordered)
    sets = tuple(found.get(word, 0) for word in words)
    unseen = 0.0 if table.whole else UNSEEN
    shares = tuple(min(0.995, (count or unseen) / table.sampled) for count, _ in ordered)
    scale = table.turns / table.sampled
    absent = accumulate(
        0.0 if seen else share * table.turns for seen, share in zip(sets, shares, strict=True)
    )
    present = accumulate(sets, int.__or__)
    distinct = (
        min(table.turns, scale * union.bit_count() + extra)
        for union, extra in zip(present, absent, strict=True)
    )
    entries = accumulate((share * table.turns for share in shares), initial=0.0)
    return Reading(words, sets, shares, (0.0, *distinct), tuple(entries))


def counts_reaching(table: ScopeTable, read: Reading) -> list[float]:
    """Entry ``s``: the expected number of documents that score at least ``s``, to `MAX_SCORE`.

    Seen together in the sample, corrected by a prior of independent words for what is too rare to be seen.
    """
    highest = min(len(read.words), MAX_SCORE)
    seen = _seen_reaching(read.turns_having, table.sampled, highest)
    independent = _independent_reaching(read.shares, highest)
    counts = [float(table.turns)]
    for score in range(1, highest + 1):
        believed = table.sampled * max(independent[score], 1e-9)
        counts.append(table.turns / table.sampled * (PRIOR + seen[score]) / (PRIOR / believed + 1))
    return counts


def _seen_reaching(sets: Sequence[int], sampled: int, highest: int) -> list[int]:
    """Sampled turns by score: counted for all turns at once, one bit of the counts an int."""
    planes: list[int] = []
    for carry in sets:
        for place, plane in enumerate(planes):
            planes[place], carry = plane ^ carry, plane & carry  # noqa: PLW2901 - a ripple adder
            if not carry:
                break
        if carry:
            planes.append(carry)
    everything = (1 << sampled) - 1
    exactly = []
    for score in range(min(len(sets), (1 << len(planes)) - 1) + 1):
        having = everything
        for place, plane in enumerate(planes):
            having &= plane if score >> place & 1 else ~plane
        exactly.append(having.bit_count())
    reaching = list(accumulate(reversed(exactly)))[::-1]
    return (reaching + [0] * (highest + 1))[: highest + 1]


def _independent_reaching(shares: Sequence[float], highest: int) -> list[float]:
    """The chance that a turn scores at least ``s`` if its words came independently."""
    exactly = [1.0] + [0.0] * (highest - 1)
    for share in shares:
        for score in range(highest - 1, 0, -1):
            exactly[score] += share * (exactly[score - 1] - exactly[score])
        exactly[0] *= 1 - share
    below = accumulate(exactly)
    return [1.0, *(max(0.0, 1 - chance) for chance in below)]


def scores_in_sample(table: ScopeTable, weights: Mapping[str, float]) -> list[float]:
    """The scores of the sampled turns that have any of the words, falling."""
    scores = [0.0] * table.sampled
    for word, weight in weights.items():
        for turn in _members(table.having.get(word, 0)):
            scores[turn] += weight
    return sorted((score for score in scores if score > 0), reverse=True)


def _members(turns: int) -> Iterator[int]:
    while turns:
        lowest = turns & -turns
        yield lowest.bit_length() - 1
        turns ^= lowest


def chance_of(count: float, wanted: int) -> float:
    """The chance that at least ``wanted`` documents are there when ``count`` are expected."""
    return 1 / (1 + math.pow(wanted / max(count, 1e-9), 2.5))
