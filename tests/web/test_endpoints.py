"""Every endpoint does what it says, on a real MongoDB."""

from __future__ import annotations

import json

import pytest

from mongorecall import MongoDbMemoryService
from mongorecall.fastapi import memory_router
from mongorecall.inspection import InspectingMemoryService, RingBuffer
from tests.servers.fixtures import MakeService
from tests.web.support import COFFEE, MONDAY, Web, by_header


async def test_events_are_stored_and_each_is_accounted_for(monday: Web) -> None:
    events = [
        COFFEE,
        {"id": "e-2", "text": "The wine was red."},
        {"id": "e-3"},
        {"id": "e-4", "text": "is it"},
    ]
    report = await monday.call("events", {"session_id": "monday", "events": events})
    assert report["received"] == 4
    assert (report["stored"], report["unchanged"]) == (1, 1)
    assert report["skipped"] == {"no_content": 1, "stop_words_only": 1}


async def test_a_session_sent_twice_is_stored_once(monday: Web) -> None:
    assert (await monday.call("sessions", MONDAY))["unchanged"] == 1
    assert len((await monday.call("memories/list"))["turns"]) == 1


async def test_an_event_without_id_is_stored_once_when_it_is_sent_again(monday: Web) -> None:
    event = {"author": "user", "text": "The kiln fires at noon.", "timestamp": 5}
    assert (await monday.call("events", {"events": [event]}))["stored"] == 1
    assert (await monday.call("events", {"events": [event]}))["unchanged"] == 1


async def test_events_that_cannot_be_stored_are_named_with_207(monday: Web) -> None:
    too_long = {"id": "é" * 300, "text": "600 bytes of id"}
    answer = await monday.send("/memory/events", {"events": [{"id": "good", "text": "fine words"}, too_long]})
    assert answer.status_code == 207
    assert answer.json()["stored"] == 1
    assert [failed["index"] for failed in answer.json()["failed"]] == [1]


async def test_ttl_makes_memories_expire(monday: Web) -> None:
    event = {"id": "short", "text": "a passing thought"}
    await monday.call("events", {"events": [event], "ttl_seconds": 0.001})
    assert (await monday.call("search", {"query": "passing"}))["hits"] == []


async def test_metadata_is_kept_where_the_service_keeps_it(make_service: MakeService) -> None:
    web = Web(await make_service(store_metadata=True))
    await web.call("events", {"events": [COFFEE], "custom_metadata": {"topic": "drinks"}})
    assert b'"topic":"drinks"' in (await web.send("/memory/export")).content


async def test_a_search_finds_the_turn_and_says_what_matched(monday: Web) -> None:
    found = await monday.call("search", {"query": "Coffee?", "content": True, "reading": True})
    assert found["hits"][0]["score_parts"] == []
    found = await monday.call(
        "search", {"query": "Coffee?", "content": True, "reading": True, "score_parts": True}
    )
    (hit,) = found["hits"]
    assert (hit["event_id"], hit["session_id"], hit["rank"], hit["score"]) == ("e-1", "monday", 1, 1.0)
    (part,) = hit["score_parts"]
    assert (part["kind"], part["keyword"], part["contribution"]) == ("keyword", "coffee", 1.0)
    assert hit["text"] == COFFEE["text"]
    assert "".join(token["text"] for token in hit["tokens"]) == COFFEE["text"]
    assert [token["text"].strip() for token in hit["tokens"] if token["matched"]] == ["coffee"]


@pytest.mark.parametrize("ranking", ["overlap", "idf", "context"])
async def test_scores_are_taken_apart_exactly(make_service: MakeService, ranking: str) -> None:
    web = Web(await make_service(ranking=ranking))
    texts = ("Which coffee?", "The flat white.", "Coffee beans from Lisbon", "ok")
    events = [
        {"id": f"e-{n}", "author": "ann" if n % 2 else "bob", "timestamp": n, "text": text}
        for n, text in enumerate(texts)
    ]
    await web.call("events", {"session_id": "monday", "events": events})
    found = await web.call("search", {"query": "bob's coffee beans", "score_parts": True})
    explained = await web.call("explain", {"query": "bob's coffee beans"})
    assert len(found["hits"]) == (4 if ranking == "context" else 2)
    for hit in found["hits"]:
        assert sum(part["contribution"] for part in hit["score_parts"]) == hit["score"]
    assert [hit["score_parts"] for hit in found["hits"]] == [hit["score_parts"] for hit in explained["hits"]]
    if ranking == "context":
        reply = next(hit for hit in found["hits"] if hit["event_id"] == "e-1")
        lent = [(part["keyword"], part["event_id"], part["distance"]) for part in reply["score_parts"]]
        assert lent == [("beans", "e-2", 1), ("coffee", "e-0", -1)]


