"""`explain`: how a query is read, without asking any store."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from mongorecall._checks import check_query
from mongorecall.analysis import MAX_QUERY_KEYWORDS, resolve_analyzer
from mongorecall.errors import UnsupportedError
from mongorecall.inspection._reports import QueryExplanation

if TYPE_CHECKING:
    from mongorecall.analysis import Analyzer, TokenFate
    from mongorecall.base import BaseMemoryService


def explain(
    query: str, *, analyzer: str | Analyzer = "classic", stop_words: Collection[str] | None = None
) -> QueryExplanation:
    """The fate of every token of ``query`` by the rules of a search. Pure; costs no round trip.

    Args:
        query: free text, any script.
        analyzer: name of the rules, or the rules themselves.
        stop_words: as in the service; None takes the analyzer's own.

    Raises:
        InvalidInputError: the query is too long, or the analyzer unknown.
        InvalidTypeError: the query is not a ``str``.
    """
    return explain_with(resolve_analyzer(analyzer, stop_words), query)


def explain_with(analyzer: Analyzer, query: str) -> QueryExplanation:
    """`explain` by given rules."""
    text = check_query(query)
    extraction = analyzer.keywords(text, cap=MAX_QUERY_KEYWORDS)
    kept = frozenset(extraction.keywords)
    tokens = analyzer.fates(text)
    if extraction.capped:
        tokens = [_within(token, kept) for token in tokens]
    return QueryExplanation(
        analyzer=f"{analyzer.name} {analyzer.version}",
        tokens=tuple(tokens),
        keywords=extraction.keywords,
        capped=extraction.capped,
    )


def explain_for(service: BaseMemoryService, query: str) -> QueryExplanation:
    """`explain` by the service's own rules; by the classic ones, and said so, when it does not tell them."""
    try:
        return explain_with(service.analyzer, query)
    except UnsupportedError:
        return replace(explain(query), assumed=True)


def _within(token: TokenFate, kept: frozenset[str]) -> TokenFate:
    """A token beyond the cap is dead: none of its keywords is looked for."""
    if token.reason is None and kept.isdisjoint(token.keywords):
        return replace(token, keywords=(), reason="over_cap")
    return token
