"""Searches one at a time: warm, cold, with a delayed wire, on real text, and the memory they take."""

from __future__ import annotations

import tracemalloc
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from statistics import median, quantiles

from pymongo import AsyncMongoClient

from tests.benchmarks.bars import bar
from tests.benchmarks.contenders import Contender, Ours, Peer
from tests.benchmarks.corpus import KINDS, MULTI, queries, user_of
from tests.benchmarks.measuring import DEFAULT, MOTOR, RECENCY, Cell, Pair, Task, interleave
from tests.benchmarks.texts import REAL_USER, questions

VARIANTS = (DEFAULT, RECENCY, MOTOR)
QUICK_SIZES = {"100", "1000", MULTI}


@asynccontextmanager
async def contenders(uri: str, database: str, *, motor: bool = True) -> AsyncIterator[list[Contender]]:
    """google-adk's service, then ours in each variant."""
    found: list[Contender] = [
        Peer(uri, database),
        Ours.open(uri, database),
        Ours.open(uri, database, recency=True),
    ]
    if motor:
        found.append(Ours.open(uri, database, driver="motor"))
    try:
        yield found
    finally:
        for contender in found:
            await contender.close()


async def warm(
    uri: str,
    database: str,
    size: str,
    *,
    section: str = "warm",
    kinds: Sequence[str] = KINDS,
    count: int = 12,
) -> AsyncIterator[Cell]:
    """Scopes that were searched before; medians over ``count`` queries of each kind."""
    rounds = 5 if size in QUICK_SIZES else 3
    async with contenders(uri, database, motor=section == "warm") as found:
        await _learn(found, size)
        peer, *ours = found
        for kind in kinds:
            asked = queries(kind, count)
            for variant, who in zip(VARIANTS, ours, strict=False):
                tasks = [_task(peer, who, user_of(size, place), query) for place, query in enumerate(asked)]
                await interleave(tasks[:1], 1)
                yield _cell(section, size, kind, variant, await interleave(tasks, rounds))


async def _learn(found: Sequence[Contender], size: str) -> None:
    """Slow searches first, so that what is to be learned is learned."""
    for query in [*queries("skewed 6", 4), *queries("30-word", 2)]:
        for who in found:
            await who.search(user_of(size, 0), query)
            await who.settle()


def _task(peer: Contender, ours: Contender, user: str, query: str) -> Task:
    return partial(peer.search, user, query), partial(ours.search, user, query)


def _cell(section: str, size: str, kind: str, variant: str, result: Pair) -> Cell:
    promised = bar(section, size, kind, variant)
    peer, ours = median(result.peer), median(result.ours)
    return Cell(section, size, kind, variant, peer, ours, bar=promised, differing=result.differing)


async def cold(uri: str, database: str, size: str, *, count: int = 21) -> AsyncIterator[Cell]:
    """The first search of a scope in a process: nothing is known of it."""
    client: AsyncMongoClient[dict[str, object]] = AsyncMongoClient(uri)
    peer = Peer(uri, database)
    try:
        for kind in ("one", "skewed 6", "stop-filtered 6", "stop-filtered 30"):
            for variant in (DEFAULT, RECENCY):
                tasks = [
                    _task(
                        peer,
                        Ours.fresh(client, database, recency=variant == RECENCY),
                        user_of(size, place),
                        query,
                    )
                    for place, query in enumerate(queries(kind, count))
                ]
                await interleave(tasks[:1], 1)
                yield _cell("cold", size, kind, variant, await interleave(tasks[1:], 1))
    finally:
        await peer.close()
        await client.close()


async def real_text(uri: str, database: str, size: str, *, count: int = 40) -> AsyncIterator[Cell]:
    """Questions about conversations: the total, the 10th percentile and the worst of single queries."""
    asked = questions(count)
    async with contenders(uri, database, motor=False) as found:
        for query in asked[:8]:
            for who in found:
                await who.search(REAL_USER, query)
                await who.settle()
        peer, *ours = found
        for variant, who in zip(VARIANTS, ours, strict=False):
            tasks = [_task(peer, who, REAL_USER, query) for query in asked]
            result = (await interleave(tasks, 3)).of_tasks(len(asked))
            ratios = sorted(one / other for one, other in zip(result.peer, result.ours, strict=True))
            total = sum(result.ours)
            figures = {
                "total": sum(result.peer) / total,
                "10th percentile": quantiles(ratios, n=10)[0],
                "worst": ratios[0],
            }
            for kind, ratio in figures.items():
                promised = bar("real text", size, kind, variant)
                yield Cell("real text", size, kind, variant, ratio * total, total, bar=promised)


async def memory(uri: str, database: str, size: str) -> AsyncIterator[Cell]:
    """The most memory that one search takes in the client, in MiB."""
    async with contenders(uri, database, motor=False) as found:
        await _learn(found, size)
        for kind in ("skewed 6", "30-word"):
            query = queries(kind, 1)[0]
            peaks = []
            for who in found:
                await who.search(user_of(size, 0), query)
                tracemalloc.start()
                await who.search(user_of(size, 0), query)
                peaks.append(tracemalloc.get_traced_memory()[1] / 2**20)
                tracemalloc.stop()
            for variant, peak in zip(VARIANTS, peaks[1:], strict=False):
                yield Cell("memory", size, kind, variant, peaks[0], peak, unit="MiB")
