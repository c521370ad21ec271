"""The twin: what it stores, finds, forgets and lets expire. What MongoDB answers is held equal to it."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mongorecall.errors import ClosedError, InvalidInputError, InvalidTypeError, UnsupportedError
from mongorecall.in_memory import InMemoryMemoryService
from mongorecall.models import Content, Event, IngestReport, MemoryEntry

ANN: dict[str, Any] = {"app_name": "shop", "user_id": "ann"}
BOB: dict[str, Any] = {"app_name": "shop", "user_id": "bob"}


class Clock:
    """A clock that stands still until it is told."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 2, 12, tzinfo=UTC).timestamp()

    def __call__(self) -> float:
        return self.now

    def pass_by(self, **time: float) -> None:
        """Let time go by."""
        self.now += timedelta(**time).total_seconds()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def service(clock: Clock) -> InMemoryMemoryService:
    return InMemoryMemoryService(clock=clock)


def said(text: str, id: str = "e-1", **values: Any) -> Event:  # noqa: A002
    """A turn."""
    return Event(**{"id": id, "author": "user", "timestamp": 1.0, "content": Content.of(text), **values})


async def add(service: InMemoryMemoryService, *events: Any, **options: Any) -> IngestReport:
    """Add to Ann's session s-1."""
    return await service.add_events(**{**ANN, "session_id": "s-1", **options}, events=events)


async def found(service: InMemoryMemoryService, query: str, **options: Any) -> list[str | None]:
    """The ids found for Ann."""
    response = await service.search_memory(**{**ANN, **options}, query=query)
    return [memory.id for memory in response.memories]


class TestReports:
    async def test_every_event_is_accounted_for(self, service: InMemoryMemoryService) -> None:
        await add(service, said("kiln", "same"), said("kiln", "changed"), said("kiln", "gone"))
        report = await add(
            service,
            said("kiln", "same"),
            said("oven", "changed"),
            said("", "gone"),
            said("glaze", "twice"),
            said("glaze", "twice"),
            said("", "never"),
            said("the", "stop"),
            said("kiln", "chunk", partial=True),
            5,
            said("kiln \ud800", "odd"),
            said("x" * 2_000, "long"),
        )
        assert (report.received, report.accounted) == (11, 11)
        assert (report.stored, report.replaced, report.unchanged, report.erased) == (3, 1, 2, 1)
        assert report.skipped == {"no_text": 1, "stop_words_only": 1, "partial": 1}
        assert [failed.index for failed in report.failed] == [8]
        assert (report.repaired, report.truncated) == (1, ["long"])

    async def test_a_bad_event_does_not_stop_its_neighbours(self, service: InMemoryMemoryService) -> None:
        report = await add(service, said("kiln", "e-1"), object(), said("kiln", "e-2", author="bob"))
        assert (report.stored, len(report.failed)) == (2, 1)
        assert await found(service, "kiln") == ["e-1", "e-2"]


class TestErasing:
    @pytest.mark.parametrize("text", ["", "the", "***"])
    async def test_a_text_without_keywords_erases_the_old_one(
        self, service: InMemoryMemoryService, text: str
    ) -> None:
        await add(service, said("my pin is walnut"))
        assert (await add(service, said(text))).erased == 1
        assert await found(service, "walnut") == []
        exported = [row async for row in service.export_user(**ANN)]
        assert "walnut" not in repr(exported)
        assert (await add(service, said(text))).skipped != {}

    async def test_a_newer_text_is_a_new_memory(self, service: InMemoryMemoryService) -> None:
        await add(service, said("walnut"))
        await add(service, said(""))
        assert (await add(service, said("kiln"))).stored == 1
        assert await found(service, "kiln") == ["e-1"]

    async def test_a_streaming_chunk_erases_nothing(self, service: InMemoryMemoryService) -> None:
        await add(service, said("kiln"))
        await add(service, said("", partial=True))
        assert await found(service, "kiln") == ["e-1"]


