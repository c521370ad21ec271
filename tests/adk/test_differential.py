"""Side by side with google-adk's own MongoDbMemoryService, on one server, with default options."""

from __future__ import annotations

from datetime import datetime
from itertools import groupby
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from tests.adk.histories import Call, history, queries

if TYPE_CHECKING:
    from google.adk.integrations.mongodb import MongoDbMemoryService as PeerService
    from google.adk.memory.memory_entry import MemoryEntry
    from pymongo import MongoClient

    from mongorecall.adk import MongoDbMemoryService
    from tests.adk.conftest import MakeDropIn, MakePeer

    Service = PeerService | MongoDbMemoryService

LIMITS = (1, 2, 50)
HISTORIES = 4


async def play(service: Service, calls: list[Call]) -> None:
    """Write a history."""
    for call in calls:
        await service.add_events_to_memory(
            app_name="support", user_id=call.user_id, session_id=call.session_id, events=call.events
        )


async def ask(service: Service, user_id: str, query: str) -> list[MemoryEntry]:
    """Search it."""
    found = await service.search_memory(app_name="support", user_id=user_id, query=query)
    return list(found.memories)


def moment(entry: MemoryEntry) -> float:
    """The instant: ours has an offset, the peer's is local time."""
    return datetime.fromisoformat(entry.timestamp or "").timestamp()


def told(entry: MemoryEntry) -> tuple[Any, ...]:
    """Everything an entry says but the form of its time."""
    return entry.id, entry.author, entry.content.model_dump_json(), moment(entry), str(entry.custom_metadata)


def same_answer(
    peers: list[MemoryEntry], ours: list[MemoryEntry], scores: dict[tuple[Any, ...], float]
) -> bool:
    """Equal, entry by entry, in order.

    Among entries of equal score and time the peer's order is undefined, so there the members count; in the
    last such group of a full page not even they, since the page ends somewhere inside.
    """

    def groups(entries: list[MemoryEntry]) -> list[tuple[Any, set[Any]]]:
        rows = [((scores[told(entry)], moment(entry)), told(entry)) for entry in entries]
        return [(key, {row[1] for row in group}) for key, group in groupby(rows, key=lambda row: row[0])]

    left, right = groups(peers), groups(ours)
    last = [(key, len(members)) for key, members in left[-1:]]
    return left[:-1] == right[:-1] and last == [(key, len(members)) for key, members in right[-1:]]


@pytest.mark.seed("R-033", "R-034", "R-035", "R-037", "R-092")
@pytest.mark.parametrize("seed", range(HISTORIES))
async def test_random_histories_are_stored_and_found_alike(
    seed: int, make_drop_in: MakeDropIn, make_peer: MakePeer, admin: MongoClient[Any], database: str
) -> None:
    """Written by either, read by both: the same documents, the same entries, in the same order."""
    random = Random(seed)
    calls = history(random)
    await play(make_peer(memories_collection="peers"), calls)
    await play(await make_drop_in(memories_collection="ours"), calls)

    assert stored(admin[database]["ours"]) == stored(admin[database]["peers"])

    everything = await make_drop_in(memories_collection="ours", max_results=10_000, include_details=True)
    for limit in LIMITS:
        readers: list[Service] = [
            await make_drop_in(memories_collection="ours", max_results=limit),
            await make_drop_in(memories_collection="peers", max_results=limit),
            make_peer(memories_collection="ours", max_results=limit),
            make_peer(memories_collection="peers", max_results=limit),
        ]
        for query in queries(random):
            for user_id in ("u-1", "u-2"):
                scores = await scores_of(everything, user_id, query)
                ours, across, peers_across, peers = [await ask(each, user_id, query) for each in readers]
                assert [told(entry) for entry in across] == [told(entry) for entry in ours]
                for page in (peers, peers_across):
                    assert same_answer(page, ours, scores), (seed, limit, query)


def stored(collection: Any) -> list[list[tuple[str, Any]]]:
    """The documents without what is ours alone, by id; fields in their order."""
    documents = [
        [(name, value) for name, value in each.items() if name != "mr"] for each in collection.find()
    ]
    return sorted(documents, key=lambda fields: str(fields[0]))


async def scores_of(service: MongoDbMemoryService, user_id: str, query: str) -> dict[tuple[Any, ...], float]:
    """The score of every match."""
    scores = {}
    for entry in await ask(service, user_id, query):
        score = entry.custom_metadata["score"]
        scores[told(entry.model_copy(update={"custom_metadata": {}}))] = score
    return scores
