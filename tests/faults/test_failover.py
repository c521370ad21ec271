"""Eight writers while primaries are killed, frozen and made to step down: what was acknowledged is there."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import time
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from pymongo import MongoClient
from pymongo.errors import AutoReconnect
from pymongo.read_concern import ReadConcern

from mongorecall import MongoDbMemoryService
from mongorecall.errors import RecallError
from tests.drivers.faulty import freeze, thaw
from tests.faults.scenario import event
from tests.servers.fixtures import DATABASE_PREFIX
from tests.servers.processes import ReplicaSet, direct

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mongorecall.embedded import EmbeddedServer

WRITERS = 8
BATCH = 5
PATIENCE = 90.0
"""Longest wait for a replica set to be whole: members that roll back take a while on a busy machine."""


@dataclass
class Load:
    """Writers that add small batches until stopped, and what they were told."""

    uri: str
    database: str
    acknowledged: set[tuple[str, str]] = field(default_factory=set)
    errors: dict[str, int] = field(default_factory=dict)
    slowest: float = 0.0
    stopped: bool = False

    async def run(self) -> None:
        """Half of the writers on Motor, half on PyMongo Async."""
        async with asyncio.TaskGroup() as group:
            for number in range(WRITERS):
                group.create_task(self._write(number))

    async def _write(self, number: int) -> None:
        async with MongoDbMemoryService(
            connection_string=self.uri,
            driver="motor" if number % 2 else "pymongo",
            database_name=self.database,
            operation_timeout=10,
        ) as service:
            for count in itertools.count():
                if self.stopped:
                    return
                events = [event(count * BATCH + place, f"coffee {count}") for place in range(BATCH)]
                began = time.monotonic()
                try:
                    report = await service.add_events(
                        app_name="app", user_id="ann", session_id=f"w{number}", events=events
                    )
                except RecallError as error:
                    self.errors[error.kind] = self.errors.get(error.kind, 0) + 1
                else:
                    assert report.accounted == report.received == BATCH
                    assert not report.failed
                    self.acknowledged |= {(f"w{number}", one.id) for one in events}
                self.slowest = max(self.slowest, time.monotonic() - began)
                await asyncio.sleep(0.1)  # so that a member that was away finds all it missed in the oplog

    def lost(self) -> set[tuple[str, str]]:
        """Acknowledged events that are not there, however long one waits.

        A primary that was just elected knows for a moment less than it has of what a majority confirmed.
        """
        missing = set(self.acknowledged)
        until = time.monotonic() + PATIENCE
        client: MongoClient[dict[str, Any]] = MongoClient(self.uri)
        with client:
            memories = client[self.database].get_collection("memories", read_concern=ReadConcern("majority"))
            while missing and time.monotonic() < until:
                with contextlib.suppress(AutoReconnect):
                    ids = [found["_id"] for found in memories.find({}, {"_id": 1})]
                    missing -= {(one["session_id"], one["event_id"]) for one in ids}
                    time.sleep(0.5 if missing else 0)
        return missing


def step_down(members: ReplicaSet) -> None:
    """Hand over by force: a primary that does not wait for its followers may lose what they lack."""
    with direct(members.wait_until_whole(PATIENCE)) as client:
        client.admin.command("replSetStepDown", 2, secondaryCatchUpPeriodSecs=1, force=True)
    members.wait_for_primary(PATIENCE)


def kill(members: ReplicaSet) -> None:
    members.wait_until_whole(PATIENCE)
    dead = members.kill_primary()
    members.wait_for_primary(PATIENCE)
    dead.start()


def freeze_for_a_while(members: ReplicaSet) -> None:
    primary: EmbeddedServer = members.wait_until_whole(PATIENCE)
    freeze(primary)
    time.sleep(2)
    thaw(primary)


async def disturb(
    members: ReplicaSet, rounds: Sequence[Callable[[ReplicaSet], None]], *, seed: int, check_every: int = 25
) -> Load:
    """Run the load through all rounds, in random order; what is acknowledged is looked for on the way."""
    load = Load(members.uri, DATABASE_PREFIX + uuid.uuid4().hex[:16])
    rounds = random.Random(seed).sample(rounds, len(rounds))
    running = asyncio.create_task(load.run())
    await asyncio.sleep(0.5)
    for number, disturbance in enumerate(rounds, 1):
        await asyncio.to_thread(disturbance, members)
        await asyncio.sleep(0.3)
        assert not running.done(), running
        if number % check_every == 0:
            assert not await asyncio.to_thread(load.lost)
    load.stopped = True
    await running
    return load


@pytest.mark.timeout(120)
async def test_nothing_acknowledged_is_lost(thawed: ReplicaSet) -> None:
    load = await disturb(thawed, [step_down] * 6 + [kill] * 2 + [freeze_for_a_while], seed=1)

    assert len(load.acknowledged) > 100
    assert not load.lost()
    assert load.slowest < 10.5


@pytest.mark.slow
@pytest.mark.timeout(1200)
async def test_nothing_acknowledged_is_lost_in_two_hundred_rounds(
    thawed: ReplicaSet, record_property: Callable[[str, object], None]
) -> None:
    load = await disturb(thawed, [step_down] * 160 + [kill] * 35 + [freeze_for_a_while] * 5, seed=2)

    record_property("acknowledged", len(load.acknowledged))
    record_property("errors", load.errors)
    record_property("slowest", load.slowest)
    assert len(load.acknowledged) > 1000
    assert not load.lost()
    assert load.slowest < 10.5
    print(f"{len(load.acknowledged)} acknowledged, errors {load.errors}, slowest {load.slowest:.1f} s")


@pytest.mark.parametrize("rounds", [2, pytest.param(10, marks=pytest.mark.slow)])
async def test_a_killed_standalone_has_every_acknowledged_event(
    standalone: EmbeddedServer, rounds: int
) -> None:
    load = Load(standalone.uri, DATABASE_PREFIX + uuid.uuid4().hex[:16])
    running = asyncio.create_task(load.run())
    for _ in range(rounds):
        await asyncio.sleep(1)
        await asyncio.to_thread(standalone.kill)
        await asyncio.to_thread(standalone.start)
        assert not await asyncio.to_thread(load.lost)
    load.stopped = True
    await running

    assert len(load.acknowledged) > 50
    assert not load.lost()
    with MongoClient[dict[str, Any]](standalone.uri) as client:
        client.drop_database(load.database)
