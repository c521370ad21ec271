"""The contract of `mongorecall.testing` on our services and, through `from_adk`, on google-adk's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pytest
import pytest_asyncio
from google.adk.memory import InMemoryMemoryService as AdkInMemoryMemoryService
from google.adk.memory import SqliteMemoryService

from mongorecall import InMemoryMemoryService
from mongorecall.adk import from_adk
from mongorecall.testing import MemoryServiceContract
from mongorecall.testing._declared import DeclaredCapabilities

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from google.adk.integrations.mongodb import MongoDbMemoryService as PeerService

    from mongorecall.base import BaseMemoryService
    from tests.servers.fixtures import MakeService

_WANTING = {
    "test_an_entry_tells_what_was_said_by_whom_and_when": "its times are local and carry no offset",
    "test_streaming_chunks_are_not_stored": "it stores partial events beside the final one",
    "test_adding_an_event_without_text_erases_it": "it skips a redacted event and keeps the old text",
}
"""What every service of google-adk lacks."""

_TIES = "among equal scores and times its order is not defined"
_REDACTED = "it skips a redacted event and keeps the old text"
_TWICE = "it returns equal turns each time"

pytestmark = pytest.mark.seed("I-060", "I-074")


class TestMongoDb(MemoryServiceContract):
    """Ours with default options, on both drivers."""

    @pytest_asyncio.fixture
    async def service(self, make_service: MakeService) -> BaseMemoryService:
        """On the test's own database."""
        return await make_service()


class TestMongoDbWithEverything(DeclaredCapabilities):
    """Ours with the options that add a capability."""

    @pytest.fixture
    def driver(self) -> str:
        """One of the two; what the options add does not depend on it."""
        return "motor"

    @pytest_asyncio.fixture
    async def service(self, make_service: MakeService) -> BaseMemoryService:
        """On the test's own database."""
        return await make_service(store_metadata=True, direct_memories=True)


class TestInMemory(MemoryServiceContract):
    """The readable twin."""

    @pytest.fixture
    def service(self) -> BaseMemoryService:
        """Empty."""
        return InMemoryMemoryService()


class TestInMemoryWithEverything(DeclaredCapabilities):
    """The twin with the options that add a capability."""

    @pytest.fixture
    def service(self) -> BaseMemoryService:
        """Empty."""
        return InMemoryMemoryService(store_metadata=True, direct_memories=True)


class TestAdkMongoDb(MemoryServiceContract):
    """google-adk's MongoDbMemoryService."""

    deviations: ClassVar[Mapping[str, str]] = _WANTING | {
        "test_the_order_is_total": _TIES,
        "test_adding_an_event_without_words_erases_it": _REDACTED,
    }

    @pytest.fixture
    def service(self, peer: PeerService) -> BaseMemoryService:
        """Adopted, on the test's own database."""
        return from_adk(peer, analyzer="classic")


class TestAdkSqlite(MemoryServiceContract):
    """google-adk's SqliteMemoryService."""

    deviations: ClassVar[Mapping[str, str]] = _WANTING | {
        "test_the_order_is_total": _TIES,
        "test_equal_turns_are_returned_once": _TWICE,
        "test_thoughts_are_never_returned": "it does not search thoughts, but returns them",
    }

    @pytest_asyncio.fixture
    async def service(self, tmp_path: Any) -> AsyncIterator[BaseMemoryService]:
        """Adopted, on a file of the test's own."""
        async with from_adk(SqliteMemoryService(tmp_path / "memory.db")) as service:
            yield service


class TestAdkInMemory(MemoryServiceContract):
    """google-adk's InMemoryMemoryService."""

    deviations: ClassVar[Mapping[str, str]] = _WANTING | {
        "test_among_equals_the_newest_comes_first": "among equal scores the first written comes first",
        "test_the_order_is_total": "among equal scores the first written comes first",
        "test_equal_turns_are_returned_once": _TWICE,
        "test_thoughts_are_never_returned": "it searches thoughts and returns them",
        "test_adding_an_event_with_new_text_replaces_the_old": "an event id that is there is skipped",
        "test_adding_an_event_without_words_erases_it": "an event id that is there is skipped",
        "test_a_part_of_a_session_leaves_the_rest_alone": "adding a session replaces what is stored of it",
    }

    @pytest.fixture
    def service(self) -> BaseMemoryService:
        """Adopted, empty."""
        return from_adk(AdkInMemoryMemoryService())


def test_a_deviation_is_a_strict_expected_failure() -> None:
    """The run also fails when a deviation is none any more, and the contract itself stays as it is."""
    marks = vars(TestAdkMongoDb.test_the_order_is_total)["pytestmark"]
    [mark] = [mark for mark in marks if mark.name == "xfail"]
    assert (mark.kwargs["strict"], mark.kwargs["reason"]) == (True, _TIES)
    assert not hasattr(MemoryServiceContract.test_the_order_is_total, "pytestmark")
