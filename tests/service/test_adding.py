"""An add stores each event once, says what became of it, and never loses a neighbour of a bad one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from pymongo.collection import Collection

from mongorecall import (
    Content,
    Event,
    InvalidInputError,
    InvalidTypeError,
    MongoDbMemoryService,
    Part,
    PartialWriteError,
)
from tests.servers.fixtures import MakeService
from tests.service.talk import BEGAN, IN_SESSION, SCOPE, Sent, ids, talk, turn


@pytest.mark.seed("R-017", "R-018", "R-022", "R-050", "R-053")
async def test_an_event_is_one_document_in_the_peers_shape(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    await service.add_session_to_memory(talk("Flat white, please! The FLAT one"))
    (document,) = raw.find()
    mr = document.pop("mr")
    assert document == {
        "_id": {"app_name": "support", "user_id": "u-42", "session_id": "s-1", "event_id": "e-0"},
        "app_name": "support",
        "user_id": "u-42",
        "session_id": "s-1",
        "author": "user",
        "keywords": ["flat", "one", "please", "white"],
        "content": {"parts": [{"text": "Flat white, please! The FLAT one"}]},
        "timestamp": BEGAN,
    }
    assert list(document["_id"]) == ["app_name", "user_id", "session_id", "event_id"]
    assert list(document)[:6] == ["_id", "app_name", "user_id", "session_id", "author", "keywords"]
    assert mr.keys() == {"v", "rev"}


@pytest.mark.seed("R-019")
async def test_without_a_session_the_sentinel_stands(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    await service.add_events_to_memory(**SCOPE, events=[turn("e", "kiln")])
    assert raw.find_one({}, {"_id": 1})["_id"]["session_id"] == "__unknown_session_id__"  # type: ignore[index]
    found = await service.search_memory(**SCOPE, query="kiln", session_id="__unknown_session_id__")
    assert ids(found) == ["e"]
    assert found.memories[0].session_id is None


@pytest.mark.parametrize("session_id", ["", "__unknown_session_id__"])
async def test_a_session_id_that_could_be_the_sentinel_is_refused(
    service: MongoDbMemoryService, session_id: str
) -> None:
    with pytest.raises(InvalidInputError, match="session_id"):
        await service.add_events(**SCOPE, session_id=session_id, events=[turn("e", "kiln")])


@pytest.mark.seed("R-020")
async def test_the_events_of_a_call_travel_in_one_unordered_bulk(
    watched: tuple[MongoDbMemoryService, Sent],
) -> None:
    service, sent = watched
    await service.add_session_to_memory(talk(*(f"kiln {n}" for n in range(200))))
    written = [command for command in sent.commands if "insert" in command]
    assert len(written) == 1
    assert written[0]["ordered"] is False
    assert len(written[0]["documents"]) == 200


async def test_many_events_travel_in_slices_that_are_prepared_meanwhile(
    watched: tuple[MongoDbMemoryService, Sent], raw: Collection[dict[str, Any]]
) -> None:
    service, sent = watched
    long = talk(*(f"kiln {n}" for n in range(1_101)))
    long.events[700] = turn("no text", "")
    report = await service.add_session(long)
    assert (report.received, report.stored, report.skipped) == (1_101, 1_100, {"no_text": 1})
    written = [len(command["documents"]) for command in sent.commands if "insert" in command]
    assert written == [100, 500, 499, 1]
    assert raw.count_documents({}) == 1_100
    again = await service.add_session(long)
    assert (again.received, again.unchanged, again.skipped) == (1_101, 1_100, {"no_text": 1})


async def test_the_last_of_equal_ids_counts_across_slices(service: MongoDbMemoryService) -> None:
    events = [turn(f"e-{n}", "kiln") for n in range(700)]
    report = await service.add_events(**IN_SESSION, events=[*events, turn("e-0", "glaze")])
    assert (report.received, report.stored, report.unchanged) == (701, 700, 1)
    assert ids(await service.search_memory(**SCOPE, query="glaze")) == ["e-0"]


@pytest.mark.seed("R-021")
async def test_adding_again_replaces_and_makes_no_duplicates(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    session = talk("kiln one", "kiln two")
    first = await service.add_session(session)
    again = await service.add_session(session)
    assert (first.stored, again.unchanged) == (2, 2)
    session.events[1].content = Content.of("glaze")
    changed = await service.add_session(session)
    assert (changed.replaced, changed.unchanged) == (1, 1)
    assert raw.count_documents({}) == 2
    assert ids(await service.search_memory(**SCOPE, query="kiln")) == ["e-0"]


async def test_an_unchanged_session_is_read_and_not_written(
    watched: tuple[MongoDbMemoryService, Sent],
) -> None:
    service, sent = watched
    session = talk(*(f"kiln {n}" for n in range(20)))
    await service.add_session(session)
    sent.commands.clear()
    await service.add_session(session)
    assert sent.names == ["find"]
    session.events.append(turn("new", "glaze", at=99.0))
    sent.commands.clear()
    assert (await service.add_session(session)).stored == 1
    assert sent.names == ["find", "insert"]
    assert len(sent.commands[1]["documents"]) == 1


@pytest.mark.seed("R-005", "R-006")
async def test_increments_are_kept_when_a_shorter_session_is_added(service: MongoDbMemoryService) -> None:
    session = talk("kiln one", "kiln two", "kiln three")
    for event in session.events:
        await service.add_events_to_memory(**IN_SESSION, events=[event])
    session.events = session.events[:1]
    await service.add_session_to_memory(session)
    assert ids(await service.search_memory(**SCOPE, query="kiln")) == ["e-2", "e-1", "e-0"]


def of_every_fate() -> list[Any]:
    """One event of each kind, with what becomes of it."""
    thought = Content(parts=[Part(text="secret plan", thought=True)])
    call = Content.model_validate({"parts": [{"functionCall": {"name": "look", "args": {}}}]})
    return [
        turn("kept", "kiln"),
        Event(id="none", content=None),
        Event(id="no-parts", content=Content(parts=[])),
        Event(id="image", content=call),
        Event(id="thought", content=thought),
        Event(id="partial", content=Content.of("kiln is"), partial=True),
        turn("stop", "what is it"),
        turn("bad\x00id", "kiln"),
    ]


@pytest.mark.seed("R-015", "R-016", "R-097")
async def test_the_report_accounts_for_every_event(service: MongoDbMemoryService) -> None:
    report = await service.add_events(**IN_SESSION, events=of_every_fate())
    assert report.skipped == {
        "no_content": 2, "no_text": 1, "thought_only": 1, "partial": 1, "stop_words_only": 1,
    }  # fmt: skip
    assert (report.received, report.stored) == (8, 1)
    assert [(failed.index, failed.event_id) for failed in report.failed] == [(7, "bad\x00id")]
    assert report.accounted == report.received


class Unreadable:
    """An object whose attributes raise."""

    @property
    def id(self) -> str:
        raise RuntimeError("walnut")


def unstorable() -> Iterator[tuple[str, Any]]:
    """Events that cannot be stored, by name."""
    deep: dict[str, Any] = {}
    for _ in range(1000):
        deep = {"d": deep}

    def call(args: Any) -> Event:
        parts = [{"text": "kiln walnut"}, {"functionCall": {"name": "f", "args": args}}]
        return Event(id="bad", content=Content.model_validate({"parts": parts}))

    yield "over 16 MB", turn("bad", "walnut " * 2_500_000)
    yield "unserialisable", call({"x": object()})
    yield "1,000 deep", call(deep)
    yield "over 64 bits", call({"x": 2**70})
    yield "no event", object()
    yield "none", None
    yield (
        "id is no str",
        SimpleNamespace(id=5, author="user", timestamp=1.0, content=Content.of("kiln walnut")),
    )
    yield "raises", Unreadable()


@pytest.mark.parametrize(
    ("name", "bad"), list(unstorable()), ids=lambda value: value if type(value) is str else ""
)
async def test_one_bad_event_fails_alone(service: MongoDbMemoryService, name: str, bad: Any) -> None:
    events = [turn(f"e-{n:02}", f"kiln {n}") for n in range(99)]
    events.insert(50, bad)
    with pytest.raises(PartialWriteError, match=r"stored 99 of 100 events, 1 failed: \[50\]") as caught:
        await service.add_events_to_memory(**IN_SESSION, events=events)
    assert caught.value.report.stored == 99
    assert [failed.index for failed in caught.value.report.failed] == [50]
    assert "walnut" not in str(caught.value), name
    assert len(ids(await service.search_memory(**SCOPE, query="kiln", limit=200))) == 99


async def test_damaged_text_is_repaired_and_counted(service: MongoDbMemoryService) -> None:
    report = await service.add_events(
        **IN_SESSION, events=[turn("e", "kiln \ud800 glaze"), turn("f", "kiln")]
    )
    assert (report.stored, report.repaired) == (2, 1)
    found = await service.search_memory(**SCOPE, query="glaze")
    assert found.memories[0].content.text == "kiln � glaze"


LOSSY_IN_BSON = [
    2**63 - 1,
    -(2**63),
    {"$ref": "a", "$id": 1},
    {"a.b": 1, "$c": 2},
    "2026-01-01",
    1.5,
    [[]],
    None,
]


@pytest.mark.parametrize("value", LOSSY_IN_BSON, ids=repr)
async def test_content_comes_back_exactly_as_it_went_in(service: MongoDbMemoryService, value: Any) -> None:
    parts = [{"text": "kiln"}, {"functionCall": {"name": "f", "args": {"x": value}}}]
    event = Event(id="e", content=Content.model_validate({"parts": parts, "role": "model"}))
    report = await service.add_events(**IN_SESSION, events=[event])
    assert report.stored == 1
    (memory,) = (await service.search_memory(**SCOPE, query="kiln")).memories
    assert memory.content.role == "model"
    kept = memory.content.model_dump(by_alias=True, exclude_none=True)["parts"][1]["functionCall"]["args"]
    assert kept == ({"x": value} if value is not None else kept)
    assert kept.get("x") == value


async def test_the_last_of_equal_ids_in_one_call_counts(service: MongoDbMemoryService) -> None:
    report = await service.add_events(**IN_SESSION, events=[turn("e", "kiln old"), turn("e", "kiln new")])
    assert (report.received, report.stored, report.unchanged) == (2, 1, 1)
    found = await service.search_memory(**SCOPE, query="kiln")
    assert [memory.content.text for memory in found.memories] == ["kiln new"]


async def test_events_without_an_id_are_kept_apart_and_stay_idempotent(service: MongoDbMemoryService) -> None:
    events = [turn("", "kiln one"), turn("", "kiln two", at=1.0)]
    assert (await service.add_events(**IN_SESSION, events=events)).stored == 2
    assert (await service.add_events(**IN_SESSION, events=events)).unchanged == 2


@pytest.mark.parametrize("blank", ["the", "", None])
async def test_redaction_erases(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]], blank: str | None
) -> None:
    await service.add_events_to_memory(**IN_SESSION, events=[turn("e", "my pin is walnut")])
    redacted = turn("e", blank or "")
    if blank is None:
        redacted.content = None
    report = await service.add_events(**IN_SESSION, events=[redacted])
    assert report.erased == 1
    assert ids(await service.search_memory(**SCOPE, query="walnut")) == []
    assert "walnut" not in str(list(raw.find()))
    assert await service.count_memories(**SCOPE) == 0
    again = await service.add_events(**IN_SESSION, events=[redacted])
    assert (again.erased, sum(again.skipped.values())) == (0, 1)
    assert (await service.add_events(**IN_SESSION, events=[turn("e", "my pin is oak")])).stored == 1


async def test_an_older_add_never_overwrites_a_newer_one(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    await service.add_events_to_memory(**IN_SESSION, events=[turn("e", "kiln now")])
    raw.update_one({}, {"$set": {"mr.rev": 2**62, "content.parts.0.text": "kiln later"}})
    report = await service.add_events(**IN_SESSION, events=[turn("e", "kiln now")])
    assert report.unchanged == 1
    (memory,) = (await service.search_memory(**SCOPE, query="kiln")).memories
    assert memory.content.text == "kiln later"


async def test_a_hundred_adds_of_one_event_leave_the_newest(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    async def add(n: int) -> None:
        await service.add_events_to_memory(**IN_SESSION, events=[turn("e", f"kiln {n}")])

    for _ in range(2):
        await asyncio.gather(*(add(n) for n in range(100)))
    assert raw.count_documents({}) == 1
    (memory,) = (await service.search_memory(**SCOPE, query="kiln")).memories
    assert memory.content.text == "kiln 99"  # begun last: tasks begin in order


async def test_a_cancelled_add_cannot_bring_back_what_a_later_one_erased(
    service: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    await service.search_memory(**SCOPE, query="kiln")
    for n in range(20):
        old = asyncio.create_task(
            service.add_events(**IN_SESSION, events=[turn(f"e-{n}", "my pin is walnut")])
        )
        await asyncio.sleep(0.0005 * (n % 7))
        old.cancel()
        await asyncio.wait([old])
        await service.add_events(**IN_SESSION, events=[turn(f"e-{n}", "the")])
    await asyncio.sleep(0.3)
    assert "walnut" not in str(list(raw.find()))


async def test_two_services_agree_on_the_newest(make_service: MakeService) -> None:
    one, two = await make_service(), await make_service()
    for n in range(20):
        writer = (one, two)[n % 2]
        await writer.add_events_to_memory(**IN_SESSION, events=[turn("e", f"kiln {n}")])
        (memory,) = (await one.search_memory(**SCOPE, query="kiln")).memories
        assert memory.content.text == f"kiln {n}"


async def test_later_changes_of_an_event_change_nothing_stored(service: MongoDbMemoryService) -> None:
    session = talk("kiln")
    await service.add_session_to_memory(session)
    session.events[0].content = Content.of("glaze")
    found = await service.search_memory(**SCOPE, query="kiln")
    found.memories[0].content = Content.of("changed")
    (memory,) = (await service.search_memory(**SCOPE, query="kiln")).memories
    assert memory.content.text == "kiln"


@pytest.mark.parametrize("events", [None, 5, "kiln", b"kiln"], ids=repr)
async def test_events_must_be_events(service: MongoDbMemoryService, events: Any) -> None:
    with pytest.raises(InvalidTypeError, match="events must be an iterable of events"):
        await service.add_events(**IN_SESSION, events=events)


async def test_a_session_must_have_its_fields(service: MongoDbMemoryService) -> None:
    with pytest.raises(InvalidInputError, match="session must have app_name, got NoneType"):
        await service.add_session_to_memory(None)


@pytest.mark.seed("R-094")
async def test_metadata_is_ignored_unless_asked_for(
    make_service: MakeService, raw: Collection[dict[str, Any]]
) -> None:
    plain = await make_service()
    await plain.add_events_to_memory(
        **IN_SESSION, events=[turn("e", "kiln")], custom_metadata={"topic": "pottery"}
    )
    assert "pottery" not in str(raw.find_one())
    keeping = await make_service(store_metadata=True)
    await keeping.add_events_to_memory(
        **IN_SESSION, events=[turn("f", "kiln", at=1.0)], custom_metadata={"topic": "pottery"}
    )
    found = await keeping.search_memory(**SCOPE, query="kiln")
    assert {m.id: m.custom_metadata for m in found.memories} == {"e": {}, "f": {"topic": "pottery"}}


@pytest.mark.seed("R-095")
async def test_add_memory_needs_its_option(make_service: MakeService) -> None:
    with pytest.raises(NotImplementedError, match="direct_memories=True"):
        await (await make_service()).add_memory(**SCOPE, memories=[])
    service = await make_service(direct_memories=True)
    entry = SimpleNamespace(content=Content.of("likes flat white"), author="agent", timestamp=None, id=None)
    await service.add_memory(**SCOPE, memories=[entry])
    (memory,) = (await service.search_memory(**SCOPE, query="flat white")).memories
    assert memory.author == "agent"
    assert memory.timestamp is not None
    assert "add_memory" in service.capabilities


async def test_hostile_texts_hold_the_loop_less_than_50_ms(service: MongoDbMemoryService) -> None:
    """A warm-up first, then 1 MB texts, a 1 MB word, 40,000 marks and a query of 100,000 words."""
    await service.add_events(**IN_SESSION, events=[turn("warm", "kiln")])
    words = " ".join(f"w{n}" for n in range(100_000))
    texts = ["x" * 1_000_000, "ab " * 333_333, "a" + "̧́" * 20_000, words, "שלום " * 200_000]

    async def hostile() -> None:
        for n, text in enumerate(texts):
            report = await service.add_events(**IN_SESSION, events=[turn(f"e-{n}", text)])
            assert report.stored == 1
            await service.search_memory(**SCOPE, query=text)

    assert await longest_hold_during(hostile()) < 0.05 * SLACK


SLACK = 2
"""For an older processor than the bound was set on."""


async def longest_hold_during(work: Any) -> float:
    """The most processor time, in seconds, that passed between two turns of the event loop.

    Processor time of the process, its worker threads included, since a long call of one of them holds the
    interpreter; and not time on the clock, which also passes while other processes have their turn.
    """
    task = asyncio.ensure_future(work)
    longest = 0.0
    while not task.done():
        before = time.process_time()
        await asyncio.sleep(0.001)
        longest = max(longest, time.process_time() - before)
    await task
    return longest
