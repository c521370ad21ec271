"""A diagnosis reads little of a large collection, ends in time, and changes nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from pymongo.collection import Collection

from mongorecall._documents.probing import CENSUS_ROWS, COUNTED, LISTED_USERS, LOCATED_IDS, SAMPLED
from mongorecall.inspection import diagnose, explain_search
from mongorecall.testing.factories import make_session
from tests.inspection.world import APP, COFFEE, USER, World

USERS = 2_000
OF_ONE_USER = 6_000


def fill(raw: Collection[dict[str, Any]]) -> None:
    """A user with a long history and thousands of others, without a search index."""
    raw.drop()

    def document(user_id: str, event_id: str) -> dict[str, Any]:
        identity = {"app_name": APP, "user_id": user_id, "session_id": "s", "event_id": event_id}
        return {
            "_id": identity,
            "app_name": APP,
            "user_id": user_id,
            "session_id": "s",
            "author": "user",
            "keywords": ["filler", f"word{event_id}"],
            "content": {"parts": [{"text": f"filler word{event_id}"}]},
            "timestamp": 1.0,
        }

    raw.insert_many([document(USER, f"{n:06}") for n in range(OF_ONE_USER)], ordered=False)
    raw.insert_many([document(f"w-{n:05}", "1") for n in range(USERS)], ordered=False)


@pytest.fixture
def profiled(world: World) -> Iterator[Collection[dict[str, Any]]]:
    """A filled collection; what each command examined is in ``system.profile``."""
    fill(world.raw)
    world.raw.create_index([("app_name", 1), ("user_id", 1), ("keywords", 1)], name="app_user_keywords")
    database = world.raw.database
    database.command("profile", 2)
    yield world.raw
    database.command("profile", 0)
    database["system.profile"].drop()


async def test_every_read_is_capped(world: World, profiled: Collection[dict[str, Any]]) -> None:
    """No command examines more documents or index entries than the documented caps allow."""
    service = await world.service()
    begun = time.perf_counter()
    diagnosis = await diagnose(
        service,
        app_name=APP,
        user_id=USER,
        query="coffee wordz",
        session=make_session(COFFEE),
        expect="nowhere",
        allow_key_listing=True,
    )
    elapsed = time.perf_counter() - begun

    commands = list(profiled.database["system.profile"].find({"ns": profiled.full_name}))
    documents = max(command.get("docsExamined", 0) for command in commands)
    entries = max(command.get("keysExamined", 0) for command in commands)
    assert diagnosis.cause == "nothing_written", str(diagnosis)
    assert diagnosis.checks[0].evidence["looked_at"] == CENSUS_ROWS
    assert documents <= CENSUS_ROWS
    assert entries <= OF_ONE_USER + USERS <= LOCATED_IDS
    assert len([c for c in commands if c.get("op") != "getmore"]) < 60
    assert elapsed < 20
    assert max(COUNTED, SAMPLED, LISTED_USERS) <= CENSUS_ROWS


async def test_an_event_is_found_wherever_it_stands_in_a_long_history(
    world: World, profiled: Collection[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No cap on ids ends the look for it, and no document but its own is read."""
    monkeypatch.setattr("mongorecall._documents.probing.LOCATED_IDS", 100)
    explained = await explain_search(
        await world.service(),
        app_name=APP,
        user_id=USER,
        query="coffee",
        expect=f"{OF_ONE_USER - 1:06}",
    )
    assert explained.expected is not None
    assert explained.expected.cause == "no_shared_keyword"
    looks = [c for c in profiled.database["system.profile"].find() if c.get("keysExamined", 0) >= OF_ONE_USER]
    assert [look["docsExamined"] for look in looks] == [0]


async def test_what_could_not_be_looked_through_is_said(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An event that was not found in time is not called unwritten without a word."""
    fill(world.raw)
    monkeypatch.setattr("mongorecall._operations.probing.FIND_SECONDS", 0.001)
    explained = await explain_search(
        await world.service(), app_name=APP, user_id=USER, query="coffee", expect="000001"
    )
    assert explained.expected is not None
    assert explained.expected.evidence == {"whole_scope_read": False}
    assert "name its session" in explained.expected.stage


async def test_without_the_index_every_read_ends_in_time(world: World) -> None:
    """The server is told how long each read may take."""
    fill(world.raw)
    service = await world.service(ensure_indexes=False)
    begun = time.perf_counter()

    diagnosis = await diagnose(service, app_name=APP, user_id=USER, query="coffee")

    assert diagnosis.cause == "no_shared_keyword"
    assert any("index is missing" in sentence for sentence in diagnosis.advice)
    assert time.perf_counter() - begun < 15


async def test_looking_changes_nothing(world: World) -> None:
    """The documents are the same before and after, byte for byte."""
    session = await world.write(COFFEE)
    service = await world.service()
    before = sorted(map(repr, world.raw.find()))

    for query in ("coffee", "tea", "what is it"):
        asked = {"app_name": APP, "user_id": USER, "query": query}
        await diagnose(service, **asked, session=session, expect="s-1-1", allow_key_listing=True)  # type: ignore[arg-type]
        await explain_search(service, **asked, expect="s-1-1", session=session)  # type: ignore[arg-type]

    assert sorted(map(repr, world.raw.find())) == before
