"""A score taken apart: what each part is, and that the parts sum up to it exactly."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mongorecall import Content, Event
from mongorecall._ranking import ContextRanking, IdfRanking, OverlapRanking, Ranking
from mongorecall.models import MemoryEntry, ScorePart
from tests.recall.talk import BEGAN, filler, recall, remember, turns, twin
from tests.recall.test_equality import histories, queries
from tests.servers.fixtures import MakeService

share = st.floats(0, 1)
rankings = st.one_of(
    st.just(OverlapRanking()),
    st.just(IdfRanking()),
    st.builds(
        ContextRanking,
        reach=st.integers(0, 3),
        backward=share,
        forward=share,
        author=st.floats(0, 10),
        question=share,
        anchors=st.sampled_from([1, 3, 30]),
    ),
)


def sums(memory: MemoryEntry) -> set[float]:
    """The sum of the contributions, forwards and backwards."""
    added = [part.contribution for part in memory.score_parts]
    return {sum(added), sum(reversed(added))}


@settings(max_examples=60, deadline=None)
@given(history=histories, asked=queries, ranking=rankings)
def test_parts_sum_up_to_the_score_exactly(history: list[Any], asked: list[str], ranking: Ranking) -> None:
    async def play() -> None:
        service = twin(ranking=ranking)
        for number, (text, author, minute, session) in enumerate(history):
            event = Event(
                id=f"e{number}", author=author, timestamp=BEGAN + 60 * minute, content=Content.of(text)
            )
            await remember(service, [event], session)
        for query in asked:
            plain = await recall(service, query)
            apart = await recall(service, query, score_parts=True)
            assert [memory.model_copy(update={"score_parts": ()}) for memory in apart] == plain
            for memory in apart:
                assert sums(memory) == {memory.score}
                own = [part.keyword for part in memory.score_parts if part.kind == "keyword"]
                lent = [
                    (part.keyword, part.event_id, part.distance)
                    for part in memory.score_parts
                    if part.kind == "lent_keyword"
                ]
                assert sorted(map(str, own)) == memory.matched_keywords
                assert sorted(lent, key=str) == sorted(
                    [(one.keyword, one.event_id, one.distance) for one in memory.lent_keywords], key=str
                )

    asyncio.run(play())


def by_kind(memory: MemoryEntry, kind: str) -> ScorePart:
    [part] = [part for part in memory.score_parts if part.kind == kind]
    return part


@pytest.fixture(params=["twin", "stored"])
async def service(request: pytest.FixtureRequest, make_service: MakeService) -> Any:
    """The twin, and the real one on both drivers."""
    if request.param == "twin":
        return twin()
    return await make_service(analyzer="multilingual", ranking="context")


async def test_every_kind_of_part_is_told(service: Any) -> None:
    await remember(service, turns(("Ada", "Which glaze?"), ("Bob", "Celadon"), ("Ada", "glaze")))
    await remember(service, filler(30), "s2")
    found = {
        memory.id: memory for memory in await recall(service, "What glaze does Ada use", score_parts=True)
    }
    weight = by_kind(found["e2"], "keyword").weight
    assert weight

    own = by_kind(found["e2"], "keyword")
    assert (own.keyword, own.factor, own.contribution) == ("glaze", 1.0, weight)
    author = by_kind(found["e2"], "named_author")
    assert author.factor == 1.3
    assert author.contribution == pytest.approx(0.3 * weight, abs=1e-5)

    lent = by_kind(found["e1"], "lent_keyword")
    assert (lent.keyword, lent.event_id, lent.distance, lent.factor) == ("glaze", "e0", -1, 0.7)
    assert lent.contribution == pytest.approx(0.7 * weight, abs=1e-5)
    assert found["e1"].matched_keywords == []

    question = by_kind(found["e0"], "question")
    assert question.factor == 0.8
    assert question.contribution == pytest.approx(-0.26 * weight, abs=1e-5)
    assert all(sums(memory) == {memory.score} for memory in found.values())


async def test_a_turn_near_no_anchor_is_told_its_ceiling() -> None:
    service = twin(ranking=ContextRanking(anchors=1, backward=0.1, forward=0.1))
    await remember(service, turns("kiln anvil", "hm"))
    await remember(service, turns(*["kiln"] * 3, at=1e6, prefix="k"), "s2")
    last = (await recall(service, "kiln anvil", score_parts=True))[-1]
    assert [part.kind for part in last.score_parts] == ["keyword", "ceiling"]
    assert by_kind(last, "ceiling").contribution < 0
    assert sums(last) == {last.score}


async def test_parts_come_only_when_asked_for(service: Any) -> None:
    await remember(service, turns("kiln"))
    assert [memory.score_parts for memory in await recall(service, "kiln")] == [()]
    assert [memory.score_parts for memory in await recall(service, "kiln", score_parts=False)] == [()]


class Newest:
    """A caller's own ranking, which tells no parts."""

    name = "newest"

    def rank(self, documents: Any, keywords: Any, **options: Any) -> Any:
        return OverlapRanking().rank(documents, keywords, **options)


async def test_a_ranking_without_parts_has_none(make_service: MakeService) -> None:
    for service in (twin(ranking=Newest()), await make_service(ranking=Newest())):
        await remember(service, turns("kiln"))
        [memory] = await recall(service, "kiln", score_parts=True)
        assert (memory.score, memory.score_parts) == (1.0, ())
