"""Asks one query: the page, the time it took, and for a miss what is stored close to its words."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Unpack

from mongorecall import MongoDbMemoryService
from mongorecall.analysis import TokenFate
from mongorecall.base import SearchOptions
from mongorecall.inspection import KeywordCount, explain_search
from mongorecall.models import SearchMemoryResponse


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back.

    Attributes:
        response: the page.
        elapsed_ms: how long the search took, the way to the server and back included.
        fates: the fate of each token of the query.
        near: the keywords of a query that shares none with any memory, each with stored ones close to it.
    """

    response: SearchMemoryResponse
    elapsed_ms: float
    fates: tuple[TokenFate, ...]
    near: tuple[KeywordCount, ...] = ()

    @property
    def in_no_hit(self) -> list[str]:
        """The living tokens of the query of which nothing stands in any of its hits."""
        matched = {one for memory in self.response.memories for one in memory.matched_keywords}
        return [fate.raw for fate in self.fates if fate.keywords and matched.isdisjoint(fate.keywords)]

    def to_dict(self) -> dict[str, Any]:
        """As JSON-ready values."""
        return self.response.model_dump(mode="json", exclude_none=True) | {
            "elapsed_ms": round(self.elapsed_ms, 3),
            "near": {one.keyword: [near.keyword for near in one.near] for one in self.near},
        }


async def ask(
    service: MongoDbMemoryService,
    *,
    app_name: str,
    user_id: str,
    query: str,
    **options: Unpack[SearchOptions],
) -> Answer:
    """Search, and look closer when nothing was found. Cost: the search; for a miss about three more reads."""
    began = time.perf_counter()
    response = await service.search_memory(app_name=app_name, user_id=user_id, query=query, **options)
    elapsed_ms = (time.perf_counter() - began) * 1000
    near: tuple[KeywordCount, ...] = ()
    if response.reason == "no_shared_keyword":
        taken_apart = await explain_search(
            service, app_name=app_name, user_id=user_id, query=query, **options
        )
        near = tuple(keyword for keyword in taken_apart.keywords if keyword.near)
    return Answer(response, elapsed_ms, tuple(service.analyzer.fates(query)), near)
