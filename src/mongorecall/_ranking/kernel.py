"""How a keyword of one turn counts for the turns around it: each keyword once, where it counts most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mongorecall._ranking.weights import exact

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

Best = dict[str, tuple[float, int]]
"""Keyword → what it adds to a turn, and the place of the turn that has it."""


class Kernel:
    """Shares of the weights by distance.

    Args:
        weights: keyword → weight.
        reach: turns each way.
        backward: share per turn of a keyword that stands earlier than the turn it counts for.
        forward: share per turn of one that stands later.
    """

    def __init__(self, weights: Mapping[str, float], *, reach: int, backward: float, forward: float) -> None:
        self._weights = weights
        shares = {distance: backward**distance for distance in range(1, reach + 1)}
        shares |= {-distance: forward**distance for distance in range(1, reach + 1)}
        self._worth = [
            (distance, {word: exact(weight * share) for word, weight in weights.items()})
            for distance, share in shares.items()
        ]

    def best(self, matched: Sequence[Collection[str]]) -> list[Best]:
        """For each turn of a session what each keyword adds; ``matched`` has each turn's own, in order.

        A turn's own keyword always counts as its own. Of two lenders that give the same the earlier counts.
        """
        found = [
            {word: (self._weights[word], place) for word in words} for place, words in enumerate(matched)
        ]
        for place, words in enumerate(matched):
            for distance, worth in self._worth if words else ():
                borrower = place + distance
                if 0 <= borrower < len(found):
                    _lend(found[borrower], {word: worth[word] for word in words}, place, matched[borrower])
        return found


def _lend(best: Best, worth: Mapping[str, float], lender: int, own: Collection[str]) -> None:
    for word, value in worth.items():
        if word not in own and (word not in best or value > best[word][0]):
            best[word] = (value, lender)