class TestSearching:
    @pytest.mark.parametrize(
        ("query", "reason"),
        [("", "no_searchable_words"), ("what is it?", "no_searchable_words"), ("oven", "no_shared_keyword")],
    )
    async def test_says_why_it_is_empty(
        self, service: InMemoryMemoryService, query: str, reason: str
    ) -> None:
        await add(service, said("kiln"))
        response = await service.search_memory(**ANN, query=query)
        assert (response.memories, response.reason) == ([], reason)

    async def test_nothing_stored_and_filtered_are_told_apart(self, service: InMemoryMemoryService) -> None:
        assert (await service.search_memory(**ANN, query="kiln")).reason == "nothing_stored"
        await add(service, said("kiln"))
        assert (await service.search_memory(**BOB, query="kiln")).reason == "nothing_stored"
        assert (await service.search_memory(**ANN, query="kiln", author="bob")).reason == "filtered"
        assert (await service.search_memory(**ANN, query="kiln", min_score=2)).reason == "filtered"
        assert (await service.search_memory(**ANN, query="oven", author="bob")).reason == "no_shared_keyword"

    @pytest.mark.parametrize(
        ("options", "ids"),
        [
            ({"session_id": "s-2"}, ["b"]),
            ({"exclude_session_id": "s-2"}, ["c", "a"]),
            ({"author": "bob"}, ["b"]),
            ({"since": datetime.fromtimestamp(2, UTC)}, ["c", "b"]),
            ({"until": datetime.fromtimestamp(2, UTC)}, ["a"]),
            ({"limit": 1}, ["c"]),
            ({"min_score": 2}, ["c"]),
        ],
        ids=" ".join,
    )
    async def test_filters(self, service: InMemoryMemoryService, options: Any, ids: list[str]) -> None:
        await add(service, said("kiln", "a", timestamp=1.0), said("kiln glaze", "c", timestamp=3.0))
        await add(service, said("kiln", "b", timestamp=2.0, author="bob"), session_id="s-2")
        assert await found(service, "kiln glaze", **options) == ids

    async def test_what_was_given_and_what_was_found_may_be_changed(
        self, service: InMemoryMemoryService
    ) -> None:
        event = said("kiln")
        await add(service, event)
        event.content = Content.of("oven")
        response = await service.search_memory(**ANN, query="kiln")
        response.memories[0].content.parts = []
        assert await found(service, "kiln") == ["e-1"]


class TestForgetting:
    async def test_the_receipt_counts_memories_and_sessions(self, service: InMemoryMemoryService) -> None:
        await add(service, said("kiln", "a"), said("kiln", "b"), said("the", "c"))
        await add(service, said("kiln", "a"), session_id="s-2")
        dry = await service.delete_memory(**ANN, memory_id="a", dry_run=True)
        assert (dry.forgotten, dry.sessions, dry.dry_run) == (2, 2, True)
        assert await service.count_memories(**ANN) == 3
        assert (await service.delete_memory(**ANN, memory_id="a", session_id="s-2")).forgotten == 1
        assert (await service.delete_session_memory(**ANN, session_id="s-1")).forgotten == 2
        assert (await service.delete_user_memory(**ANN)).forgotten == 0

    async def test_the_forgotten_stay_so_until_they_are_let_in_again(
        self, service: InMemoryMemoryService
    ) -> None:
        await add(service, said("walnut"))
        await service.delete_memory(**ANN, memory_id="e-1")
        assert (await add(service, said("walnut"))).skipped == {"forgotten": 1}
        assert (await add(service, said(""))).skipped == {"forgotten": 1}
        assert "walnut" not in repr([row async for row in service.export_user(**ANN)])
        assert await service.remember_again(**ANN, memory_id="other") == 0
        assert await service.remember_again(**ANN) == 1
        assert await service.remember_again(**ANN) == 0
        assert (await add(service, said("walnut"))).stored == 1

    async def test_an_erased_event_can_be_forgotten_too(self, service: InMemoryMemoryService) -> None:
        await add(service, said("walnut"))
        await add(service, said(""))
        assert (await service.delete_user_memory(**ANN)).forgotten == 0
        assert (await add(service, said("walnut"))).skipped == {"forgotten": 1}

    async def test_nobody_else_is_touched(self, service: InMemoryMemoryService) -> None:
        await add(service, said("kiln"))
        await service.add_events(**BOB, events=[said("kiln")], session_id="s-1")
        await service.delete_user_memory(**ANN)
        assert await service.count_memories(**BOB) == 1


