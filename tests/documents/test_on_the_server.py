"""What the package of documents says in Python, MongoDB says too: order, filters, markers, google-adk."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from bson import Decimal128, Int64, MaxKey, MinKey, ObjectId, Regex, Timestamp
from google.adk.integrations.mongodb import MongoDbMemoryService as PeerService
from google.genai import types
from pymongo.collection import Collection

from mongorecall._documents import (
    admits,
    document_id,
    id_key,
    id_range,
    is_live,
    live,
    marker,
    of_event,
    replace_older,
    revision_of,
    search_filter,
    stored_under,
    time_key,
)
from mongorecall.models import Content, MemoryScope, SearchFilters
from tests.documents.events import SCOPE, adk, prepared, said

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)

Memories = Collection[dict[str, Any]]

ODD_TIMES: list[Any] = [
    None, 0, 1.5, Int64(2), -1, math.nan, math.inf, -math.inf, 1.7e12, Decimal128("1.25"), Decimal128("NaN"),
    "noon", "", {}, {"a": 1}, {"a": 2}, {"b": 1}, {"a": "x"}, [], [1], [9, 0], ["x"], [None], [[5]], b"ab",
    b"b", ObjectId("0" * 24), True, False, NOW, Timestamp(5, 1), Regex("a"), MinKey(), MaxKey(),
]  # fmt: skip


def test_the_order_of_a_search_is_the_servers_for_any_stored_time(raw: Memories) -> None:
    documents: list[dict[str, Any]] = [
        {"_id": document_id(SCOPE, session, f"e-{index}"), "timestamp": time}
        for index, time in enumerate(ODD_TIMES)
        for session in ("ж", "s-1")
    ]
    documents.append({"_id": document_id(SCOPE, "s", "missing")})
    random.Random(5).shuffle(documents)
    raw.insert_many(documents)
    on_server = [row["_id"] for row in raw.find().sort({"timestamp": -1, "_id": 1})]
    rows = list(raw.find())
    in_python = sorted(sorted(rows, key=id_key), key=time_key, reverse=True)
    assert [row["_id"] for row in in_python] == on_server


def test_ids_sort_as_the_server_sorts_them(raw: Memories) -> None:
    ids: list[Any] = [
        "e",
        "ж",
        "𝒳",
        "\ue000",
        "",
        5,
        2.5,
        ObjectId("0" * 24),
        document_id(SCOPE, "s", "e"),
        {"b": 1},
    ]
    raw.insert_many([{"_id": one} for one in ids])
    on_server = [row["_id"] for row in raw.find().sort("_id", 1)]
    assert [row["_id"] for row in sorted(raw.find(), key=id_key)] == on_server


@pytest.mark.parametrize(
    "filters",
    [
        {},
        {"session_id": "s-1"},
        {"exclude_session_id": "s-1"},
        {"session_id": "s-1", "exclude_session_id": "s-1"},
        {"author": "bob"},
        {"since": datetime.fromtimestamp(1.5, UTC)},
        {"until": datetime.fromtimestamp(1.5, UTC)},
        {"since": datetime.fromtimestamp(0, UTC), "until": datetime.fromtimestamp(2, UTC), "author": "bob"},
    ],
    ids=lambda filters: " ".join(filters) or "none",
)
def test_filters_mean_the_same_in_memory_and_on_the_server(raw: Memories, filters: dict[str, Any]) -> None:
    odd = [time for time in ODD_TIMES if not isinstance(time, list | Decimal128)]
    for index, time in enumerate(odd):
        document = prepared(
            said("kiln", id=f"e-{index}", author=["ann", "bob"][index % 2]), session_id=f"s-{index % 3}"
        ).document(1)
        raw.insert_one(document | {"timestamp": time})
    asked = SearchFilters(**filters)
    found = {row["_id"]["event_id"] for row in raw.find(search_filter(SCOPE, ["kiln"], asked, NOW))}
    assert found == {row["_id"]["event_id"] for row in raw.find() if admits(asked, row)}


def test_a_search_asks_for_one_keyword_or_for_any_of_several(raw: Memories) -> None:
    for word in ("kiln", "oven", "glaze"):
        raw.insert_one(prepared(said(word, id=word)).document(1))

    def found(keywords: list[str] | None) -> set[str]:
        where = search_filter(SCOPE, keywords, SearchFilters(), NOW)
        return {row["_id"]["event_id"] for row in raw.find(where)}

    assert found(["kiln"]) == {"kiln"}
    assert found(["kiln", "oven"]) == {"kiln", "oven"}
    assert found(None) == {"kiln", "oven", "glaze"}


def test_expired_memories_and_markers_are_not_live(raw: Memories) -> None:
    deadlines: list[Any] = [None, NOW, NOW - timedelta(1), NOW + timedelta(milliseconds=1), 5, "x", {}]
    for index, deadline in enumerate(deadlines):
        document = prepared(said("kiln", id=f"e-{index}")).document(1)
        document["mr"]["expires_at"] = deadline
        raw.insert_one(document)
    raw.insert_one({k: v for k, v in prepared(said("kiln", id="peer")).document(1).items() if k != "mr"})
    raw.insert_one(marker(SCOPE, "s-1", "erased", rev=1, kind="erased"))
    raw.insert_one(marker(SCOPE, "s-1", "forgotten", rev=1, kind="forgotten"))
    on_server = {row["_id"]["event_id"] for row in raw.find(live(NOW))}
    assert on_server == {"e-0", "e-3", "e-4", "e-5", "e-6", "peer"}
    assert on_server == {row["_id"]["event_id"] for row in raw.find() if is_live(row, NOW)}


def test_an_id_range_holds_its_scope_and_session_and_nothing_else(raw: Memories) -> None:
    neighbours = [
        SCOPE,
        MemoryScope(app_name="shop", user_id="u-4"),
        MemoryScope(app_name="sho", user_id="pu-42"),
    ]
    for scope in neighbours:
        for session in ("s", "s-1", "s-1\u00e4"):
            for event in ("a", "b", "ж"):
                raw.insert_one({"_id": document_id(scope, session, event)})

    def found(**options: Any) -> list[tuple[str, str]]:
        rows = [row["_id"] for row in raw.find(id_range(SCOPE, **options)).sort("_id", 1)]
        assert all((row["app_name"], row["user_id"]) == ("shop", "u-42") for row in rows)
        return [(row["session_id"], row["event_id"]) for row in rows]

    assert len(found()) == 9
    assert found(session_id="s-1") == [("s-1", "a"), ("s-1", "b"), ("s-1", "ж")]
    assert found(session_id="s-1", low="b", high="b") == [("s-1", "b")]
    assert found(session_id="s-1", after=("s-1", "a")) == [("s-1", "b"), ("s-1", "ж")]
    assert found(after=("s-1", "b"))[:2] == [("s-1", "ж"), ("s-1ä", "a")]


def test_one_event_is_found_in_every_session_of_its_scope(raw: Memories) -> None:
    for session in ("s-1", "s-2"):
        for event in ("e-1", "e-2"):
            raw.insert_one({"_id": document_id(SCOPE, session, event)})
    raw.insert_one({"_id": document_id(MemoryScope(app_name="shop", user_id="other"), "s-1", "e-1")})
    rows = raw.aggregate([{"$match": id_range(SCOPE)}, *of_event("e-1")])
    assert sorted(row["_id"]["session_id"] for row in rows) == ["s-1", "s-2"]


def test_what_is_stored_under_ids_is_read_by_the_ids(raw: Memories) -> None:
    for event in ("a", "b", "c"):
        raw.insert_one(prepared(said("kiln", id=event)).document(1))
    command = stored_under(raw.name, SCOPE, "s-1", ["a", "c", "z"])
    rows = raw.database.command(command)["cursor"]["firstBatch"]
    assert {row["_id"]["event_id"] for row in rows} == {"a", "c"}


@pytest.mark.parametrize(
    ("mr", "may"),
    [
        (None, True),
        ({"v": 1, "rev": 4}, True),
        ({"v": 1, "rev": 5}, False),
        ({"v": 1, "rev": 6}, False),
        ({"v": 1, "rev": 4, "erased": True}, True),
        ({"v": 1, "rev": 4, "forgotten": True}, False),
        ({"v": 2, "rev": 1}, False),
        ({"v": "1", "rev": 1}, False),
        ({"v": 1, "rev": "odd"}, False),
        ("odd", True),
    ],
)
def test_a_write_replaces_only_what_is_older(raw: Memories, mr: Any, may: bool) -> None:
    event = prepared(said("kiln"))
    raw.insert_one(
        event.document(1) | {"mr": mr} if mr else {k: v for k, v in event.document(1).items() if k != "mr"}
    )
    result = raw.update_one({"_id": event.identity}, replace_older(event.raw(5), 5))
    assert (result.matched_count, result.modified_count) == (1, may)
    assert raw.find_one() == event.document(5) or not may


@pytest.mark.parametrize("rev", [None, 4, 5, 4.0, "odd", True, [4], {"a": 1}])
@pytest.mark.parametrize("version", [None, 0, 1, 2, "1"])
def test_what_is_decided_to_be_older_is_replaced(raw: Memories, rev: Any, version: Any) -> None:
    """Else an add would decide it again and again, and fail in the end."""
    event = prepared(said("kiln"))
    for mr in ({"v": version, "rev": rev}, {"v": version}, rev, [{"v": version, "rev": rev}]):
        stored = event.document(1) | {"mr": mr}
        raw.replace_one({"_id": event.identity}, stored, upsert=True)
        revision = revision_of(stored)
        if revision is None or revision < 5:
            result = raw.update_one({"_id": event.identity}, replace_older(event.raw(5), 5))
            assert result.modified_count == 1, mr


async def test_ours_is_what_google_adk_writes_and_mr(uri: str, database: str, raw: Memories) -> None:
    """Byte for byte and in the same order, over every kind of part."""
    text = types.Part(text="使用MongoDB存储 my FAVOURITE café")
    events = [
        adk(text, id="text"),
        adk(types.Part(text="hm", thought=True), text, types.Part(text=""), id="thought"),
        adk(
            text,
            types.Part(function_call=types.FunctionCall(name="f", args={"a": None, "b": [1, 2.5]})),
            id="call",
        ),
        adk(text, types.Part(inline_data=types.Blob(data=bytes(range(256)), mime_type="x/y")), id="data"),
        adk(text, types.Part(text="more", thought=False, thought_signature=b"\xff"), id="signature"),
        adk(text, id="no role", content=types.Content(parts=[text])),
    ]
    peer = PeerService(database_name=database, connection_string=uri)
    await peer.add_events_to_memory(app_name="shop", user_id="u-42", events=events, session_id="s-1")
    await peer.close()
    for event in events:
        ours = prepared(event).document(1)
        del ours["mr"]
        theirs = raw.find_one({"_id.event_id": event.id})
        assert theirs is not None
        assert (theirs, list(theirs)) == (ours, list(ours))
        assert repr(theirs["content"]) == repr(ours["content"])


def test_odd_contents_are_accepted_by_the_server(raw: Memories) -> None:
    """Whatever `prepare` lets through, the server takes: keys like operators, empty keys, 80 levels."""
    deep: dict[str, Any] = {}
    for _ in range(190):
        deep = {"a": deep}
    part = {"text": "kiln", "args": {"$set": 1, "a.b": 2, "": 3, "$ref": "x", "deep": deep}}
    event = prepared(said("", content=Content.model_validate({"parts": [part]})))
    raw.insert_one(event.raw(1))
    raw.update_one({"_id": event.identity}, replace_older(event.raw(5), 5))
    stored = raw.find_one()
    assert stored is not None
    assert stored["mr"]["rev"] == 5
