"""How a keyword of one turn counts for the turns around it: each keyword once, where it counts most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mongorecall._ranking.weights import exact

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

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
        self.shares = {0: 1.0}
        """Turns from a turn to the one whose keyword counts for it → share, the nearest first."""
        for distance in range(1, reach + 1):
            self.shares |= {-distance: backward**distance, distance: forward**distance}
        self._worth = [
            (offset, {word: exact(weight * share) for word, weight in weights.items()})
            for offset, share in self.shares.items()
        ]

    def best(self, place: int, matched: Mapping[int, Collection[str]]) -> Best:
        """What each keyword adds to the turn at ``place``; ``matched`` has each turn's own, by place.

        A turn's own keyword always counts as its own. Of two lenders that give the same the nearer counts,
        and of two as near the earlier.
        """
        best: Best = {}
        own = matched.get(place, ())
        for offset, worth in self._worth:
            for word in matched.get(place + offset, ()):
                value = worth[word]
                if word not in best or (value > best[word][0] and word not in own):
                    best[word] = (value, place + offset)
        return best