class TestExpiring:
    async def test_a_memory_is_gone_when_its_time_has_come(
        self, service: InMemoryMemoryService, clock: Clock
    ) -> None:
        await add(service, said("kiln"), ttl=60)
        clock.pass_by(seconds=59.999)
        assert await found(service, "kiln") == ["e-1"]
        clock.pass_by(seconds=0.001)
        assert await found(service, "kiln") == []
        assert await service.count_memories(**ANN) == 0
        assert [row async for row in service.export_user(**ANN)] == []

    async def test_re_adding_does_not_put_off_the_retention(self, clock: Clock) -> None:
        service = InMemoryMemoryService(retention=60, clock=clock)
        await add(service, said("kiln"))
        clock.pass_by(seconds=30)
        assert (await add(service, said("kiln"))).unchanged == 1
        clock.pass_by(seconds=30)
        assert await found(service, "kiln") == []
        assert (await add(service, said("kiln"))).stored == 1

    async def test_a_ttl_shortens_the_retention_and_never_outlasts_it(self, clock: Clock) -> None:
        service = InMemoryMemoryService(retention=60, clock=clock)
        await add(service, said("kiln", "short", author="a"), ttl=10)
        await add(service, said("kiln", "long", author="b"), ttl=1_000)
        clock.pass_by(seconds=10)
        assert await found(service, "kiln") == ["long"]
        clock.pass_by(seconds=50)
        assert await found(service, "kiln") == []

    async def test_a_ttl_of_a_later_add_counts(self, service: InMemoryMemoryService, clock: Clock) -> None:
        await add(service, said("kiln"), ttl=10)
        assert (await add(service, said("kiln"), ttl=100)).replaced == 1
        clock.pass_by(seconds=50)
        assert await found(service, "kiln") == ["e-1"]


class TestLists:
    async def test_pages_cover_everything_once_while_others_write(
        self, service: InMemoryMemoryService
    ) -> None:
        for session in ("s-1", "s-2", "s-3"):
            await add(service, *(said("kiln", f"e-{n}") for n in range(5)), session_id=session)
        seen: list[tuple[str | None, str | None]] = []
        cursor: str | None = None
        while True:
            page = await service.list_memories(**ANN, limit=4, cursor=cursor)
            seen += [(memory.session_id, memory.id) for memory in page.memories]
            cursor = page.cursor
            if cursor is None:
                break
            await add(service, said("late", "a"), session_id="s-1")
        assert seen == [(f"s-{s}", f"e-{n}") for s in (1, 2, 3) for n in range(5)]

    async def test_sessions_say_how_many_and_from_when_to_when(self, service: InMemoryMemoryService) -> None:
        await add(service, said("kiln", "a", timestamp=60.0), said("kiln", "b", timestamp=0.0))
        await service.add_events(**ANN, events=[said("kiln")])
        first = await service.list_sessions(**ANN, limit=1)
        assert [(one.session_id, one.memories) for one in first.sessions] == [("__unknown_session_id__", 1)]
        second = await service.list_sessions(**ANN, limit=1, cursor=first.cursor)
        assert second.model_dump() == {
            "sessions": [
                {
                    "session_id": "s-1",
                    "memories": 2,
                    "first": "1970-01-01T00:00:00+00:00",
                    "last": "1970-01-01T00:01:00+00:00",
                }
            ],
            "cursor": None,
        }


class TestOptions:
    async def test_metadata_is_ignored_unless_asked_for(self, clock: Clock) -> None:
        for keep in (False, True):
            service = InMemoryMemoryService(store_metadata=keep, clock=clock)
            await add(service, said("kiln"), custom_metadata={"topic": "pottery"})
            [memory] = (await service.search_memory(**ANN, query="kiln")).memories
            assert memory.custom_metadata == ({"topic": "pottery"} if keep else {})
            assert ("metadata" in service.capabilities) is keep

    async def test_add_memory_is_refused_unless_asked_for(self, clock: Clock) -> None:
        memory = MemoryEntry(content=Content.of("likes the kiln"), author="user")
        refusing = InMemoryMemoryService()
        with pytest.raises(UnsupportedError, match="direct_memories=True"):
            await refusing.add_memory(**ANN, memories=[memory])
        service = InMemoryMemoryService(direct_memories=True, clock=clock)
        await service.add_memory(**ANN, memories=[memory])
        [stored] = (await service.search_memory(**ANN, query="kiln")).memories
        assert (stored.timestamp, stored.session_id) == ("2026-03-02T12:00:00+00:00", None)

    async def test_a_direct_memory_keeps_its_own_metadata(self) -> None:
        memory = MemoryEntry(content=Content.of("kiln"), custom_metadata={"topic": "pottery"})
        service = InMemoryMemoryService(direct_memories=True, store_metadata=True)
        await service.add_memory(**ANN, memories=[memory], custom_metadata={"source": "import"})
        [stored] = (await service.search_memory(**ANN, query="kiln")).memories
        assert stored.custom_metadata == {"topic": "pottery", "source": "import"}

    async def test_a_key_policy_joins_what_it_makes_equal(self) -> None:
        service = InMemoryMemoryService(key_policy="casefold")
        await service.add_events(app_name="Shop", user_id=" ANN", events=[said("kiln")])
        assert await found(service, "kiln") == ["e-1"]

    @pytest.mark.parametrize(
        "options",
        [{"max_results": 0}, {"max_results": True}, {"max_results": 2.5}, {"stop_words": "the"},
         {"retention": -1}, {"ranking": "best"}, {"analyzer": "best"},
         {"store_metadata": 1}, {"index_parts": {"image"}}],
        ids=str,
    )  # fmt: skip
    def test_out_of_bounds_are_refused_at_once(self, options: dict[str, Any]) -> None:
        with pytest.raises(InvalidInputError):
            InMemoryMemoryService(**options)

    async def test_after_close_nothing_works_but_closing(self, service: InMemoryMemoryService) -> None:
        async with service:
            await add(service, said("kiln"))
        await service.close()
        for call in (
            service.search_memory(**ANN, query="kiln"),
            service.add_events(**ANN, events=[]),
            service.count_memories(**ANN),
            service.list_memories(**ANN),
            service.list_sessions(**ANN),
            service.delete_user_memory(**ANN),
            service.remember_again(**ANN),
            anext(service.export_user(**ANN)),
        ):
            with pytest.raises(ClosedError):
                await call

    async def test_it_can_be_pickled_with_what_it_remembers(self) -> None:
        service = InMemoryMemoryService()
        await add(service, said("kiln"))
        assert await found(pickle.loads(pickle.dumps(service)), "kiln") == ["e-1"]

    async def test_its_repr_shows_no_text(self, service: InMemoryMemoryService) -> None:
        await add(service, said("walnut"))
        assert repr(service) == "InMemoryMemoryService(1 documents)"


