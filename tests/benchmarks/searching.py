"""Searches one at a time: warm, cold, with a delayed wire, on real text, and the memory they take."""

from __future__ import annotations

import tracemalloc
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from statistics import quantiles

from pymongo import AsyncMongoClient

from tests.benchmarks.bars import bar
from tests.benchmarks.contenders import Contender, Ours, Peer
from tests.benchmarks.corpus import KINDS, MULTI, queries, user_of
from tests.benchmarks.measuring import DEFAULT, MOTOR, RECENCY, Cell, Interleaved, interleave
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
        for kind in kinds:
            asked = queries(kind, count)
            tasks = [
                [partial(who.search, user_of(size, number), query) for who in found]
                for number, query in enumerate(asked)
            ]
            await interleave(tasks[:1], 1)
            result = await interleave(tasks, rounds)
            for cell in _cells(section, size, kind, result):
                yield cell


async def _learn(found: Sequence[Contender], size: str) -> None:
    """Slow searches first, so that what is to be learned is learned."""
    for query in [*queries("skewed 6", 4), *queries("30-word", 2)]:
        for who in found:
            await who.search(user_of(size, 0), query)
            await who.settle()


def _cells(section: str, size: str, kind: str, result: Interleaved) -> list[Cell]:
    peer, *ours = result.medians()
    return [
        Cell(
            section,
            size,
            kind,
            variant,
            peer,
            median,
            bar=bar(section, size, kind, variant),
            differing=result.differing[place],
        )
        for place, (variant, median) in enumerate(zip(VARIANTS, ours, strict=False), start=1)
    ]


async def cold(uri: str, database: str, size: str, *, count: int = 21) -> AsyncIterator[Cell]:
    """The first search of a scope in a process: nothing is known of it."""
    client: AsyncMongoClient[dict[str, object]] = AsyncMongoClient(uri)
    peer = Peer(uri, database)
    try:
        for kind in ("one", "skewed 6", "stop-filtered 6", "stop-filtered 30"):
            tasks = []
            for number, query in enumerate(queries(kind, count)):
                user = user_of(size, number)
                found: list[Contender] = [
                    peer,
                    Ours.fresh(client, database),
                    Ours.fresh(client, database, recency=True),
                ]
                tasks.append([partial(who.search, user, query) for who in found])
            await interleave(tasks[:1], 1)
            result = await interleave(tasks[1:], 1)
            for cell in _cells("cold", size, kind, result):
                yield cell
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
        tasks = [[partial(who.search, REAL_USER, query) for who in found] for query in asked]
        result = await interleave(tasks, 3)
    peer, *ours = result.of_tasks(len(asked))
    for variant, times in zip(VARIANTS, ours, strict=False):
        ratios = sorted(one / other for one, other in zip(peer, times, strict=True))
        figures = {
            "total": sum(peer) / sum(times),
            "10th percentile": quantiles(ratios, n=10)[0],
            "worst": ratios[0],
        }
        for kind, ratio in figures.items():
            total = sum(times)
            yield Cell(
                "real text",
                size,
                kind,
                variant,
                ratio * total,
                total,
                bar=bar("real text", size, kind, variant),
            )


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