async def test_a_search_takes_every_filter(monday: Web) -> None:
    query = {"query": "coffee"}
    for kept in (
        {"session_id": "monday"},
        {"exclude_session_id": "tuesday"},
        {"author": "user"},
        {"since": "1970-01-01T00:00:01Z"},
        {"until": "1970-01-01T00:00:02+00:00"},
        {"min_score": 1.0},
        {"limit": 1},
    ):
        assert len((await monday.call("search", query | kept))["hits"]) == 1, kept
    for lost in ({"session_id": "tuesday"}, {"author": "agent"}, {"until": "1970-01-01T00:00:01Z"}):
        found = await monday.call("search", query | lost)
        assert (found["hits"], found["reason"]) == ([], "filtered"), lost


async def test_a_time_without_offset_is_refused(monday: Web) -> None:
    answer = await monday.send("/memory/search", {"query": "x", "since": "1970-01-01T00:00:01"})
    assert answer.status_code == 422


async def test_explain_says_how_the_query_is_read_and_what_lost_a_turn(monday: Web) -> None:
    explained = await monday.call("explain", {"query": "the coffees", "expect": "e-1", "content": True})
    assert explained["query"]["dead_tokens"] == ["the"]
    (count,) = explained["keywords"]
    assert (count["keyword"], count["df"]) == ("coffees", 0)
    assert count["near"] == [{"keyword": "coffee", "kind": "plural"}]
    assert explained["expected"]["cause"] == "no_shared_keyword"


async def test_diagnose_makes_the_four_checks(monday: Web) -> None:
    diagnosis = await monday.call("diagnose", {"query": "tea"})
    assert [check["name"] for check in diagnosis["checks"]] == [
        "WRITTEN",
        "KEY",
        "MATCH_RULES",
        "INDEXED_CONTENT",
    ]
    assert diagnosis["cause"] == "no_shared_keyword"
    assert diagnosis["next_step"]


async def test_diagnose_finds_the_other_key_for_an_admin_only(monday: Web) -> None:
    asked = {"query": "coffee", "scope": {"app_name": "shop", "user_id": "Ann"}}
    diagnosis = await monday.call("diagnose", asked, user="root")
    assert diagnosis["cause"] == "key_mismatch"
    assert "shop/ann" in json.dumps(diagnosis)
    own = await monday.call("diagnose", {"query": "coffee"}, user="Ann")
    assert own["cause"] == "nothing_written"
    assert "shop/ann" not in json.dumps(own)


async def test_a_session_is_compared_with_what_is_stored(monday: Web) -> None:
    call = {"id": "e-2", "content": {"parts": [{"function_call": {"name": "order"}}]}}
    compared = await monday.call("sessions/compare", {"id": "monday", "events": [COFFEE, call]})
    assert compared["events"] == [
        {"event_id": "e-1", "state": "stored", "reason": None},
        {"event_id": "e-2", "state": "skipped", "reason": "no_text"},
    ]


async def test_lists_go_page_by_page(monday: Web) -> None:
    for day in ("tuesday", "wednesday"):
        await monday.call("sessions", {"id": day, "events": [COFFEE]})
    seen, cursor = [], None
    while True:
        page = await monday.call("sessions/list", {"limit": 1} | ({"cursor": cursor} if cursor else {}))
        seen += [session["session_id"] for session in page["sessions"]]
        if (cursor := page["cursor"]) is None:
            break
    assert seen == ["monday", "tuesday", "wednesday"]
    page = await monday.call("memories/list", {"session_id": "tuesday", "limit": 1})
    assert [turn["session_id"] for turn in page["turns"]] == ["tuesday"]


async def test_a_bad_cursor_is_refused(monday: Web) -> None:
    answer = await monday.send("/memory/memories/list", {"cursor": "!"})
    assert answer.status_code == 422


async def test_an_export_holds_everything_of_one_user(monday: Web) -> None:
    await monday.call("sessions", MONDAY, user="bob")
    lines = (await monday.send("/memory/export")).text.splitlines()
    (row,) = map(json.loads, lines)
    assert row["user_id"] == "ann"
    assert row["content"]["parts"][0]["text"] == COFFEE["text"]


