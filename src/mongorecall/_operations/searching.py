"""Search: plan, send one command, assemble the page; and say why it is empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mongorecall._documents import id_range, is_expired, live, search_filter
from mongorecall._documents.fields import KEYWORDS, SCORE
from mongorecall._operations.preparing import query_keywords
from mongorecall._operations.store import Store
from mongorecall._operations.weighing import Question, weighed_page
from mongorecall._planning import Direct, Plan, Row, SearchRequest, plan
from mongorecall._ranking import OverlapRanking, PageBuilder, Ranked
from mongorecall._ranking.overlap import counted_parts
from mongorecall._ranking.parts import take_with_parts
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
    is empty and nothing is known of the scope, or when duplicate, malformed or expired documents left it
    short.
    """
    keywords = (await query_keywords(store, query)).keywords
    if not keywords:
        return SearchMemoryResponse(reason="no_searchable_words")
    async with store.driver.operation("search") as operation:
        await store.ready(operation)
        if isinstance(store.ranking, OverlapRanking):
            page = await _page(store, operation, scope, keywords, filters)
        else:
            page = await weighed_page(store, operation, Question(scope, query, keywords, filters))
        reason = page.reason
        if not page.memories and reason is None:
            reason = await _why_empty(store, operation, scope, keywords, filters)
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
            now=store.clock.now() if scope in store.expiring else None,
            filters=filters,
        )
        rows = await _rows(store, operation, request)
        if request.now is None:
            rows = await _without_expired(store, operation, request, rows)
        store.strangers.look(rows)
        page = PageBuilder(limit, metadata=store.options.store_metadata)
        ranked = map(_ranked, rows)
        if filters.score_parts:
            take_with_parts(page, ranked, lambda kept: [counted_parts(row.matched) for row in kept])
        else:
            page.take(ranked)
        if page.more or len(rows) < fetch:
            return page
        fetch *= GROWTH


def _ranked(row: Mapping[str, Any]) -> Ranked:
    """A row as the ranking's rule would have given it; its keywords are the query's by now."""
    return Ranked(row, float(row[SCORE]), tuple(sorted(row[KEYWORDS])))


async def _without_expired(
    store: Store, operation: Operation, request: SearchRequest, rows: Sequence[Row]
) -> Sequence[Row]:
    """Drop what has expired and awaits the server's sweep; asked again where that may have cost rows.

    The clause that does this on the server costs up to a tenth of a search, and there hardly ever is any.
    """
    now = store.clock.now()
    kept = [row for row in rows if not is_expired(row, now)]
    if len(kept) == len(rows):
        return rows
    store.expiring.add(request.scope)
    return kept if len(rows) < request.fetch else await _rows(store, operation, replace(request, now=now))


async def _rows(store: Store, operation: Operation, request: SearchRequest) -> Sequence[Row]:
    learner, scope = store.learner, request.scope
    streams = store.options.recency_index and not learner.policy.is_tied(scope)
    chosen = plan(request, learner.policy.table(scope), has_recency_index=streams)
    learner.at_once += 1  # those under way at once share the server
    try:
        rows = chosen.settle(await _run(operation, chosen))
    finally:
        learner.at_once -= 1
    learner.searched(scope, operation.elapsed)
    if rows is None:
        learner.policy.tied(scope)
        rows = await _run(operation, Direct(request))
    return rows


async def _run(operation: Operation, chosen: Plan) -> list[Row]:
    return await operation.read({"aggregate": chosen.request.collection, "pipeline": chosen.pipeline()})


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
