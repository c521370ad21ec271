"""Bands of falling score: parts of a search that need not read the commonest words.

A document that scores at least ``low`` cannot consist of words whose weights add up to less. So it has one
of the *leading* words: the rarest ones that remain when common words of less weight than ``low`` together
are put aside. With weights of 1, that is one of the first ``m - low + 1`` of ``m`` words; and besides its
rarest word, number ``i``, it has ``low - 1`` more and misses at most ``m - i - (low - 1)`` of those after
``i``, so it has one of words ``i + 1`` to ``m - low + 2``.

Bands are disjoint, fall in score, and together hold every match: any order of the words and any cuts give
the exact rows. Believed rarity only decides how much is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mongorecall._documents import fields
from mongorecall._planning import _stages as stages
from mongorecall._planning._request import SearchRequest
from mongorecall._planning._stages import Pipeline, Stage

MAX_PAIRED = 64
"""Query words up to which the filter on a second word is written out; beyond, it costs more than it saves."""


def leading(words: Sequence[str], low: float, weights: Mapping[str, float] | None) -> int:
    """How many of ``words``, rarest first, must be read to see every document that scores ``low``."""
    if weights is None:
        return max(1, len(words) - max(1, int(low)) + 1)
    aside = 0.0
    for count in range(len(words), 0, -1):
        aside += weights[words[count - 1]]
        if aside >= low:
            return count
    return 1


def reach(request: SearchRequest, words: Sequence[str], low: float, *, paired: bool) -> Stage:
    """A filter that every document with a score of ``low`` passes.

    ``paired`` writes out the filter on a second word: less is scored, but a document is fetched once for
    each leading word it has.
    """
    head = words[: leading(words, low, request.weights)]
    if not paired or low < 2 or request.weights is not None or len(words) > MAX_PAIRED:
        return stages.matches(request, stages.having(head))
    last = len(words) - int(low) + 2
    pairs = [
        stages.matches(request, {**stages.having([word]), "$nor": [_none_of(words[place + 1 : last])]})
        for place, word in enumerate(head)
    ]
    return pairs[0] if len(pairs) == 1 else {"$or": pairs}


def _none_of(words: Sequence[str]) -> Stage:
    """Negated twice, the server does not take a second word for the bounds of its index scan."""
    return {fields.KEYWORDS: {"$nin": list(words)}}


def band(
    request: SearchRequest, words: Sequence[str], low: float, high: float | None, *, paired: bool
) -> Pipeline:
    """The best rows with ``low <= score < high``."""
    return [
        {"$match": reach(request, words, low, paired=paired)},
        *stages.scored(request),
        *stages.between(low, high),
        *stages.best(request.fetch),
    ]


def level(request: SearchRequest, words: Sequence[str], value: int, count: int) -> Pipeline:
    """The newest ``count`` rows that score ``value``, read in the order of time until there are as many.

    Needs the recency index, which gives that order without a sort; rows of one time come in any order.
    """
    clause = reach(request, words, value, paired=True)
    if len(words) > 1:
        clause = {**clause, "$expr": {"$eq": [{"$size": stages.matched(words)}, value]}}
    return [
        {"$match": clause},
        *stages.newest(count, by_id=False),
        *stages.scored_alike(request, value),
    ]
