"""What a weighed search costs on MongoDB, and what it works on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from pymongo.collection import Collection

from mongorecall import Event
from mongorecall._operations import weighing
from mongorecall._ranking import Admits, ContextRanking, Document, Ranked
from tests.recall.talk import filler, ids, recall, remember, turns, twin
from tests.servers.fixtures import MakeService


async def context(make_service: MakeService, **options: Any) -> Any:
    return await make_service(**{"analyzer": "multilingual", "ranking": "context", **options})


async def test_an_answer_is_found_through_its_question(make_service: MakeService) -> None:
    service = await context(make_service)
    await remember(service, turns("Which glaze do you like best?", "Celadon, by far"))
    await remember(service, filler(30), "s2")
    answer = (await recall(service, "glaze"))[1]
    assert answer.content.text == "Celadon, by far"
    assert [lent.event_id for lent in answer.lent_keywords] == ["e0"]


async def test_own_writes_are_weighed_at_once(make_service: MakeService) -> None:
    service = await context(make_service, ranking="idf")
    await remember(service, turns("kiln glaze"))
    before = (await recall(service, "kiln"))[0].score
    await remember(service, filler(40), "s2")
    after = (await recall(service, "kiln"))[0].score
    assert before is not None
    assert after is not None
    assert after > before


async def test_forgotten_turns_lend_and_weigh_nothing(make_service: MakeService) -> None:
    service, expected = await context(make_service), twin()
    for one in (service, expected):
        await remember(one, turns("kiln", "glaze", "ash"))
        await one.delete_memory(app_name="app", user_id="u", memory_id="e1", session_id="s1")
    assert await recall(service, "kiln glaze") == await recall(expected, "kiln glaze")


@pytest.mark.parametrize("ensure_indexes", [True, False])
async def test_the_order_is_the_same_with_and_without_the_index_of_sessions(
    make_service: MakeService, raw: Collection[dict[str, Any]], ensure_indexes: bool
) -> None:
    service, expected = await context(make_service, ensure_indexes=ensure_indexes), twin()
    for one in (service, expected):
        await remember(one, turns(*[f"kiln {n % 7} ash {n % 3}" for n in range(60)]))
    assert await recall(service, "kiln 3 ash 1") == await recall(expected, "kiln 3 ash 1")
    assert ("mongorecall_sessions" in raw.index_information()) is ensure_indexes


async def test_long_sessions_are_read_around_the_anchors_only(
    make_service: MakeService, raw: Collection[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weighing, "MOST_AROUND", 100)
    service, expected = await context(make_service), twin()
    for one in (service, expected):
        await remember(one, turns(*[f"kiln {n}" if n % 97 == 0 else f"talk {n}" for n in range(3000)]))
    first = await recall(service, "kiln 97")
    database = raw.database
    database.command("profile", 2)
    try:
        assert await recall(service, "kiln 97") == first == await recall(expected, "kiln 97")
    finally:
        database.command("profile", 0)
    examined = [entry["docsExamined"] for entry in database["system.profile"].find({"op": "command"})]
    assert 0 < sum(examined) < 1_000


async def test_collections_of_google_adk_are_ranked(
    make_service: MakeService, raw: Collection[dict[str, Any]]
) -> None:
    service = await make_service(ranking="context")
    await remember(service, turns("Which glaze do you like best?", "Celadon, by far"))
    raw.update_many({}, {"$unset": {"mr": ""}})
    assert await ids(service, "glaze") == ["e0", "e1"]


class Longest:
    """A rule of one's own: the longest turns first."""

    name = "longest"

    def rank(
        self,
        documents: Iterable[Document],
        query_keywords: Sequence[str],
        *,
        query: str = "",
        admits: Admits | None = None,
    ) -> list[Ranked]:
        admitted = [document for document in documents if admits is None or admits(document)]
        rows = [Ranked(document, float(len(document["keywords"])), ()) for document in admitted]
        return sorted(rows, key=lambda row: -row.score)


async def test_a_ranking_of_ones_own_works_on_both_services(make_service: MakeService) -> None:
    for service in (await make_service(ranking=Longest()), twin(ranking=Longest(), analyzer="classic")):
        await remember(service, turns("kiln", "kiln glaze ash", "clay ash"))
        assert await ids(service, "anything") == ["e1", "e2", "e0"]


async def test_malformed_documents_around_an_anchor_do_no_harm(
    make_service: MakeService, raw: Collection[dict[str, Any]]
) -> None:
    service = await context(make_service)
    await remember(service, turns("kiln", "glaze", "ash", "clay"))
    key = {"_id.event_id": "e1"}
    damages: tuple[dict[str, Any], ...] = (
        {"content": 5},
        {"timestamp": None},
        {"keywords": "glaze"},
        {"author": 7},
        {"mr": 5},
        {"mr": []},
        {"keywords": 5},
    )
    for broken in damages:
        raw.update_one(key, {"$set": broken})
        assert (await ids(service, "kiln"))[0] == "e0"


async def test_a_scope_of_one_turn_is_ranked(make_service: MakeService) -> None:
    service = await context(make_service, ranking=ContextRanking(reach=0))
    await remember(service, [Event(id="e0", timestamp=0.0, content=turns("kiln")[0].content)])
    assert await ids(service, "kiln") == ["e0"]


@pytest.mark.parametrize("reach", [0, 2])
async def test_turns_outside_any_session_are_ranked_with_the_others(
    make_service: MakeService, reach: int
) -> None:
    service = await context(make_service, ranking=ContextRanking(reach=reach))
    expected = twin(ranking=ContextRanking(reach=reach))
    for one in (service, expected):
        await remember(one, turns("Is the kiln hot?", "kiln", "ash, or a kiln?", prefix="loose"), None)
        await remember(one, turns("kiln?", "it is", "ash", prefix="held"))
        await remember(one, filler(40), "s2")
    for query in ("kiln", "kiln ash", "hot"):
        found = await recall(service, query)
        assert found
        assert found == await recall(expected, query)


async def test_more_matches_than_anchors_come_with_their_content(make_service: MakeService) -> None:
    service, expected = await context(make_service), twin()
    said = turns(*(f"kiln {n}" for n in range(90)))
    for one in (service, expected):
        for session in range(9):  # far fewer candidates near the anchors than a page holds
            await remember(one, said[session::9], f"s{session}")
        await remember(one, filler(600), "filler")
    found = await recall(service, "kiln", limit=80)
    assert len(found) == 80
    assert found == await recall(expected, "kiln", limit=80)
