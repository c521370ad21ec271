"""Search: plan, send one command, assemble the page; and say why it is empty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mongorecall._documents import id_range, live, search_filter, stored_keywords
from mongorecall._documents.fields import SCORE
from mongorecall._operations.preparing import query_keywords
from mongorecall._operations.store import Store
from mongorecall._planning import SearchRequest, plan
from mongorecall._ranking import PageBuilder, Ranked
from mongorecall.drivers import Operation
from mongorecall.models import EmptyReason, MemoryScope, SearchFilters, SearchMemoryResponse

MARGIN = 1
"""Rows read beyond the page: whether there are more."""

GROWTH = 4
"""By how much a page that duplicates or malformed documents left short is read again larger."""


async def search(
    store: Store, scope: MemoryScope, query: str, filters: SearchFilters
) -> SearchMemoryResponse:
    """The page of a query; see `BaseMemoryService.search_memory`.

    Cost: nothing for a query without keywords; else one command. A second one is sent only when the page
    is empty and nothing is known of the scope, or when duplicates or malformed documents left it short.
    """
    keywords = (await query_keywords(store, query)).keywords
    if not keywords:
        return SearchMemoryResponse(reason="no_searchable_words")
    async with store.driver.operation("search") as operation:
        await store.ready(operation)
        page = await _page(store, operation, scope, keywords, filters)
        reason = None if page.memories else await _why_empty(store, operation, scope, keywords, filters)
    if page.memories:
        store.known_scopes.add(scope)
    return SearchMemoryResponse(
        memories=page.memories,
        query_keywords=list(keywords),
        reason=reason,
        skipped=page.skipped,
        more=page.more,
    )


async def _page(
    store: Store, operation: Operation, scope: MemoryScope, keywords: tuple[str, ...], filters: SearchFilters
) -> PageBuilder:
    limit = filters.limit or store.options.max_results
    fetch = limit + MARGIN
    while True:
        request = SearchRequest(
            collection=store.driver.collection_name,
            scope=scope,
            keywords=keywords,
            fetch=fetch,
            now=store.clock.now(),
            filters=filters,
        )
        rows = await _rows(store, operation, request)
        page = PageBuilder(limit)
        page.take(_ranked(row) for row in rows)
        if page.more or len(rows) < fetch:
            return page
        fetch *= GROWTH


def _ranked(row: Mapping[str, Any]) -> Ranked:
    """A row as the ranking's rule would have given it; its keywords are the query's by now."""
    return Ranked(row, float(row[SCORE]), tuple(sorted(stored_keywords(row))))


async def _rows(store: Store, operation: Operation, request: SearchRequest) -> list[dict[str, Any]]:
    chosen = plan(request, None, has_recency_index=store.options.recency_index)
    rows = await operation.read(
        {
            "aggregate": request.collection,
            "pipeline": chosen.pipeline(),
            "cursor": {"batchSize": request.fetch + 1},
        }
    )
    return rows if chosen.kind == "direct" else _without_repeats(rows)


def _without_repeats(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A document rewritten while a plan read band after band may come twice: the first stays."""
    return list({str(row["_id"]): row for row in reversed(rows)}.values())[::-1]


async def _why_empty(
    store: Store, operation: Operation, scope: MemoryScope, keywords: tuple[str, ...], filters: SearchFilters
) -> EmptyReason:
    now = store.clock.now()
    if filters.narrows and await _any(store, operation, search_filter(scope, keywords, SearchFilters(), now)):
        return "filtered"
    if scope in store.known_scopes:
        return "no_shared_keyword"
    if await _any(store, operation, {**id_range(scope), **live(now)}):
        store.known_scopes.add(scope)
        return "no_shared_keyword"
    return "nothing_stored"


async def _any(store: Store, operation: Operation, where: dict[str, Any]) -> bool:
    command = {"find": store.driver.collection_name, "filter": where, "projection": {"_id": 1}, "limit": 1}
    return bool(await operation.read(command))
