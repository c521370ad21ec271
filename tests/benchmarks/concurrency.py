"""Many searches at once: throughput, the slowest hundredth, and how long the event loop is held up."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import median

from tests.benchmarks.bars import bar
from tests.benchmarks.contenders import Contender, Ours, Peer
from tests.benchmarks.corpus import USERS, queries
from tests.benchmarks.measuring import DEFAULT, MOTOR, Cell

VARIANTS = (DEFAULT, MOTOR)
LEVELS = (1, 64, 256)
TICK_SECONDS = 0.005


@dataclass(slots=True)
class Load:
    """What one contender did under load."""

    per_second: list[float] = field(default_factory=list)
    p99: list[float] = field(default_factory=list)
    lag_p99: list[float] = field(default_factory=list)


async def concurrency(
    uri: str,
    database: str,
    *,
    section: str = "concurrency",
    levels: Sequence[int] = LEVELS,
    seconds: float = 2.0,
) -> AsyncIterator[Cell]:
    """Searches of random users, ``levels`` at once, in turns of ``seconds``."""
    found: list[Contender] = [
        Peer(uri, database),
        Ours.open(uri, database),
        Ours.open(uri, database, driver="motor"),
    ]
    try:
        for who in found:
            await asyncio.gather(*(who.search("user-00001", query) for query in queries("skewed 6", 50)))
        for level in levels:
            loads = [Load() for _ in found]
            for _ in range(3):
                for who, load in zip(found, loads, strict=True):
                    await _press(who, level, seconds, load)
            for cell in _cells(section, level, loads):
                yield cell
    finally:
        for who in found:
            await who.close()


async def _press(who: Contender, level: int, seconds: float, load: Load) -> None:
    asked, end = queries("skewed 6", 200), time.perf_counter() + seconds
    spent: list[float] = []
    lags: list[float] = []

    async def search(number: int) -> None:
        random = Random(number)
        while (begun := time.perf_counter()) < end:
            await who.search(f"user-{random.randrange(USERS):05d}", random.choice(asked))
            spent.append((time.perf_counter() - begun) * 1e3)

    async def tick() -> None:
        while (begun := time.perf_counter()) < end:
            await asyncio.sleep(TICK_SECONDS)
            lags.append((time.perf_counter() - begun - TICK_SECONDS) * 1e3)

    begun = time.perf_counter()
    await asyncio.gather(tick(), *(search(number) for number in range(level)))
    load.per_second.append(len(spent) / (time.perf_counter() - begun))
    load.p99.append(sorted(spent)[int(0.99 * (len(spent) - 1))])
    load.lag_p99.append(sorted(lags)[int(0.99 * (len(lags) - 1))])


def _cells(section: str, level: int, loads: Sequence[Load]) -> list[Cell]:
    peer, *ours = loads
    cells = []
    for variant, load in zip(VARIANTS, ours, strict=True):

        def cell(kind: str, one: list[float], other: list[float], unit: str, variant: str = variant) -> Cell:
            promised = bar(section, str(level), kind, variant) if level > 1 else None
            return Cell(
                section,
                str(level),
                kind,
                variant,
                median(one),
                median(other),
                unit=unit,
                bar=promised,
                more_is_better=unit == "/s",
            )

        cells += [
            cell("throughput", peer.per_second, load.per_second, "/s"),
            cell("p99", peer.p99, load.p99, "ms"),
        ]
        if "+" not in section:  # with a delay the loop of the peer idles
            cells.append(cell("loop lag p99", peer.lag_p99, load.lag_p99, "ms"))
    return cells
