"""Storing turns: new ones, the same again, and a session that grows."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Sequence
from functools import partial
from random import Random
from statistics import median

from google.adk.events import Event

from tests.benchmarks.bars import bar
from tests.benchmarks.contenders import Contender, Ours, Peer, events
from tests.benchmarks.measuring import DEFAULT, MOTOR, Cell, Pair, Task, interleave

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
        peer, *ours = found
        for size in sizes:
            for variant, who in zip(VARIANTS, ours, strict=True):
                yield _cell(str(size), "new", variant, await _new(peer, who, size))
        for variant, who in zip(VARIANTS, ours, strict=True):
            yield _cell(str(SESSION), "re-added", variant, await _again(peer, who))
        for variant, who in zip(VARIANTS, ours, strict=True) if growing else ():
            yield _cell(str(SESSION), "growing", variant, await _growing(peer, who))
    finally:
        for who in found:
            await who.close()


async def _new(peer: Contender, ours: Contender, size: int) -> Pair:
    rounds = 80 if size == 1 else 20 if size <= 50 else 7 if size <= 1_000 else 3
    tasks = [_task(peer, ours, uuid.uuid4().hex, events(Random(number), size)) for number in range(rounds)]
    return await interleave(tasks, 1)


async def _again(peer: Contender, ours: Contender) -> Pair:
    again = [_task(peer, ours, uuid.uuid4().hex, events(Random(1), SESSION))]
    await interleave(again, 1)
    return await interleave(again, 15)


async def _growing(peer: Contender, ours: Contender) -> Pair:
    said = events(Random(2), SESSION)
    tasks = [
        (partial(_grow, peer, said, session), partial(_grow, ours, said, session))
        for session in (uuid.uuid4().hex, uuid.uuid4().hex)
    ]
    return await interleave(tasks, 1)


async def _grow(who: Contender, said: Sequence[Event], session: str) -> None:
    """A session that is stored whole after each of its turns."""
    for length in range(1, len(said) + 1):
        await who.add("u", session, said[:length])


def _task(peer: Contender, ours: Contender, session: str, said: Sequence[Event]) -> Task:
    return partial(peer.add, "u", session, said), partial(ours.add, "u", session, said)


def _cell(size: str, kind: str, variant: str, result: Pair) -> Cell:
    promised = bar("ingestion", size, kind, variant)
    return Cell("ingestion", size, kind, variant, median(result.peer), median(result.ours), bar=promised)
