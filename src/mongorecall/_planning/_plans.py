"""Plans: how a search is going to be answered, as values that build their own pipeline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from mongorecall._documents.filters import search_filter
from mongorecall._planning import _stages as stages
from mongorecall._planning._request import SearchRequest
from mongorecall._planning._stages import Pipeline


class Plan(Protocol):
    """A way to answer one search with one command; every plan of a request gives the same rows."""

    @property
    def kind(self) -> str:
        """``"direct"``, ``"banded"`` or ``"streamed"``."""

    def pipeline(self) -> Pipeline:
        """The aggregation: at most ``request.fetch`` rows, best first."""

    def describe(self) -> dict[str, Any]:
        """The decision and why, for people: no keyword and no id in it."""


@dataclass(frozen=True, slots=True)
class Direct:
    """Score everything that matches: right for small histories and for rare words."""

    request: SearchRequest
    kind = "direct"

    def pipeline(self) -> Pipeline:
        """See `Plan.pipeline`."""
        asked = self.request
        return [
            {"$match": search_filter(asked.scope, asked.keywords, asked.filters, asked.now)},
            {"$addFields": {stages.SCORE: stages.score(asked.keywords, asked.weights)}},
            *stages.best(asked.fetch),
            stages.page(asked.keywords),
        ]

    def describe(self) -> dict[str, Any]:
        """See `Plan.describe`."""
        return {"kind": self.kind, "keywords": len(self.request.keywords), "rows": self.request.fetch}
