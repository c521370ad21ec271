"""Storing turns: new ones, the same again, and a session that grows."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Sequence
from functools import partial
from random import Random

from google.adk.events import Event

from tests.benchmarks.bars import bar
from tests.benchmarks.contenders import Contender, Ours, Peer, events
from tests.benchmarks.measuring import DEFAULT, MOTOR, Call, Cell, Interleaved, interleave

VARIANTS = (DEFAULT, MOTOR)
SIZES = (1, 50, 1_000, 10_000)
SESSION = 200


async def ingestion(
    uri: str, database: str, *, sizes: Sequence[int] = SIZES, growing: bool = True
) -> AsyncIterator[Cell]:
    """Each contender writes to a collection of its own with the default index."""
    found: list[Contender] = [
        Peer(uri, database, "peer"),
        Ours.open(uri, database, collection="pymongo"),
        Ours.open(uri, database, driver="motor", collection="motor"),
    ]
    try:
        for who in found:
            await who.add("warm-up", "s", events(Random(0), 2))
        for size in sizes:
            result = await _new(found, size, rounds=40 if size == 1 else 9 if size <= 50 else 3)
            for cell in _cells(str(size), "new", result):
                yield cell
        for cell in await _again(found):
            yield cell
        if growing:
            for cell in await _growing(found):
                yield cell
    finally:
        for who in found:
            await who.close()


async def _new(found: Sequence[Contender], size: int, *, rounds: int) -> Interleaved:
    tasks: list[list[Call]] = []
    for number in range(rounds):
        said, session = events(Random(number), size), uuid.uuid4().hex
        tasks.append([partial(who.add, "u", session, said) for who in found])
    return await interleave(tasks, 1)


async def _again(found: Sequence[Contender]) -> list[Cell]:
    said = events(Random(1), SESSION)
    again: list[list[Call]] = [[partial(who.add, "u", "again", said) for who in found]]
    await interleave(again, 1)
    return _cells(str(SESSION), "re-added", await interleave(again, 9))


async def _growing(found: Sequence[Contender]) -> list[Cell]:
    said = events(Random(2), SESSION)
    growing: list[list[Call]] = [[partial(_grow, who, said) for who in found]]
    return _cells(str(SESSION), "growing", await interleave(growing, 1))


async def _grow(who: Contender, said: Sequence[Event]) -> None:
    """A session that is stored whole after each of its turns."""
    for length in range(1, len(said) + 1):
        await who.add("u", "growing", said[:length])


def _cells(size: str, kind: str, result: Interleaved) -> list[Cell]:
    peer, *ours = result.medians()
    return [
        Cell("ingestion", size, kind, variant, peer, median, bar=bar("ingestion", size, kind, variant))
        for variant, median in zip(VARIANTS, ours, strict=True)
    ]
