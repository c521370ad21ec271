"""The replica set of the tests: what the fault tests build on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pymongo import MongoClient

if TYPE_CHECKING:
    from tests.servers.processes import ReplicaSet


def test_a_killed_primary_is_replaced_and_comes_back(replica_set: ReplicaSet) -> None:
    client: MongoClient[dict[str, Any]] = MongoClient(replica_set.uri)
    with client:
        client.mem.memories.insert_one({"_id": 1})
        dead = replica_set.kill_primary()
        client.mem.memories.insert_one({"_id": 2})
        dead.start()
        replica_set.wait_until_whole()

        assert {document["_id"] for document in client.mem.memories.find()} == {1, 2}
