"""What a ranking is: matching documents → the same, scored and in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from mongorecall.models import LentKeyword, ScorePart

Document = Mapping[str, Any]
Admits = Callable[[Document], bool]


class Ranked(NamedTuple):
    """A document and what a ranking gives it. A tuple, since a page makes one for every row.

    Attributes:
        document: as stored.
        score: what it is sorted by first, falling.
        matched: the query keywords that stand in it, ascending.
        lent: the query keywords that counted through a document near it.
    """

    document: Document
    score: float
    matched: tuple[str, ...]
    lent: tuple[LentKeyword, ...] = ()


@runtime_checkable
class Ranking(Protocol):
    """A rule that scores and orders. Pure: the same documents and query always give the same list."""

    @property
    def name(self) -> str:
        """Stable name, such as ``"overlap"``."""

    def rank(
        self,
        documents: Iterable[Document],
        query_keywords: Sequence[str],
        *,
        query: str = "",
        admits: Admits | None = None,
    ) -> list[Ranked]:
        """The documents that answer the query, best first; all of them, duplicates and malformed ones too.

        Args:
            documents: every live document of one scope, in any order.
            query_keywords: distinct, at least one.
            query: the text they were taken from, for rules that look at more than keywords.
            admits: which documents may be returned; the others still count where a rule looks at the
                whole scope. All when None.
        """


@runtime_checkable
class TellsParts(Ranking, Protocol):
    """A ranking that takes the scores it gave apart. Pure, as `Ranking` is."""

    def parts(
        self,
        rows: Sequence[Ranked],
        documents: Iterable[Document],
        query_keywords: Sequence[str],
        *,
        query: str = "",
        admits: Admits | None = None,
    ) -> list[tuple[ScorePart, ...]]:
        """What the score of each of ``rows`` is the sum of, exactly.

        Args:
            rows: some of what ``rank`` gave.
            documents: as for ``rank``, like all that follow.
            query_keywords: see ``documents``.
            query: see ``documents``.
            admits: see ``documents``.
        """
