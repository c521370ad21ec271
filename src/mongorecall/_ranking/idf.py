"""Rare keywords count more: the score is the sum of the weights of the query's keywords in a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mongorecall._documents import stored_keywords
from mongorecall._ranking._order import in_order
from mongorecall._ranking._protocol import Admits, Document, Ranked
from mongorecall._ranking.parts import own_parts
from mongorecall._ranking.weights import weigh_scope

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mongorecall.models import ScorePart


def by_own_keywords(
    documents: Iterable[Document], weights: Mapping[str, float], admits: Admits | None
) -> list[Ranked]:
    """The documents with a weighed keyword, in order."""
    rows = []
    for document in documents:
        matched = weights.keys() & stored_keywords(document)
        if matched and (admits is None or admits(document)):
            rows.append(Ranked(document, sum(map(weights.__getitem__, matched)), tuple(sorted(matched))))
    return in_order(rows)


@dataclass(frozen=True, slots=True)
class IdfRanking:
    """Weights as `weigh` gives them; common keywords do not match at all."""

    @property
    def name(self) -> str:
        """``"idf"``."""
        return "idf"

    def rank(
        self,
        documents: Iterable[Document],
        query_keywords: Sequence[str],
        *,
        query: str = "",
        admits: Admits | None = None,
    ) -> list[Ranked]:
        """See `Ranking.rank`."""
        turns = list(documents)
        return by_own_keywords(turns, weigh_scope(turns, query_keywords), admits)

    def parts(
        self,
        rows: Sequence[Ranked],
        documents: Iterable[Document],
        query_keywords: Sequence[str],
        *,
        query: str = "",
        admits: Admits | None = None,
    ) -> list[tuple[ScorePart, ...]]:
        """See `TellsParts.parts`."""
        weights = weigh_scope(list(documents), query_keywords)
        return [own_parts(row.matched, weights) for row in rows]
