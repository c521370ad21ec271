"""Weighed searches on MongoDB give the twin's list, entry by entry, however the server is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mongorecall import Content, Event, InMemoryMemoryService, MongoDbMemoryService
from mongorecall._operations import weighing
from mongorecall._planning import _counted
from mongorecall._ranking import ContextRanking, IdfRanking, Ranking
from tests.recall.talk import BEGAN

WORDS = ["kiln", "glaze", "clay", "raku", "anvil", "bellows", "slip", "cone", "ash", "紅茶", "what?"]

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
spoken = st.tuples(
    texts, st.sampled_from(["Ada", "Bob", None]), st.integers(0, 25), st.sampled_from(["s1", "s2", None])
)
histories = st.lists(spoken, min_size=20, max_size=60)
queries = st.lists(texts | st.just("Ada kiln") | st.just("bob glaze ash"), min_size=2, max_size=4)
rankings = st.one_of(
    st.just(IdfRanking()),
    st.builds(
        ContextRanking,
        reach=st.integers(0, 3),
        anchors=st.sampled_from([1, 3, 30]),
        require_match=st.booleans(),
    ),
)
narrowed = st.fixed_dictionaries(
    {},
    optional={
        "limit": st.sampled_from([1, 3, 50]),
        "author": st.just("Ada"),
        "session_id": st.just("s1"),
        "exclude_session_id": st.just("s2"),
        "min_score": st.sampled_from([0.5, 1.5]),
        "score_parts": st.just(True),
    },
)


@pytest.fixture(params=["motor", "pymongo"])
def compare(request: pytest.FixtureRequest, uri: str, database: str) -> Iterator[Any]:
    """Remembers a history in both services and compares what they recall, on one loop for all examples."""
    kind: Literal["motor", "pymongo"] = request.param
    played = 0

    async def play(history: list[Any], asked: list[str], ranking: Ranking, options: dict[str, Any]) -> None:
        nonlocal played
        played += 1
        rules: dict[str, Any] = {"ranking": ranking, "analyzer": "multilingual", "max_results": 10}
        twin = InMemoryMemoryService(**rules)
        async with MongoDbMemoryService(
            connection_string=uri,
            database_name=database,
            driver=kind,
            memories_collection=f"memories{played}",
            **rules,
        ) as stored:
            for number, (text, author, minute, session) in enumerate(history):
                event = Event(
                    id=f"e{number}", author=author, timestamp=BEGAN + 60 * minute, content=Content.of(text)
                )
                await twin.add_events(app_name="a", user_id="u", session_id=session, events=[event])
                history[number] = (event, session)
            for session in ("s1", "s2", None):
                batch = [event for event, where in history if where == session]
                await stored.add_events(app_name="a", user_id="u", session_id=session, events=batch)
            for query in asked:
                scope: dict[str, Any] = {"app_name": "a", "user_id": "u", "query": query, **options}
                assert await stored.search_memory(**scope) == await twin.search_memory(**scope)

    with asyncio.Runner() as loop:
        yield lambda *arguments: loop.run(play(*arguments))


@pytest.mark.parametrize("way", ["usual", "nearest turns", "probes", "bands"])
@pytest.mark.filterwarnings("ignore::mongorecall.ExperimentalWarning")
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=histories, asked=queries, ranking=rankings, options=narrowed)
def test_random_histories(
    way: str,
    compare: Any,
    monkeypatch: pytest.MonkeyPatch,
    history: list[Any],
    asked: list[str],
    ranking: Ranking,
    options: dict[str, Any],
) -> None:
    with monkeypatch.context() as patch:
        if way == "nearest turns":
            patch.setattr(weighing, "MOST_AROUND", 3)
        elif way == "probes":
            patch.setattr(_counted, "FEW", 3)
            patch.setattr(_counted, "MANY", 5)
        elif way == "bands":
            patch.setattr(_counted, "FEW", 3)
            patch.setattr(_counted, "SURE", 0.1)
        compare(list(history), asked, ranking, options)
