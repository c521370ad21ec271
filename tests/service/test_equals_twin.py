"""The service on MongoDB and its twin in memory give the same answers, entry by entry, in order."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mongorecall import Content, Event, InMemoryMemoryService, MongoDbMemoryService, Part
from mongorecall.base import BaseMemoryService
from tests.service.talk import BEGAN

WORDS = [
    "kiln",
    "Glaze",
    "the",
    "Ofen",
    "café",
    "紅茶",
    "使用MongoDB存储",
    "हिन्दी",
    "제이름은",
    "שלום",
    "4417",
    "v2.13.0",
    "i̇stanbul",
    "ﬁre",
]
USERS = ["u-1", "u-2"]
SESSIONS = ["s-1", "s-2", None]

texts = st.lists(st.sampled_from(WORDS), min_size=0, max_size=5).map(" ".join) | st.text(max_size=12)
parts = st.builds(Part, text=texts, thought=st.sampled_from([None, None, None, True]))
contents = st.builds(
    Content, parts=st.lists(parts, max_size=3), role=st.sampled_from([None, "user", "model"])
)
events = st.builds(
    Event,
    id=st.sampled_from([f"e-{n}" for n in range(8)]),
    author=st.sampled_from(["user", "agent", None]),
    timestamp=st.sampled_from([BEGAN, BEGAN + 1, BEGAN + 2.5, 0.0, -5.0]),
    content=st.none() | contents,
    partial=st.sampled_from([None, None, None, None, True]),
)
scopes = st.fixed_dictionaries({"app_name": st.just("app"), "user_id": st.sampled_from(USERS)})
adds = st.tuples(st.just("add"), scopes, st.sampled_from(SESSIONS), st.lists(events, max_size=5))
deletes = st.tuples(st.just("delete"), scopes, st.sampled_from(["memory", "session", "user", "again"]))
searches = st.tuples(
    st.just("search"), scopes, texts,
    st.fixed_dictionaries({}, optional={
        "limit": st.sampled_from([1, 2, 50]), "session_id": st.just("s-1"),
        "exclude_session_id": st.just("s-2"), "author": st.just("user"), "min_score": st.just(2),
    }),
)  # fmt: skip
histories = st.lists(st.one_of(adds, adds, searches, deletes), min_size=1, max_size=12)


async def step(service: BaseMemoryService, move: tuple[Any, ...]) -> Any:
    """Make one move, and give back what can be compared."""
    verb, scope, *rest = move
    if verb == "add":
        return (await service.add_events(**scope, session_id=rest[0], events=rest[1])).model_dump()
    if verb == "search":
        return (await service.search_memory(**scope, query=rest[0], **rest[1])).model_dump()
    if rest[0] == "again":
        return await service.remember_again(**scope)
    if rest[0] == "memory":
        receipt = await service.delete_memory(**scope, memory_id="e-1")
    elif rest[0] == "session":
        receipt = await service.delete_session_memory(**scope, session_id="s-1")
    else:
        receipt = await service.delete_user_memory(**scope)
    return receipt.model_dump(exclude={"at"})


async def everything(service: BaseMemoryService) -> list[Any]:
    """All that lists and counts say of both users."""
    seen: list[Any] = []
    for user_id in USERS:
        scope: dict[str, str] = {"app_name": "app", "user_id": user_id}
        seen.append((await service.list_memories(**scope)).model_dump())  # type: ignore[arg-type]
        seen.append((await service.list_sessions(**scope)).model_dump())  # type: ignore[arg-type]
        seen.append(await service.count_memories(**scope))
    return seen


@pytest.fixture(params=["motor", "pymongo"])
def runner(request: pytest.FixtureRequest, uri: str, database: str) -> Iterator[Any]:
    """Plays a history on both services, on one loop that lasts for all of them."""
    kind: Literal["motor", "pymongo"] = request.param
    played = 0

    async def play(options: dict[str, Any], history: list[tuple[Any, ...]]) -> None:
        nonlocal played
        played += 1
        async with MongoDbMemoryService(
            connection_string=uri, database_name=database, driver=kind,
            memories_collection=f"memories{played}", **options,
        ) as stored:  # fmt: skip
            twin = InMemoryMemoryService(**options)
            for move in history:
                assert await step(stored, move) == await step(twin, move), move
            assert await everything(stored) == await everything(twin)

    with asyncio.Runner() as loop:
        yield lambda options, history: loop.run(play(options, history))


@pytest.mark.filterwarnings("ignore::mongorecall.ExperimentalWarning")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=histories)
def test_random_histories_give_equal_answers(runner: Any, history: list[tuple[Any, ...]]) -> None:
    runner({}, history)


@pytest.mark.filterwarnings("ignore::mongorecall.ExperimentalWarning")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    history=histories,
    ranking=st.sampled_from(["idf", "context", "overlap"]),
    words=st.sampled_from(["classic", "multilingual"]),
)
def test_random_histories_give_equal_answers_with_other_rules(
    runner: Any, history: list[tuple[Any, ...]], ranking: str, words: str
) -> None:
    runner({"ranking": ranking, "analyzer": words, "max_results": 5}, history)
