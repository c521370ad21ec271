"""`mongorecall.adk.MongoDbMemoryService` in the place of google-adk's: constructor, switches, clients."""

from __future__ import annotations

import inspect
import pickle
import warnings
from typing import TYPE_CHECKING, Any

import pytest
from google.adk.features import FeatureName
from google.adk.features._feature_registry import temporary_feature_override
from google.adk.integrations.mongodb import MongoDbMemoryService as PeerService
from google.adk.integrations.mongodb import MongoDbToolset
from google.adk.memory import BaseMemoryService as AdkBaseMemoryService
from motor.motor_asyncio import AsyncIOMotorClient
from pymongo import MongoClient

from mongorecall import ExperimentalWarning
from mongorecall._features import reset_features
from mongorecall.adk import MongoDbMemoryService
from tests.adk.events import event

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pymongo.collection import Collection

    from tests.adk.conftest import MakeDropIn

USER: dict[str, Any] = {"app_name": "support", "user_id": "u-42"}


def test_the_constructor_has_every_option_of_the_peer_with_its_default() -> None:
    """Names, keyword-only kinds and defaults."""
    ours = inspect.signature(MongoDbMemoryService).parameters
    peers = inspect.signature(PeerService).parameters
    assert {name: (option.kind, option.default) for name, option in peers.items()} == {
        name: (ours[name].kind, ours[name].default) for name in peers
    }


async def test_the_runner_can_take_it(memory: MongoDbMemoryService) -> None:
    """google-adk asks with ``isinstance``."""
    assert isinstance(memory, AdkBaseMemoryService)


# --- the feature switch ------------------------------------------------------------------------------


@pytest.fixture
def fresh_switches(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a process that has constructed nothing yet."""
    monkeypatch.setattr("google.adk.features._feature_registry._WARNED_FEATURES", set())
    reset_features()
    yield
    reset_features()


@pytest.mark.seed("R-090")
@pytest.mark.usefixtures("fresh_switches")
def test_constructing_warns_once(uri: str, database: str) -> None:
    """One warning for a process, of one class, although two switches are asked."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(2):
            MongoDbMemoryService(database_name=database, connection_string=uri)
    assert [warning.category for warning in seen] == [ExperimentalWarning]


@pytest.mark.seed("R-091")
@pytest.mark.parametrize(
    "variable",
    ["ADK_DISABLE_MONGODB_MEMORY_SERVICE", "MONGORECALL_DISABLE_MONGODB_MEMORY_SERVICE"],
)
@pytest.mark.usefixtures("fresh_switches")
def test_either_switch_in_the_environment_disables_it(
    uri: str, database: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """google-adk's variable and ours."""
    monkeypatch.setenv(variable, "1")
    with pytest.raises(RuntimeError, match="MONGODB_MEMORY_SERVICE is disabled"):
        MongoDbMemoryService(database_name=database, connection_string=uri)


@pytest.mark.seed("R-091")
def test_adks_override_disables_it(uri: str, database: str) -> None:
    """google-adk's switch in code."""
    with (
        temporary_feature_override(FeatureName.MONGODB_MEMORY_SERVICE, enabled=False),
        pytest.raises(RuntimeError, match="MONGODB_MEMORY_SERVICE is disabled"),
    ):
        MongoDbMemoryService(database_name=database, connection_string=uri)


# --- one client for all ------------------------------------------------------------------------------


@pytest.mark.seed("R-080", "R-081")
@pytest.mark.filterwarnings("default:.*MONGODB_TOOL")
async def test_one_mongo_client_serves_the_toolset_and_the_memory(
    uri: str, database: str, raw: Collection[dict[str, Any]]
) -> None:
    """The example of google-adk's guide, and both closed: the client stays open."""
    client: MongoClient[dict[str, Any]] = MongoClient(uri)

    toolset = MongoDbToolset(database_name="catalog", mongo_client=client)
    memory_service = MongoDbMemoryService(
        database_name=database,
        mongo_client=client,
    )

    await memory_service.add_events_to_memory(**USER, events=[event("kiln")])
    assert len((await memory_service.search_memory(**USER, query="kiln")).memories) == 1
    assert [tool.name for tool in await toolset.get_tools()]
    await memory_service.close()
    await toolset.close()
    assert client[database]["memories"].count_documents({}) == raw.count_documents({}) == 1
    client.close()


@pytest.mark.filterwarnings("default:.*MONGODB_TOOL")
async def test_a_motor_client_is_shared_through_its_delegate(uri: str, database: str) -> None:
    """Synchronous users of the same pool take ``client.delegate``, the memory service the client itself."""
    client: AsyncIOMotorClient[dict[str, Any]] = AsyncIOMotorClient(uri)
    toolset = MongoDbToolset(database_name="catalog", mongo_client=client.delegate)
    memory_service = MongoDbMemoryService(database_name=database, mongo_client=client)
    await memory_service.add_events_to_memory(**USER, events=[event("kiln")])
    await memory_service.close()
    await toolset.close()
    assert client.delegate[database]["memories"].count_documents({}) == 1
    assert await client[database]["memories"].count_documents({}) == 1
    client.close()


# --- pickle, repr, close ------------------------------------------------------------------------------


async def test_it_crosses_a_pickle_boundary(memory: MongoDbMemoryService) -> None:
    """As deployments to an agent runtime need; a copy opens a client of its own."""
    await memory.add_events_to_memory(**USER, events=[event("kiln")])
    async with pickle.loads(pickle.dumps(memory)) as copy:
        assert len((await copy.search_memory(**USER, query="kiln")).memories) == 1


def test_with_a_callers_client_it_refuses_to_be_pickled(uri: str, database: str) -> None:
    """A client cannot be built again elsewhere."""
    with MongoClient[dict[str, Any]](uri) as client, pytest.raises(TypeError):
        pickle.dumps(MongoDbMemoryService(database_name=database, mongo_client=client))


def test_its_repr_shows_no_password(database: str) -> None:
    """Reprs end up in logs."""
    service = MongoDbMemoryService(database_name=database, connection_string="mongodb://ann:walnut@db.test")
    assert "walnut" not in repr(service)
    assert repr(service).startswith("MongoDbMemoryService(")


async def test_further_options_reach_the_service(make_drop_in: MakeDropIn) -> None:
    """Everything that `mongorecall.MongoDbMemoryService` takes."""
    memory = await make_drop_in(store_metadata=True, direct_memories=True)
    assert {"metadata", "add_memory"} <= memory.service.capabilities
