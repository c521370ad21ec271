"""Plans of weighed searches whose keywords are counted: what reading each of them means is known."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from mongorecall._documents import fields
from mongorecall._planning import _stages as stages
from mongorecall._planning._plans import Banded, Direct, Plan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mongorecall._planning._request import SearchRequest
    from mongorecall._planning._stages import Pipeline

FEW: Final = 300
"""Postings up to which scoring everything costs less than any cleverness."""

MANY: Final = 1_000
"""Postings beyond which a probe, a round trip of its own, is worth its while."""

SAVED: Final = 0.7
"""Share of the postings that a band may read at most to be worth its place in the pipeline."""

SURE: Final = 1.5
"""Postings that must promise a row each for one row that is wanted, since documents have several words."""

PROBED: Final = 4
"""Postings that a probe reads for one row that is wanted."""

STEP: Final = 2.0**-20
"""Weights and their sums are multiples of it."""


@dataclass(frozen=True, slots=True)
class CountedSearch:
    """A weighed request, and how many documents have each of its keywords.

    The counts decide how much is read, never what is found: every plan gives the exact rows.
    """

    request: SearchRequest
    hits: Mapping[str, int]

    def plan(self) -> Plan | None:
        """The plan; None when a `probe` should tell first how high the page reaches."""
        words = self._words()
        read = list(accumulate(self.hits[word] for word in words))
        if read[-1] <= FEW or len(words) == 1:
            return Direct(self.request)
        weights = self._weights()
        aside = sum(weights.values())
        for count, word in enumerate(words, 1):
            aside -= weights[word]
            sure = sum(self.hits[head] for head in words[:count] if weights[head] > aside)
            if sure >= SURE * self.request.fetch:
                if read[count - 1] <= min(MANY, SAVED * read[-1]):
                    return self.above(aside + STEP)
                break
        return None if read[-1] > MANY else Direct(self.request)

    def probe(self) -> Pipeline:
        """The scores of the best rows among documents with a rare keyword: at most ``fetch``, falling.

        When there are ``fetch`` of them, the page ends no lower than the last.
        """
        asked = self.request
        head: list[str] = []
        postings = 0
        for word in self._words():
            head.append(word)
            postings += self.hits[word]
            if postings >= PROBED * asked.fetch:
                break
        rows = [{"$match": stages.matches(asked, stages.having(head))}, *stages.scored(asked)]
        return [*rows, *stages.best(asked.fetch), {"$project": {fields.ID: 0, fields.SCORE: 1}}]

    def above(self, low: float) -> Plan:
        """The plan for a page that is expected to score at least ``low``."""
        if low <= self.request.floor:
            return Direct(self.request)
        return Banded(self.request, words=self._words(), cuts=(low,), paired=(False,))

    def _words(self) -> tuple[str, ...]:
        """The keywords, rarest first."""
        return tuple(sorted(self.request.keywords, key=lambda word: (self.hits[word], word)))

    def _weights(self) -> Mapping[str, float]:
        weights = self.request.weights
        if weights is None:
            raise ValueError("a counted search is a weighed one")
        return weights