async def test_an_empty_export_is_empty(monday: Web) -> None:
    answer = await monday.send("/memory/export", user="nobody")
    assert (answer.status_code, answer.content) == (200, b"")


@pytest.mark.parametrize(
    "target",
    [
        {"what": "memory", "memory_id": "e-1", "session_id": "monday"},
        {"what": "memory", "memory_id": "e-1"},
        {"what": "session", "session_id": "monday"},
        {"what": "user"},
    ],
    ids=lambda target: f"{target['what']}{len(target)}",
)
async def test_forgetting_counts_first_and_then_forgets_for_good(monday: Web, target: dict[str, str]) -> None:
    counted = await monday.call("forget", target)
    assert (counted["forgotten"], counted["dry_run"]) == (1, True)
    assert len((await monday.call("search", {"query": "coffee"}))["hits"]) == 1
    done = await monday.call("forget", target | {"dry_run": False, "expected": 1, "confirm": "ann"})
    assert (done["forgotten"], done["dry_run"]) == (1, False)
    await monday.call("sessions", MONDAY)
    assert (await monday.call("search", {"query": "coffee"}))["hits"] == []


async def test_forgetting_needs_the_count_of_the_dry_run(monday: Web) -> None:
    asked = {"what": "user", "dry_run": False, "confirm": "ann"}
    assert (await monday.send("/memory/forget", asked)).json()["error"] == "not_confirmed"
    answer = await monday.send("/memory/forget", asked | {"expected": 2})
    assert (answer.status_code, answer.json()["error"]) == (409, "changed")
    assert len((await monday.call("search", {"query": "coffee"}))["hits"]) == 1


@pytest.mark.parametrize(
    "target",
    [
        {"what": "memory"},
        {"what": "session"},
        {"what": "session", "session_id": "monday", "memory_id": "e-1"},
        {"what": "user", "session_id": "monday"},
    ],
)
async def test_forgetting_never_takes_more_than_was_named(web: Web, target: dict[str, str]) -> None:
    assert (await web.send("/memory/forget", target)).status_code == 422


async def test_scopes_are_listed_for_admins(monday: Web) -> None:
    assert await monday.call("scopes", user="root") == {
        "scopes": [{"app_name": "shop", "user_id": "ann", "memories": 1}]
    }
    assert (await monday.send("/memory/scopes")).status_code == 403


async def test_operations_are_shown_to_admins(service: MongoDbMemoryService) -> None:
    history = RingBuffer()
    web = Web(InspectingMemoryService(service, hooks=[history]), history=history)
    await web.call("sessions", MONDAY)
    await web.call("search", {"query": "coffee"})
    shown = (await web.call("operations", user="root"))["operations"]
    assert [(one["operation"], one["key"]) for one in shown] == [
        ("search", "shop/ann"),
        ("write", "shop/ann"),
    ]
    assert shown[0]["hits"] == 1
    assert "coffee" not in json.dumps(shown)
    assert (await web.send("/memory/operations")).status_code == 403


async def test_health_tells_users_little_and_admins_all(monday: Web) -> None:
    told = await monday.call("health")
    assert told["ok"] is True
    assert (told["server"], told["driver"], told["documents"]) == (None, None, None)
    told = await monday.call("health", user="root")
    assert (told["index"], told["documents"]) == ("present", 1)


async def test_an_unreachable_server_is_503_with_retry_after(make_service: MakeService) -> None:
    dead = await make_service(
        connection_string="mongodb://127.0.0.1:9/?serverSelectionTimeoutMS=100", operation_timeout=0.3
    )
    web = Web(dead)
    for name, body in (("health", {}), ("search", {"query": "coffee"})):
        answer = await web.send(f"/memory/{name}", body)
        assert answer.status_code in {503, 504}
        assert set(answer.json()) == {"error", "id"}
    assert (await web.send("/memory/health")).headers["retry-after"] == "1"


def test_authenticate_has_to_be_given() -> None:
    with pytest.raises(TypeError, match="authenticate"):
        memory_router(Web().service)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="authenticate must be callable"):
        memory_router(Web().service, authenticate=None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="service must be"):
        memory_router("mongodb://", authenticate=by_header)  # type: ignore[arg-type]
