"""Plans: how a search is going to be answered, as values that build their own pipeline."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal, Protocol

from mongorecall._documents import fields, id_key, time_key
from mongorecall._planning import _stages as stages
from mongorecall._planning._bands import band, level
from mongorecall._planning._request import SearchRequest
from mongorecall._planning._stages import Pipeline

Kind = Literal["direct", "banded", "streamed"]

Row = dict[str, Any]

TIES = 8
"""Rows read beyond a streamed page, so that rows of one time at its end are all there to be ordered."""


class Plan(Protocol):
    """A way to answer one search with one command; every plan of a request gives the same rows."""

    kind: ClassVar[Kind]

    @property
    def request(self) -> SearchRequest:
        """What is answered."""

    def pipeline(self) -> Pipeline:
        """The aggregation. Its rows are the documents as stored but for ``score``, which is added, and for
        ``keywords``, which are those of the query that the document has, in any order. To leave out fields
        that need not travel costs more than they do."""

    def settle(self, rows: list[Row]) -> list[Row] | None:
        """The answer in what the pipeline returned: at most ``request.fetch`` rows, best first.

        None when more rows of one score and time than `TIES` reach across its end: then ask again with
        `Direct`, which orders any number of them.
        """

    def describe(self) -> dict[str, Any]:
        """The decision, for people: counts only, no keyword and no id."""


@dataclass(frozen=True, slots=True)
class Direct:
    """Score everything that matches: right for small histories and for rare words."""

    kind: ClassVar[Kind] = "direct"
    request: SearchRequest

    def pipeline(self) -> Pipeline:
        """See `Plan.pipeline`."""
        asked = self.request
        match = {"$match": stages.matches(asked, stages.having(asked.keywords))}
        if len(asked.keywords) == 1 and asked.weights is None and asked.floor <= 1:
            page = [match, *stages.newest(asked.fetch, by_id=True), *stages.scored_alike(asked, 1)]
        else:
            scoring = [*stages.scored(asked), *stages.between(asked.floor, None)]
            page = [match, *scoring, *stages.best(asked.fetch)]
        return page

    def settle(self, rows: list[Row]) -> list[Row] | None:
        """See `Plan.settle`."""
        return rows

    def describe(self) -> dict[str, Any]:
        """See `Plan.describe`."""
        return {"kind": self.kind, "keywords": len(self.request.keywords)}


@dataclass(frozen=True, slots=True)
class Banded:
    """Read the rarest words first, and the common ones only when the page is not full by then.

    Attributes:
        words: the query's keywords, believed rarest first.
        cuts: the lowest score of each band but the last, falling; the last band reaches the floor.
        paired: for each cut, whether its band filters on a second word.
    """

    kind: ClassVar[Kind] = "banded"
    request: SearchRequest
    words: tuple[str, ...]
    cuts: tuple[float, ...]
    paired: tuple[bool, ...]

    def pipeline(self) -> Pipeline:
        """See `Plan.pipeline`."""
        asked = self.request
        lows = (*self.cuts, asked.floor)
        highs = (None, *self.cuts)
        parts = [
            band(asked, self.words, low, high, paired=paired)
            for low, high, paired in zip(lows, highs, (*self.paired, False), strict=True)
        ]
        return stages.chained(asked.collection, parts, asked.fetch)

    def settle(self, rows: list[Row]) -> list[Row] | None:
        """See `Plan.settle`. A document that was rewritten between two bands may come twice."""
        if rows and rows[-1][fields.SCORE] < self.cuts[0]:
            return _without_repeats(rows)
        return rows

    def describe(self) -> dict[str, Any]:
        """See `Plan.describe`."""
        return {"kind": self.kind, "keywords": len(self.words), "cuts": list(self.cuts)}


@dataclass(frozen=True, slots=True)
class Streamed:
    """Sort what scores above ``top``, then read each lower score newest first, until the page is full.

    Needs the recency index.

    Attributes:
        words: the query's keywords, believed rarest first; no weights.
        top: the highest score that is read in the order of time.
    """

    kind: ClassVar[Kind] = "streamed"
    request: SearchRequest
    words: tuple[str, ...]
    top: int

    def pipeline(self) -> Pipeline:
        """See `Plan.pipeline`."""
        asked = self.request
        count = asked.fetch + TIES
        above = (
            [band(asked, self.words, self.top + 1, None, paired=True)] if self.top < len(self.words) else []
        )
        lowest = max(1, math.ceil(asked.floor))
        levels = [level(asked, self.words, value, count) for value in range(self.top, lowest - 1, -1)]
        return stages.chained(asked.collection, above + levels, count)

    def settle(self, rows: list[Row]) -> list[Row] | None:
        """See `Plan.settle`."""
        fetch = self.request.fetch
        if len(rows) >= fetch + TIES:
            last, beyond = _ranks((rows[fetch - 1], rows[-1]))
            if last == beyond:
                return None
        return _by_id_within_ties(_without_repeats(rows))[:fetch]

    def describe(self) -> dict[str, Any]:
        """See `Plan.describe`."""
        return {"kind": self.kind, "keywords": len(self.words), "top": self.top}


def _ranks(rows: Sequence[Row]) -> list[tuple[Any, Any]]:
    """Equal for rows that only ``_id`` orders."""
    times = [row.get(fields.TIMESTAMP) for row in rows]
    if not all(type(time) is float and not math.isnan(time) for time in times):
        times = [time_key(row) for row in rows]
    return [(row[fields.SCORE], time) for row, time in zip(rows, times, strict=True)]


def _by_id_within_ties(rows: list[Row]) -> list[Row]:
    ranks = _ranks(rows)
    if not any(one == other for one, other in pairwise(ranks)):
        return rows
    ordered: list[Row] = []
    start = 0
    for place in range(1, len(rows) + 1):
        if place == len(rows) or ranks[place] != ranks[start]:
            ordered += sorted(rows[start:place], key=id_key)
            start = place
    return ordered


def _without_repeats(rows: list[Row]) -> list[Row]:
    """The first row of each document."""
    kept: dict[Any, Row] = {}
    for row in rows:
        kept.setdefault(_identity(row), row)
    return rows if len(kept) == len(rows) else list(kept.values())


def _identity(row: Row) -> Any:
    identity = row[fields.ID]
    if isinstance(identity, Mapping) and all(type(value) is str for value in identity.values()):
        return tuple(identity.items())
    return repr(identity)
