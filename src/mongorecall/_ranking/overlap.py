"""The seed's rule: the score is how many of the query's keywords a document has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mongorecall._documents import stored_keywords
from mongorecall._ranking._order import in_order
from mongorecall._ranking._protocol import Admits, Document, Ranked
from mongorecall._ranking.parts import own_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mongorecall.models import ScorePart


@dataclass(frozen=True, slots=True)
class OverlapRanking:
    """Every keyword counts 1."""

    @property
    def name(self) -> str:
        """``"overlap"``."""
        return "overlap"

    def rank(
        self,
        documents: Iterable[Document],
        query_keywords: Sequence[str],
        *,
        query: str = "",
        admits: Admits | None = None,
    ) -> list[Ranked]:
        """See `Ranking.rank`."""
        wanted = frozenset(query_keywords)
        rows = []
        for document in documents:
            matched = wanted & stored_keywords(document)
            if matched and (admits is None or admits(document)):
                rows.append(Ranked(document, float(len(matched)), tuple(sorted(matched))))
        return in_order(rows)

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
        return [counted_parts(row.matched) for row in rows]


def counted_parts(matched: Sequence[str]) -> tuple[ScorePart, ...]:
    """The parts of a score by what matched; nothing else is looked at."""
    return own_parts(matched, dict.fromkeys(matched, 1.0))
