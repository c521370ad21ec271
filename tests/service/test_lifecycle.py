"""A service is built without I/O, used from any loop, and closed for good."""

from __future__ import annotations

import asyncio
import copy
import pickle
import subprocess
import sys
import threading
import warnings
from typing import Any

import pytest
from motor.motor_asyncio import AsyncIOMotorClient
from pymongo import AsyncMongoClient, MongoClient

import mongorecall
from mongorecall import (
    ClosedError,
    ExperimentalWarning,
    FeatureDisabledError,
    InvalidInputError,
    InvalidTypeError,
    MongoDbMemoryService,
    set_feature,
)
from mongorecall._features import reset_features
from tests.servers.fixtures import MakeService
from tests.service.talk import SCOPE, close_client, ids, talk

NOWHERE = "mongodb://ann:walnut@127.0.0.1:9/?serverSelectionTimeoutMS=100"


def build(**options: Any) -> MongoDbMemoryService:
    """A service that has not sent anything."""
    defaults: dict[str, Any] = {"database_name": "app"}
    if "mongo_client" not in options:
        defaults["connection_string"] = NOWHERE
    return MongoDbMemoryService(**(defaults | options))


@pytest.mark.seed("R-058", "R-059")
def test_exactly_one_of_client_and_connection_string() -> None:
    client: MongoClient[Any] = MongoClient(NOWHERE, connect=False)
    with client, pytest.raises(ValueError, match="exactly one"):
        MongoDbMemoryService(database_name="app", connection_string=NOWHERE, mongo_client=client)
    with pytest.raises(ValueError, match="exactly one"):
        MongoDbMemoryService(database_name="app")


@pytest.mark.seed("R-066")
@pytest.mark.parametrize("bad", [0, -1, True, 2.5, "5", None, float("nan"), 2**70], ids=repr)
def test_max_results_is_a_positive_integer(bad: Any) -> None:
    with pytest.raises(ValueError, match="max_results must be an int from 1"):
        build(max_results=bad)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stop_words": "the"}, "stop_words"),
        ({"stop_words": [5]}, "stop_words"),
        ({"database_name": ""}, "database"),
        ({"database_name": "a.b"}, "database"),
        ({"database_name": None}, "database_name must be str"),
        ({"memories_collection": ""}, "collection"),
        ({"memories_collection": "$x"}, "collection"),
        ({"ensure_indexes": 1}, "ensure_indexes must be bool"),
        ({"driver": "asyncpg"}, "driver"),
        ({"analyzer": "none"}, "analyzer"),
        ({"ranking": "bm25"}, "ranking"),
        ({"operation_timeout": 0}, "operation_timeout"),
        ({"connection_string": 5}, "connection_string"),
        ({"connection_string": "mongodb://ann:walnut@host:port"}, "connection_string"),
        ({"connection_string": NOWHERE + "&w=0"}, "w=0"),
        ({"mongo_client": 5}, "MongoClient"),
        ({"index_parts": {"images"}}, "index_parts"),
    ],
    ids=str,
)
def test_a_bad_option_is_refused_at_construction(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message) as caught:
        build(**options)
    assert "walnut" not in str(caught.value)


@pytest.mark.seed("R-090")
def test_constructing_warns_once_a_process() -> None:
    reset_features()
    with pytest.warns(ExperimentalWarning, match="MONGODB_MEMORY_SERVICE is experimental") as caught:
        build()
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        build()


