"""The servers of the tests: what the fixtures promise to every other test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pymongo import MongoClient
from pymongo.errors import OperationFailure

from tests.servers.fixtures import DATABASE_PREFIX
from tests.servers.processes import AuthServer

if TYPE_CHECKING:
    from pymongo.collection import Collection

    from tests.servers.resolve import Server


def test_the_server_is_a_real_mongodb(server: Server) -> None:
    client: MongoClient[dict[str, Any]] = MongoClient(server.uri)
    with client:
        answer = client.admin.command("buildInfo")

    assert answer["version"] == server.version
    assert answer["storageEngines"]


def test_each_test_has_an_empty_database_of_its_own(database: str, raw: Collection[dict[str, Any]]) -> None:
    raw.insert_one({"a": 1})

    assert database.startswith(DATABASE_PREFIX)
    assert raw.database.name == database
    assert raw.count_documents({}) == 1


def test_a_user_without_create_index_cannot_create_one(auth_server: AuthServer) -> None:
    client: MongoClient[dict[str, Any]] = MongoClient(auth_server.add_user("mem"))
    with client:
        client.mem.memories.insert_one({"a": 1})

        with pytest.raises(OperationFailure) as refused:
            client.mem.memories.create_index("a")

    assert refused.value.code == 13
