"""The tools for other people's tests: assertions, factories, the pytest plugin, the contract."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from google.adk.memory import InMemoryMemoryService as AdkInMemoryMemoryService

from mongorecall import InMemoryMemoryService, MemoryScope, MongoDbMemoryService
from mongorecall.adk import from_adk
from mongorecall.base import BaseMemoryService
from mongorecall.inspection import InspectingMemoryService
from mongorecall.testing import assert_not_recalls, assert_recalls, make_session
from mongorecall.testing.inspection import InspectionContract
from tests.inspection.world import APP, COFFEE, USER, World
from tests.servers.fixtures import MakeService

SCOPE = {"app_name": APP, "user_id": USER}


async def test_a_recall_is_asserted_and_returned(world: World) -> None:
    """Anything, an event, or a text."""
    await world.write(COFFEE)
    service = await world.service()

    assert (await assert_recalls(service, **SCOPE, query="coffee")).id == "s-1-1"  # type: ignore[arg-type]
    assert (await assert_recalls(service, **SCOPE, query="coffee", event="s-1-1")).author == "user"  # type: ignore[arg-type]
    await assert_recalls(service, **SCOPE, query="coffee", text="flat white")  # type: ignore[arg-type]
    await assert_not_recalls(service, **SCOPE, query="tea")  # type: ignore[arg-type]
    await assert_not_recalls(service, **SCOPE, query="coffee", text="espresso")  # type: ignore[arg-type]


async def test_a_failed_recall_says_why(world: World) -> None:
    """The message is the diagnosis, down to the next step."""
    await world.write(COFFEE, user_id="42")

    with pytest.raises(AssertionError) as failure:
        await assert_recalls(await world.service(), **SCOPE, query="coffee", allow_key_listing=True)  # type: ignore[arg-type]

    message = str(failure.value)
    assert message.startswith(
        "'coffee' does not recall anything; 0 found\ndiagnosis of support/u-42: key_mis"
    )
    assert "FAIL KEY" in message
    assert "1 memory under support/42" in message
    assert "next: Build app_name and user_id in one shared function" in message


async def test_a_missed_event_says_which_stage_lost_it(world: World) -> None:
    """Also when other memories were found."""
    await world.write(COFFEE, "coffee again", max_results=1)

    with pytest.raises(AssertionError, match="event s-1-1: matched, and ranked 2: below the page of 1"):
        await assert_recalls(
            await world.service(max_results=1),
            **SCOPE,  # type: ignore[arg-type]
            query="coffee",
            event="s-1-1",
        )


async def test_an_unwanted_recall_says_which_words_found_it(world: World) -> None:
    """The events and the query words that they share."""
    await world.write(COFFEE)

    with pytest.raises(
        AssertionError, match=r"(?s)recalls anything:.*1\. event s-1-1 of session s-1: coffee"
    ):
        await assert_not_recalls(await world.service(), **SCOPE, query="coffee")  # type: ignore[arg-type]


async def test_the_plugin_gives_a_service_and_a_scope_of_ones_own(
    mongorecall_service: MongoDbMemoryService, mongorecall_scope: MemoryScope
) -> None:
    """On a real server, and empty."""
    app_name, user_id = mongorecall_scope.app_name, mongorecall_scope.user_id
    await assert_not_recalls(mongorecall_service, app_name=app_name, user_id=user_id, query="coffee")

    await mongorecall_service.add_session(make_session(COFFEE, app_name=app_name, user_id=user_id))

    await assert_recalls(mongorecall_service, app_name=app_name, user_id=user_id, query="coffee")


def test_factories_are_the_same_every_time() -> None:
    """Fixed ids and times, a minute apart."""
    one, two = make_session(COFFEE, "tea"), make_session(COFFEE, "tea")

    assert one == two
    assert [event.id for event in one.events] == ["s-1-1", "s-1-2"]
    assert one.events[1].timestamp - one.events[0].timestamp == 60


class TestInspectedMongoDb(InspectionContract):
    """Our service inside its inspecting decorator keeps every promise.

    On Motor only: the contract runs on both drivers without the decorator, which touches no driver.
    """

    @pytest.fixture
    def driver(self) -> str:
        """The default one."""
        return "motor"

    @pytest_asyncio.fixture
    async def service(self, make_service: MakeService) -> BaseMemoryService:
        """MongoDB, decorated."""
        return InspectingMemoryService(await make_service(), hooks=[])


class TestInspectedTwin(InspectionContract):
    """The in-memory service inside its inspecting decorator."""

    @pytest_asyncio.fixture
    async def service(self) -> AsyncIterator[BaseMemoryService]:
        """In memory, decorated."""
        async with InspectingMemoryService(InMemoryMemoryService(), hooks=[]) as service:
            yield service


@pytest.mark.seed("I-030")
async def test_a_service_of_google_adk_is_inspected_and_diagnosed() -> None:
    """Through `from_adk`, by what it returns and what the decorator saw."""
    memory = InspectingMemoryService(from_adk(AdkInMemoryMemoryService()), hooks=[])
    await memory.add_session_to_memory(make_session(COFFEE))

    await assert_recalls(memory, **SCOPE, query="coffee")  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="no_shared_keyword"):
        await assert_recalls(memory, **SCOPE, query="espresso")  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="nothing_written"):
        await assert_recalls(memory, app_name=APP, user_id="42", query="coffee")
    with pytest.raises(AssertionError, match="no_searchable_words"):
        await assert_recalls(memory, **SCOPE, query="?!")  # type: ignore[arg-type]
    await assert_recalls(memory, **SCOPE, query="is it")  # type: ignore[arg-type]  # no stop words there