@pytest.mark.parametrize("wrong", [None, 5, {"$ne": None}, ["ann"], b"ann", "", "a\nb", "\ud800", "x" * 513])
async def test_no_id_but_a_proper_one_reaches_the_store(service: InMemoryMemoryService, wrong: Any) -> None:
    await add(service, said("kiln"))
    for name in ("app_name", "user_id"):
        ids = {**ANN, name: wrong}
        for call in (
            service.search_memory(**ids, query="kiln"),
            service.add_events(**ids, events=[]),
            service.delete_user_memory(**ids),
            service.delete_memory(**ids, memory_id="e-1"),
            service.count_memories(**ids),
        ):
            with pytest.raises(InvalidInputError, match=name):
                await call
    with pytest.raises(InvalidInputError):
        await service.delete_memory(**ANN, memory_id=wrong)
    with pytest.raises(InvalidInputError):
        await service.delete_session_memory(**ANN, session_id=wrong)


@pytest.mark.parametrize("events", ["kiln", b"kiln", 5, None])
async def test_events_must_be_events(service: InMemoryMemoryService, events: Any) -> None:
    with pytest.raises(InvalidTypeError, match="events must be an iterable"):
        await service.add_events(**ANN, events=events)


TEXTS = st.sampled_from(["", "the", "kiln", "oven glaze", "kiln glaze", "使用MongoDB存储"])
STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "add", "add", "delete", "remember"]), st.sampled_from("abc"), TEXTS),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(steps=STEPS)
async def test_any_history_ends_as_its_simplest_telling_says(steps: list[tuple[str, str, str]]) -> None:
    """A model in ten lines: the last text of each id that was not forgotten, if it has keywords."""
    service = InMemoryMemoryService()
    texts: dict[str, str] = {}
    forgotten: set[str] = set()
    for verb, event_id, text in steps:
        if verb == "add":
            report = await add(service, said(text, event_id))
            assert report.accounted == report.received == 1
            if event_id not in forgotten:
                texts[event_id] = text
        elif verb == "delete":
            receipt = await service.delete_memory(**ANN, memory_id=event_id)
            assert receipt.forgotten == (texts.pop(event_id, "") not in {"", "the"})
            forgotten |= {event_id} if await _is_marked(service, event_id) else set()
        else:
            await service.remember_again(**ANN, memory_id=event_id)
            forgotten.discard(event_id)
    left = {event_id: text for event_id, text in texts.items() if text not in {"", "the"}}
    page = await service.list_memories(**ANN)
    assert {memory.id: memory.content.text for memory in page.memories} == left


async def _is_marked(service: InMemoryMemoryService, event_id: str) -> bool:
    rows = [row async for row in service.export_user(**ANN)]
    return any(row["_id"]["event_id"] == event_id and row["mr"].get("forgotten") for row in rows)
