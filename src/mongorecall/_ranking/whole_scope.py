"""A ranking over every live document of a scope, as far as the filters of a search let them through."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mongorecall._documents import admits
from mongorecall._ranking._protocol import TellsParts
from mongorecall._ranking.parts import take_with_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mongorecall._ranking._protocol import Document, Ranking
    from mongorecall._ranking.page import PageBuilder
    from mongorecall.models import SearchFilters


def fill_from_scope(
    page: PageBuilder,
    ranking: Ranking,
    documents: Sequence[Document],
    keywords: Sequence[str],
    *,
    query: str,
    filters: SearchFilters,
) -> None:
    """Fill an empty page with every row that ``filters`` let through; take scores apart when asked to."""

    def admitted(document: Document) -> bool:
        return admits(filters, document)

    rows = ranking.rank(documents, keywords, query=query, admits=admitted)
    if filters.min_score is not None:
        rows = [row for row in rows if row.score >= filters.min_score]
    if filters.score_parts and isinstance(ranking, TellsParts):
        asked = partial(
            ranking.parts, documents=documents, query_keywords=keywords, query=query, admits=admitted
        )
        take_with_parts(page, rows, asked)
    else:
        page.take(rows)
