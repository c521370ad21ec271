"""A search finds what shares keywords with the query, in one order, whatever is stored."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any

import pytest
from bson import Decimal128, ObjectId
from pymongo.collection import Collection

from mongorecall import InvalidInputError, InvalidTypeError, MongoDbMemoryService
from tests.servers.fixtures import MakeService
from tests.service.talk import BEGAN, SCOPE, Sent, ids, talk, turn


@pytest.mark.seed("R-001", "R-032", "R-092")
async def test_what_was_said_in_one_session_is_found_by_a_shared_word(service: MongoDbMemoryService) -> None:
    await service.add_session_to_memory(talk("My favourite coffee is a flat white.", "The kiln is hot."))
    found = await service.search_memory(**SCOPE, query="Which coffee do I like?")
    assert ids(found) == ["e-0"]
    assert found.memories[0].content.text == "My favourite coffee is a flat white."
    assert found.memories[0].session_id == "s-1"
    assert ids(await service.search_memory(**SCOPE, query="espresso")) == []


@pytest.mark.seed("R-033", "R-034", "R-035")
async def test_more_shared_words_come_first_then_the_newer(service: MongoDbMemoryService) -> None:
    texts = ("kiln glaze", "kiln", "kiln glaze recipe", "kiln glaze")
    await service.add_session_to_memory(talk(*texts))
    found = await service.search_memory(**SCOPE, query="kiln glaze recipe")
    assert [(memory.id, memory.score) for memory in found.memories] == [
        ("e-2", 3.0), ("e-3", 2.0), ("e-0", 2.0), ("e-1", 1.0),
    ]  # fmt: skip
    assert found.memories[1].matched_keywords == ["glaze", "kiln"]
    assert found.query_keywords == ["glaze", "kiln", "recipe"]


async def test_equal_scores_and_times_come_by_id(service: MongoDbMemoryService) -> None:
    events = [turn(f"id{n:03}", f"kiln {n}") for n in reversed(range(60))]
    await service.add_events_to_memory(**SCOPE, session_id="s-1", events=events)
    found = await service.search_memory(**SCOPE, query="kiln", limit=10)
    assert ids(found) == [f"id{n:03}" for n in range(10)]
    assert found.more


@pytest.mark.seed("R-030", "R-054", "R-064")
async def test_query_and_text_are_split_by_one_rule(make_service: MakeService) -> None:
    service = await make_service(stop_words={"Ticket"})
    await service.add_session_to_memory(talk("ticket about the Kiln!"))
    assert ids(await service.search_memory(**SCOPE, query="kiln?")) == ["e-0"]
    assert (await service.search_memory(**SCOPE, query="TICKET")).reason == "no_searchable_words"
    assert ids(await service.search_memory(**SCOPE, query="the")) == ["e-0"]  # the list is replaced


@pytest.mark.seed("R-031")
async def test_a_query_without_keywords_does_not_touch_mongodb(
    watched: tuple[MongoDbMemoryService, Sent],
) -> None:
    service, sent = watched
    for query in ("", "what is it?", "!?"):
        found = await service.search_memory(**SCOPE, query=query)
        assert (found.memories, found.reason) == ([], "no_searchable_words")
    assert sent.names == []


async def test_a_warm_search_is_one_command(watched: tuple[MongoDbMemoryService, Sent]) -> None:
    service, sent = watched
    await service.add_session_to_memory(talk("the kiln is hot", "the wheel turns"))
    await service.search_memory(**SCOPE, query="kiln")
    sent.commands.clear()
    for query in ("kiln", "kiln wheel", "tea"):
        await service.search_memory(**SCOPE, query=query)
    assert sent.names == ["aggregate"] * 3


@pytest.mark.seed("R-036", "R-055", "R-065")
async def test_the_limit_keeps_the_best(make_service: MakeService) -> None:
    service = await make_service(max_results=3)
    await service.add_session_to_memory(talk(*(["kiln"] * 60), "kiln glaze"))
    found = await service.search_memory(**SCOPE, query="kiln glaze")
    assert ids(found) == ["e-60", "e-59", "e-58"]
    assert found.more
    assert len((await service.search_memory(**SCOPE, query="kiln", limit=100)).memories) == 61
    default = await make_service()
    assert len((await default.search_memory(**SCOPE, query="kiln")).memories) == 50


async def test_an_empty_page_says_why(service: MongoDbMemoryService) -> None:
    async def reason(query: str, **options: Any) -> str | None:
        return (await service.search_memory(**SCOPE, query=query, **options)).reason

    assert await reason("kiln") == "nothing_stored"
    await service.add_session_to_memory(talk("kiln"))
    assert await reason("kiln") is None
    assert await reason("tea") == "no_shared_keyword"
    assert await reason("the") == "no_searchable_words"
    assert await reason("kiln", author="agent") == "filtered"


async def test_filters_narrow_a_search(service: MongoDbMemoryService) -> None:
    await service.add_session_to_memory(talk("kiln one", "kiln glaze", session_id="s-1"))
    await service.add_events_to_memory(
        **SCOPE, session_id="s-2", events=[turn("x", "kiln two", at=100.0, author="agent")]
    )

    async def found(**options: Any) -> list[str | None]:
        return ids(await service.search_memory(**SCOPE, query="kiln glaze", **options))

    assert await found() == ["e-1", "x", "e-0"]
    assert await found(session_id="s-2") == ["x"]
    assert await found(exclude_session_id="s-2") == ["e-1", "e-0"]
    assert await found(author="agent") == ["x"]
    assert await found(since=datetime.fromtimestamp(BEGAN + 1, UTC)) == ["e-1", "x"]
    assert await found(until=datetime.fromtimestamp(BEGAN + 1, UTC)) == ["e-0"]
    assert await found(min_score=2) == ["e-1"]
    assert await found(limit=1) == ["e-1"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limit": 0}, "limit must be an int from 1"),
        ({"limit": True}, "limit must be an int"),
        ({"session_id": {"$ne": None}}, "session_id must be str, got dict"),
        ({"author": 5}, "author must be str, got int"),
        ({"since": "2026"}, "since must be a datetime, got str"),
        ({"since": datetime(2026, 1, 1)}, "since must have a UTC offset"),  # noqa: DTZ001
        ({"min_score": float("nan")}, "min_score must be finite"),
        ({"sessions": "s"}, "search_memory has no option 'sessions'"),
    ],
)
async def test_a_bad_filter_is_refused_before_anything_is_sent(
    watched: tuple[MongoDbMemoryService, Sent], options: dict[str, Any], message: str
) -> None:
    service, sent = watched
    with pytest.raises(InvalidInputError, match=message.replace("'", ".")):
        await service.search_memory(**SCOPE, query="kiln", **options)
    assert sent.names == []


HOSTILE = [{"$ne": None}, {"$gt": ""}, {"$regex": ".*"}, None, 5, True, b"u", ["u"]]


@pytest.mark.seed("R-057")
@pytest.mark.parametrize("hostile", HOSTILE, ids=repr)
async def test_no_id_can_be_an_operator(watched: tuple[MongoDbMemoryService, Sent], hostile: Any) -> None:
    service, sent = watched
    for scope in ({**SCOPE, "user_id": hostile}, {**SCOPE, "app_name": hostile}):
        with pytest.raises(InvalidTypeError, match="must be str, got"):
            await service.search_memory(**scope, query="kiln")
        with pytest.raises(InvalidTypeError):
            await service.add_events_to_memory(**scope, events=[])
        with pytest.raises(InvalidTypeError):
            await service.delete_user_memory(**scope)
    with pytest.raises(InvalidTypeError, match="query must be str"):
        await service.search_memory(**SCOPE, query=hostile)
    assert sent.names == []


@pytest.mark.seed("R-057")
async def test_scopes_that_look_alike_are_apart(service: MongoDbMemoryService) -> None:
    scopes = [
        ("a", "b/c"), ("a/b", "c"), ("shop", "alice/qa"), ("shop", "alice qa"), ("shop", "alice-qa"),
        ("shop", "Alice-qa"), ("Shop", "alice-qa"), ("shop", "alice-qa "), ("shop", "42"), ("42", "shop"),
    ]  # fmt: skip
    for app_name, user_id in scopes:
        event = turn("same", f"kiln of {app_name} and {user_id}")
        await service.add_events_to_memory(app_name=app_name, user_id=user_id, session_id="s", events=[event])
    for app_name, user_id in scopes:
        found = await service.search_memory(app_name=app_name, user_id=user_id, query="kiln")
        assert [m.content.text for m in found.memories] == [f"kiln of {app_name} and {user_id}"]


@pytest.mark.seed("R-039")
async def test_equal_turns_appear_once_and_the_page_is_full(service: MongoDbMemoryService) -> None:
    same = [turn(f"same-{n:02}", "kiln glaze") for n in range(50)]
    others = [turn(f"other-{n}", f"kiln {n}", at=-1.0) for n in range(12)]
    await service.add_events_to_memory(**SCOPE, session_id="s-1", events=same + others)
    found = await service.search_memory(**SCOPE, query="kiln glaze", limit=10)
    assert ids(found) == ["same-00", *(f"other-{n}" for n in sorted(map(str, range(12)))[:9])]
    assert found.more


def stored(event_id: str, **changed: Any) -> dict[str, Any]:
    """A document as google-adk writes it, with some fields otherwise."""
    key = {**SCOPE, "session_id": "s-9", "event_id": event_id}
    document = {
        "_id": key, **SCOPE, "session_id": "s-9", "author": "user", "keywords": ["kiln"],
        "content": {"parts": [{"text": f"kiln {event_id}"}], "role": "user"}, "timestamp": BEGAN,
    }  # fmt: skip
    return {name: value for name, value in (document | changed).items() if value is not ...}


SOME_ID = ObjectId("6b0e03b356e2749096fc2082")

ODD_TIMES = [None, ..., "yesterday", "", float("nan"), float("inf"), -1e20, 1e20, BEGAN * 1000,
             Decimal128("12"), [BEGAN], [], {"a": 1}, True]  # fmt: skip


@pytest.mark.parametrize("odd", ODD_TIMES, ids=repr)
async def test_an_odd_time_fails_no_search(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]], odd: Any
) -> None:
    raw.insert_many([stored("odd", timestamp=odd), stored("good")])
    found = await service.search_memory(**SCOPE, query="kiln")
    assert sorted(ids(found), key=str) == ["good", "odd"]
    times = {memory.id: memory.timestamp for memory in found.memories}
    assert times["good"] == "2026-02-25T06:13:20+00:00"
    assert times["odd"] is None


@pytest.mark.seed("R-040")
@pytest.mark.parametrize(
    "content",
    [None, ..., 5, "text", [], {"parts": "kiln"}, {"parts": [{"text": 5}]}, {"parts": 7}, SOME_ID],
    ids=repr,
)
async def test_unreadable_content_is_skipped_and_the_page_is_full(
    service: MongoDbMemoryService,
    raw: Collection[dict[str, Any]],
    caplog: pytest.LogCaptureFixture,
    content: Any,
) -> None:
    bad = [stored(f"bad-{n:02}", content=content, timestamp=BEGAN + 9) for n in range(80)]
    raw.insert_many(bad + [stored(f"good-{n}", author=f"a-{n}") for n in range(5)])
    with caplog.at_level(logging.WARNING, "mongorecall"):
        found = await service.search_memory(**SCOPE, query="kiln", limit=5)
    assert ids(found) == [f"good-{n}" for n in range(5)]
    assert found.skipped == 80
    assert "kind=content_" in caplog.text
    only = await service.search_memory(**SCOPE, query="kiln", author="user")
    assert (only.memories, only.reason, only.skipped) == ([], "malformed", 80)
    assert "kiln" not in caplog.text


async def test_keywords_of_odd_types_fail_no_search(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    odd = ["kiln", ["kiln", 5, None], ["kiln", ["glaze"]], "glaze", 7, None, {"kiln": 1}]
    raw.insert_many([stored(f"odd-{n}", keywords=keywords) for n, keywords in enumerate(odd)])
    found = await service.search_memory(**SCOPE, query="kiln glaze")
    assert sorted(map(str, ids(found))) == ["odd-0", "odd-1", "odd-2", "odd-3"]
    assert {memory.score for memory in found.memories} == {1.0}


async def test_foreign_documents_fail_no_search(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    foreign = [stored("x", _id=ObjectId()), stored("y", _id="plain"), stored("z", author=5, session_id=7)]
    raw.insert_many([*foreign, {"any": "thing"}])
    found = await service.search_memory(**SCOPE, query="kiln")
    assert len(found.memories) == 3
    assert sorted(map(str, ids(found))) == ["None", "plain", "z"]
    assert [memory.author for memory in found.memories if memory.id == "z"] == [None]


@pytest.mark.seed("R-070")
async def test_a_search_reads_through_the_index(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    await service.add_session_to_memory(talk("kiln glaze", "kiln"))
    database = raw.database
    database.command({"profile": 2})
    await service.search_memory(**SCOPE, query="kiln glaze")
    database.command({"profile": 0})
    plans = [
        entry["planSummary"] for entry in database["system.profile"].find({"command.aggregate": "memories"})
    ]
    assert plans
    assert all("IXSCAN" in plan and "COLLSCAN" not in plan for plan in plans)


async def test_a_query_of_ten_thousand_words_is_capped(service: MongoDbMemoryService) -> None:
    await service.add_session_to_memory(talk("word7 and word9999"))
    query = " ".join(f"word{n}" for n in range(10_000))
    found = await service.search_memory(**SCOPE, query=query)
    assert ids(found) == ["e-0"]
    assert len(found.query_keywords) == 1_000
    assert found.memories[0].matched_keywords == ["word7"]


async def test_any_search_fits_into_a_filter_that_another_process_cannot_bend(
    service: MongoDbMemoryService,
) -> None:
    await service.add_session_to_memory(talk("price $where sleep regex"))
    for query in ("$where", "{'$gt': ''}", "^.*$", "$regex sleep(1000)"):
        found = await service.search_memory(**SCOPE, query=query)
        assert set(found.query_keywords) <= {"where", "gt", "regex", "sleep", "1000"}
