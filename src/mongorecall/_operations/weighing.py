"""Searches by ``"idf"`` and ``"context"``: count the keywords, read the best turns, read around them."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from mongorecall._documents import admits, fields, id_range, live, search_filter, stored_keywords
from mongorecall._documents.counts import joined
from mongorecall._documents.neighbours import matching_turns, next_to, whole_sessions, with_content
from mongorecall._operations.counting import count_scope
from mongorecall._planning import SearchRequest
from mongorecall._planning._counted import CountedSearch
from mongorecall._ranking import ContextRanking, IdfRanking, PageBuilder, Ranked
from mongorecall._ranking.idf import by_own_keywords
from mongorecall._ranking.parts import PartsOf, own_parts, take_with_parts
from mongorecall._ranking.sessions import event_key, session_of
from mongorecall._ranking.weights import weigh
from mongorecall._ranking.whole_scope import fill_from_scope
from mongorecall.models import SearchFilters

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mongorecall._operations.store import Store
    from mongorecall._ranking import Admits
    from mongorecall.drivers import Operation
    from mongorecall.models import MemoryScope

MARGIN: Final = 1
"""Rows read beyond the page: whether there are more."""

GROWTH: Final = 4
"""By how much a page that came out short is read again larger."""

MOST_AROUND: Final = 600
"""Turns of whole sessions read at once; beyond, only the nearest turns of each anchor are read."""

SMALL_SCOPE: Final = 5_000
"""Turns of a scope up to which a few keywords are expected to match few turns."""

FEW_KEYWORDS: Final = 12
"""Keywords up to which all matching turns are read at once."""

FEW_TURNS: Final = 250
"""Matching turns up to which reading them costs less than counting and choosing first."""

SIDES_AT_ONCE: Final = 20
"""Reads around anchors joined in one command; the commands run side by side."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: in which scope, in which words, and what narrows it."""

    scope: MemoryScope
    query: str
    keywords: tuple[str, ...]
    filters: SearchFilters

    @property
    def admits(self) -> Admits | None:
        """Which turns may be returned; None for all."""
        return partial(admits, self.filters) if self.filters.narrows else None


async def weighed_page(store: Store, operation: Operation, asked: Question) -> PageBuilder:
    """The page of a search whose ranking weighs keywords.

    Cost: one round trip to count (none when all was counted a moment ago), one for the best turns (two
    where a probe comes first), and for ``"context"`` one for the turns around them.
    """
    ranking = store.ranking
    if not isinstance(ranking, IdfRanking | ContextRanking):
        return await _whole_scope_page(store, operation, asked)
    search = await _begin(store, operation, asked)
    if not search.weights:
        return search.empty_page()
    return await (search.spread(ranking) if isinstance(ranking, ContextRanking) else search.own())


async def _begin(store: Store, operation: Operation, asked: Question) -> _Search:
    """Weigh the keywords: by reading all that match where that is little, else by counting."""
    collection, known = store.driver.collection_name, store.counts.of(asked.scope)
    small = known.turns is not None and known.turns <= SMALL_SCOPE and len(asked.keywords) <= FEW_KEYWORDS
    if known.turns is not None and small:
        matching = search_filter(asked.scope, asked.keywords, SearchFilters(), store.clock.now())
        whole = not isinstance(store.ranking, ContextRanking)  # which reads around them anyway
        pipeline = matching_turns(matching, asked.keywords, most=FEW_TURNS + 1, content=whole)
        rows = await operation.read({"aggregate": collection, "pipeline": pipeline})
        if len(rows) <= FEW_TURNS:
            found = Counter(word for row in rows for word in stored_keywords(row))
            weights = weigh(found, known.turns)
            own = by_own_keywords(rows, weights, asked.admits)
            if whole:
                store.strangers.look(rows)
            return _Search(store, operation, asked, found, weights, own)
    hits, turns = await count_scope(known, operation, collection, asked.scope, asked.keywords)
    return _Search(store, operation, asked, hits, weigh(hits, turns))


async def _whole_scope_page(store: Store, operation: Operation, asked: Question) -> PageBuilder:
    """A caller's own ranking sees what the in-memory twin shows it: every live document of the scope."""
    where = {**id_range(asked.scope), **live(store.clock.now())}
    documents = await operation.read({"find": store.driver.collection_name, "filter": where})
    page = PageBuilder(
        asked.filters.limit or store.options.max_results, metadata=store.options.store_metadata
    )
    fill_from_scope(page, store.ranking, documents, asked.keywords, query=asked.query, filters=asked.filters)
    return page


