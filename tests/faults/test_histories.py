"""Random histories with random faults: the service answers as its readable twin, and loses nothing."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from pymongo import MongoClient

from mongorecall import InMemoryMemoryService, MongoDbMemoryService
from mongorecall.errors import RecallError
from tests.drivers.faulty import failing
from tests.faults.scenario import SCOPE, event
from tests.servers.fixtures import DATABASE_PREFIX

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mongorecall.base import BaseMemoryService
    from mongorecall.embedded import EmbeddedServer

SESSIONS = st.sampled_from(["one", "two"])
NUMBERS = st.integers(0, 5)
SEARCHABLE = ["coffee", "coffee and tea", "tea", "日本 coffee"]
TEXTS = st.sampled_from([*SEARCHABLE, "the", ""])
COMMANDS = ["insert", "update", "delete", "find", "aggregate", "createIndexes", "listCollections"]
PASSING: list[dict[str, Any]] = [
    {"closeConnection": True},
    {"errorCode": 11602, "errorLabels": ["RetryableWriteError"]},
    {"errorCode": 10107},
]
REFUSING: list[dict[str, Any]] = [
    {"errorCode": 2},
    {"errorCode": 50},
    {"writeConcernError": {"code": 64, "errmsg": ""}},
]


class Histories(RuleBasedStateMachine):
    """Adds, redactions, deletions and searches, some of which meet faults."""

    server: EmbeddedServer
    driver: str

    def __init__(self) -> None:
        super().__init__()
        self.stack = contextlib.ExitStack()
        self.runner = self.stack.enter_context(asyncio.Runner())
        self.admin: MongoClient[dict[str, Any]] = self.stack.enter_context(MongoClient(self.server.uri))
        self.database = DATABASE_PREFIX + uuid.uuid4().hex[:16]
        self.stack.callback(self.admin.drop_database, self.database)

    @initialize()
    def open(self) -> None:
        """A service that knows nothing yet, and its twin."""
        self.twin = InMemoryMemoryService()
        self.service = MongoDbMemoryService(
            connection_string=f"{self.server.uri}&appName=tested",
            driver=self.driver,  # type: ignore[arg-type] # one of the two
            database_name=self.database,
        )
        self.stack.callback(lambda: self.runner.run(self.service.close()))

    def both(self, act: Callable[[BaseMemoryService], Awaitable[Any]]) -> None:
        """Do it here and there."""

        async def run() -> None:
            await act(self.service)
            await act(self.twin)

        self.runner.run(run())

    @rule(session=SESSIONS, number=NUMBERS, text=TEXTS)
    def add(self, session: str, number: int, text: str) -> None:
        """Add an event, new, changed or redacted."""
        self.both(lambda one: one.add_events(**SCOPE, session_id=session, events=[event(number, text)]))

    @rule(session=SESSIONS, texts=st.lists(TEXTS, min_size=1, max_size=8))
    def add_session(self, session: str, texts: list[str]) -> None:
        """Add a growing session, some of it again."""
        events = [event(number, text) for number, text in enumerate(texts)]
        self.both(lambda one: one.add_events(**SCOPE, session_id=session, events=events))

    @rule(session=SESSIONS, number=NUMBERS)
    def forget(self, session: str, number: int) -> None:
        """Forget an event that may be there."""
        self.both(lambda one: one.delete_memory(**SCOPE, session_id=session, memory_id=f"e{number}"))

    @rule(session=SESSIONS)
    def remember_again(self, session: str) -> None:
        """Lift the markers of a session."""
        self.both(lambda one: one.remember_again(**SCOPE, session_id=session))

    @rule(
        command=st.sampled_from(COMMANDS),
        fault=st.sampled_from(PASSING),
        times=st.integers(1, 2),
        session=SESSIONS,
        number=NUMBERS,
        text=TEXTS,
    )
    def add_through_a_fault(
        self, command: str, fault: dict[str, Any], times: int, session: str, number: int, text: str
    ) -> None:
        """A fault that passes is not noticed."""
        with failing(self.admin, [command], times=times, appName="tested", **fault):
            self.add(session, number, text)

    @rule(
        command=st.sampled_from(COMMANDS),
        fault=st.sampled_from(REFUSING),
        session=SESSIONS,
        number=NUMBERS,
        text=TEXTS,
    )
    def add_until_it_succeeds(
        self, command: str, fault: dict[str, Any], session: str, number: int, text: str
    ) -> None:
        """A fault that is told leaves something or nothing; repeating the add makes it right."""
        events = [event(number, text)]

        async def try_it() -> None:
            with contextlib.suppress(RecallError):
                await self.service.add_events(**SCOPE, session_id=session, events=events)

        with failing(self.admin, [command], appName="tested", **fault):
            self.runner.run(try_it())
        self.add(session, number, text)

    @rule(session=SESSIONS, number=NUMBERS, text=st.sampled_from(SEARCHABLE), pause=st.integers(0, 5))
    def add_after_a_cancelled_add(self, session: str, number: int, text: str, pause: int) -> None:
        """An add that was cancelled never overwrites the one that began later.

        A text without keywords would leave a marker or none, by whether the cancelled one was under way.
        """

        async def run() -> None:
            events = [event(number, "coffee of long ago")]
            old = asyncio.create_task(self.service.add_events(**SCOPE, session_id=session, events=events))
            await asyncio.sleep(pause * 0.001)
            old.cancel()
            await asyncio.wait([old])

        self.runner.run(run())
        # The twin saw the old add as well or not: either way the new text is what stays.
        self.add(session, number, text)

    @invariant()
    def they_answer_alike(self) -> None:
        """The same memories in the same order, for every query, and nothing forgotten."""
        if hasattr(self, "service"):
            assert self.runner.run(_answers(self.service)) == self.runner.run(_answers(self.twin))

    def teardown(self) -> None:
        self.stack.close()


async def _answers(service: BaseMemoryService) -> list[Any]:
    answers: list[Any] = [await service.count_memories(**SCOPE)]
    for query in ("coffee", "tea", "日本 tea"):
        found = (await service.search_memory(**SCOPE, query=query)).memories
        answers.append([(memory.session_id, memory.id, memory.score) for memory in found])
    return answers


@pytest.mark.timeout(600)
@pytest.mark.parametrize("examples", [6, pytest.param(60, marks=pytest.mark.slow)])
def test_histories_with_faults(standalone: EmbeddedServer, driver: str, examples: int) -> None:
    class OnThisDriver(Histories):
        pass

    OnThisDriver.server, OnThisDriver.driver = standalone, driver
    run_state_machine_as_test(
        OnThisDriver,
        settings=settings(
            max_examples=examples,
            stateful_step_count=15,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