@pytest.mark.seed("R-091")
def test_constructing_raises_when_the_feature_is_disabled(monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        set_feature("MONGODB_MEMORY_SERVICE", False)
        with pytest.raises(RuntimeError, match="disabled") as caught:
            build()
        assert isinstance(caught.value, FeatureDisabledError)
    finally:
        reset_features()
    monkeypatch.setenv("MONGORECALL_DISABLE_MONGODB_MEMORY_SERVICE", "1")
    with pytest.raises(RuntimeError, match="MONGORECALL_DISABLE_MONGODB_MEMORY_SERVICE"):
        build()
    set_feature("MONGODB_MEMORY_SERVICE", True)
    with pytest.warns(ExperimentalWarning):
        build()


@pytest.mark.filterwarnings("ignore::mongorecall.ExperimentalWarning")
def test_a_repr_shows_no_password() -> None:
    service = build()
    assert "walnut" not in repr(service)
    assert "app.memories" in repr(service)


async def test_a_service_from_a_connection_string_is_pickled_without_sockets(
    make_service: MakeService, driver: str
) -> None:
    service = await make_service(stop_words={"kiln"}, ranking="idf", store_metadata=True)
    await service.add_session_to_memory(talk("kiln glaze"))
    for copied in (pickle.loads(pickle.dumps(service)), copy.deepcopy(service)):
        async with copied:
            assert copied.capabilities == service.capabilities
            assert (await copied.search_memory(**SCOPE, query="kiln")).reason == "no_searchable_words"
            assert ids(await copied.search_memory(**SCOPE, query="glaze")) == ["e-0"]


@pytest.mark.filterwarnings("ignore::mongorecall.ExperimentalWarning")
async def test_a_service_on_a_callers_client_says_that_it_cannot_be_pickled() -> None:
    client: AsyncIOMotorClient[Any] = AsyncIOMotorClient(NOWHERE)
    with pytest.raises(TypeError, match="caller's mongo_client cannot be pickled"):
        pickle.dumps(build(mongo_client=client))
    client.close()


async def test_after_close_every_call_says_so_and_closing_twice_is_harmless(
    service: MongoDbMemoryService,
) -> None:
    await service.close()
    await service.close()
    calls = [
        service.add_session_to_memory(talk("kiln")),
        service.search_memory(**SCOPE, query="kiln"),
        service.list_memories(**SCOPE),
        service.list_sessions(**SCOPE),
        service.count_memories(**SCOPE),
        service.delete_user_memory(**SCOPE),
        service.remember_again(**SCOPE),
        anext(service.export_user(**SCOPE)),
    ]
    for call in calls:
        with pytest.raises(ClosedError, match="closed"):
            await call


@pytest.mark.seed("R-062")
async def test_services_on_different_collections_are_apart(make_service: MakeService) -> None:
    one = await make_service(memories_collection="one")
    two = await make_service(memories_collection="two")
    await one.add_session_to_memory(talk("kiln"))
    assert ids(await one.search_memory(**SCOPE, query="kiln")) == ["e-0"]
    assert (await two.search_memory(**SCOPE, query="kiln")).reason == "nothing_stored"


@pytest.mark.parametrize("kind", [MongoClient, AsyncIOMotorClient, AsyncMongoClient])
async def test_each_kind_of_client_works_and_stays_open(uri: str, database: str, kind: Any) -> None:
    client = kind(uri)
    for _ in range(2):
        async with MongoDbMemoryService(mongo_client=client, database_name=database) as service:
            await service.add_session_to_memory(talk("kiln"))
            assert ids(await service.search_memory(**SCOPE, query="kiln")) == ["e-0"]
    answer = client.admin.command("ping")
    assert (answer if isinstance(answer, dict) else await answer)["ok"] == 1
    await close_client(client)


@pytest.mark.filterwarnings("ignore::mongorecall.ExperimentalWarning")
def test_one_service_serves_loops_one_after_the_other_and_side_by_side(
    uri: str, database: str, driver: Any
) -> None:
    service = MongoDbMemoryService(connection_string=uri, database_name=database, driver=driver)
    found: list[list[str | None]] = []

    async def turn_around() -> None:
        await service.add_session_to_memory(talk("kiln"))
        found.append(ids(await service.search_memory(**SCOPE, query="kiln")))

    asyncio.run(turn_around())
    asyncio.run(turn_around())
    threads = [threading.Thread(target=asyncio.run, args=(turn_around(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    asyncio.run(service.close())
    assert found == [["e-0"]] * 6


def test_importing_the_library_loads_no_optional_dependency() -> None:
    optional = ["google", "fastapi", "starlette", "opentelemetry", "typer", "rich", "Stemmer", "uvicorn"]
    program = f"import sys, mongorecall; print([n for n in {optional} if n in sys.modules])"
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == "[]"


def test_everything_named_is_exported() -> None:
    assert sorted(mongorecall.__all__) == sorted(set(mongorecall.__all__))
    for name in mongorecall.__all__:
        assert hasattr(mongorecall, name)


@pytest.mark.filterwarnings("ignore::mongorecall.ExperimentalWarning")
async def test_a_search_of_another_type_is_refused(service: MongoDbMemoryService) -> None:
    for query in (None, 5, ["kiln"]):
        with pytest.raises(InvalidTypeError, match="query must be str"):
            await service.search_memory(**SCOPE, query=query)  # type: ignore[arg-type]