@dataclass(frozen=True, slots=True)
class _Search:
    """One weighed search under way."""

    store: Store
    operation: Operation
    asked: Question
    hits: Mapping[str, int]
    weights: Mapping[str, float]
    matching: Sequence[Ranked] | None = None
    """All turns with a keyword, best first, where they were read already."""

    @property
    def limit(self) -> int:
        """Most memories of the page."""
        return self.asked.filters.limit or self.store.options.max_results

    def empty_page(self) -> PageBuilder:
        """A page to be filled."""
        return PageBuilder(self.limit, metadata=self.store.options.store_metadata)

    async def own(self) -> PageBuilder:
        """The page of ``"idf"``."""
        fetch = self.limit + MARGIN
        while True:
            rows = await self._best(fetch, self.asked.filters)
            page = self.empty_page()
            self._fill(page, rows, lambda kept: [own_parts(row.matched, self.weights) for row in kept])
            if page.more or len(rows) < fetch:
                return page
            fetch *= GROWTH

    async def spread(self, ranking: ContextRanking) -> PageBuilder:
        """The page of ``"context"``: the anchors, then the turns around them."""
        fetch, unscored = ranking.anchors, self.asked.filters.model_copy(update={"min_score": None})
        own = await self._best(fetch, unscored)
        around = await self._around(ranking, [row.document for row in own])
        while True:
            own = await self._with_whole_anchors(ranking, own)
            parts_of = partial(
                ranking.spread_parts, own=own, around=around, weights=self.weights, query=self.asked.query
            )
            page = self.empty_page()
            rows = iter(self._admitted(ranking, own, around))
            while not page.more and (some := list(islice(rows, self.limit + MARGIN))):
                self._fill(page, await self._whole(some), parts_of)
            if page.more or len(own) < fetch:
                return page
            fetch = max(fetch, self.limit) * GROWTH
            own = await self._best(fetch, unscored)

    async def _with_whole_anchors(self, ranking: ContextRanking, own: list[Ranked]) -> list[Ranked]:
        """``own`` where the content of each anchor is known: those in sessions were read around as well."""
        anchors = own[: ranking.anchors]
        if ranking.reach and all(session_of(row.document) is not None for row in anchors):
            return own
        return [*await self._whole(anchors), *own[ranking.anchors :]]

    async def _whole(self, rows: Sequence[Ranked]) -> list[Ranked]:
        """``rows`` with the content of those that were read without; not those that are gone since."""
        bare = [row.document[fields.ID] for row in rows if fields.CONTENT not in row.document]
        if not bare:
            return list(rows)
        read = await self._read(with_content(self.asked.scope, bare, tuple(self.weights)))
        whole = {event_key(document): document for document in read}
        completed = []
        for row in rows:
            if fields.CONTENT in row.document:
                completed.append(row)
            elif (document := whole.get(event_key(row.document))) is not None:
                completed.append(row._replace(document=document))
        return completed

    def _fill(self, page: PageBuilder, rows: Iterable[Ranked], parts_of: PartsOf) -> None:
        """Add ``rows`` to a page; their scores are taken apart only where that is asked for."""
        if self.asked.filters.score_parts:
            take_with_parts(page, rows, parts_of)
        else:
            page.take(rows)

    def _admitted(
        self, ranking: ContextRanking, own: Sequence[Ranked], around: Sequence[Mapping[str, Any]]
    ) -> Iterable[Ranked]:
        rows = ranking.spread(
            own,
            around,
            self.weights,
            query=self.asked.query,
            admits=self.asked.admits,
        )
        lowest = self.asked.filters.min_score
        return rows if lowest is None else (row for row in rows if row.score >= lowest)

    async def _best(self, fetch: int, filters: SearchFilters) -> list[Ranked]:
        """The best turns by their own keywords."""
        if self.matching is not None:
            lowest = filters.min_score
            return [row for row in self.matching if lowest is None or row.score >= lowest][:fetch]
        request = SearchRequest(
            collection=self.store.driver.collection_name,
            scope=self.asked.scope,
            keywords=tuple(self.weights),
            fetch=fetch,
            now=self.store.clock.now(),
            filters=filters,
            weights=self.weights,
        )
        search = CountedSearch(request, self.hits)
        plan = search.plan()
        if plan is None:
            probed = await self._read(search.probe())
            full = len(probed) == fetch
            plan = search.above(probed[-1][fields.SCORE] if full else request.floor)
        rows = plan.settle(await self._read(plan.pipeline())) or []
        self.store.strangers.look(rows)
        return [Ranked(row, float(row[fields.SCORE]), tuple(sorted(stored_keywords(row)))) for row in rows]

    async def _around(
        self, ranking: ContextRanking, anchors: Sequence[Mapping[str, Any]]
    ) -> list[Mapping[str, Any]]:
        """The turns around the anchors: at least those within twice the reach."""
        near = [document for document in anchors if session_of(document) is not None]
        if not near or not ranking.reach:
            return []
        if self.asked.scope not in self.store.long_sessions:
            sessions = {document[fields.SESSION_ID] for document in near}
            pipeline = whole_sessions(
                self.asked.scope, sessions, tuple(self.weights), self.store.clock.now(), most=MOST_AROUND + 1
            )
            rows = await self._read(pipeline)
            if len(rows) <= MOST_AROUND:
                self.store.strangers.look(rows)
                return rows
            self.store.long_sessions.add(self.asked.scope)
        return await self._nearest(near, 2 * ranking.reach)

    async def _nearest(self, anchors: Sequence[Mapping[str, Any]], reach: int) -> list[Mapping[str, Any]]:
        """A few turns each way of every anchor: bounded however long the sessions are."""
        now, words = self.store.clock.now(), tuple(self.weights)
        sides = [
            side for anchor in anchors for side in next_to(anchor, self.asked.scope, words, now, reach=reach)
        ]
        batches = [sides[at : at + SIDES_AT_ONCE] for at in range(0, len(sides), SIDES_AT_ONCE)]
        collection = self.store.driver.collection_name
        replies = await asyncio.gather(*(self._read(joined(collection, batch)) for batch in batches))
        return list({event_key(row): row for reply in replies for row in reply}.values())

    async def _read(self, pipeline: list[dict[str, Any]]) -> list[Any]:
        return await self.operation.read(
            {"aggregate": self.store.driver.collection_name, "pipeline": pipeline}
        )
