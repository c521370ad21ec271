"""The part of the contract that a service declares in ``capabilities``: kept if declared, else refused."""

# ruff: noqa: S101 - a contract is made of assertions

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING, ClassVar

import pytest

from mongorecall.models import Content, MemoryEntry
from mongorecall.testing._corner import MONDAY, Corner, said

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mongorecall.base import BaseMemoryService, Capability


class DeclaredCapabilities:
    """One promise a test. A method that is not declared must raise ``NotImplementedError``, not guess."""

    pytestmark: ClassVar[list[pytest.MarkDecorator]] = [pytest.mark.asyncio]

    @pytest.fixture
    def corner(self, service: BaseMemoryService) -> Corner:
        """An app and a user that no other test has."""
        return Corner.new(service)

    async def _offers(self, corner: Corner, capability: Capability) -> bool:
        """Whether the service declares it; where not, its method is shown to refuse."""
        if capability in corner.service.capabilities:
            return True
        refused: dict[str, Callable[[], Awaitable[object]]] = {
            "add_memory": lambda: corner.service.add_memory(**corner.names, memories=[]),
            "delete": lambda: corner.service.delete_user_memory(**corner.names),
            "filters": lambda: corner.search("kiln", session_id="s-1"),
            "score_parts": lambda: corner.search("kiln", score_parts=True),
            "list": lambda: corner.service.list_memories(**corner.names),
            "ttl": lambda: corner.add(said("kiln"), ttl=60),
        }
        with pytest.raises(NotImplementedError):
            await refused[capability]()
        return False

    # --- forgetting --------------------------------------------------------------------------------

    async def test_a_forgotten_memory_stays_forgotten(self, corner: Corner) -> None:
        """Gone by the id that search returned, and not brought back by adding its session again."""
        if not await self._offers(corner, "delete"):
            return
        session = said("kiln one", minute=1), said("kiln two", minute=2)
        await corner.add_session(*session)
        [newest, _] = (await corner.search("kiln")).memories
        receipt = await corner.service.delete_memory(**corner.names, memory_id=newest.id)
        assert (receipt.forgotten, receipt.dry_run) == (1, False)
        await corner.add_session(*session)
        assert await corner.finds("kiln") == ["kiln one"]

    async def test_a_forgotten_memory_can_be_let_in_again(self, corner: Corner) -> None:
        """``remember_again`` lifts the marker; the text itself comes only from adding it again."""
        if not await self._offers(corner, "delete"):
            return
        await corner.add(said("kiln", id="e-1"))
        await corner.service.delete_memory(**corner.names, memory_id="e-1")
        assert await corner.service.remember_again(**corner.names, memory_id="e-1") == 1
        assert await corner.finds("kiln") == []
        await corner.add(said("kiln", id="e-1"))
        assert await corner.finds("kiln") == ["kiln"]

    async def test_forgetting_a_session_spares_the_others(self, corner: Corner) -> None:
        """``delete_session_memory`` takes one session, ``delete_user_memory`` all of one user's."""
        if not await self._offers(corner, "delete"):
            return
        other = corner.beside(user_id=corner.scope.user_id + "-b")
        for place in (corner, other):
            await place.add(said("kiln one"), session_id="s-1")
            await place.add(said("kiln two"), session_id="s-2")
        receipt = await corner.service.delete_session_memory(**corner.names, session_id="s-1")
        assert receipt.forgotten == 1
        assert await corner.finds("kiln") == ["kiln two"]
        receipt = await corner.service.delete_user_memory(**corner.names)
        assert (receipt.forgotten, await corner.finds("kiln")) == (1, [])
        assert (await corner.service.delete_user_memory(**corner.names)).forgotten == 0
        assert len(await other.finds("kiln")) == 2

    async def test_a_dry_run_only_counts(self, corner: Corner) -> None:
        """The receipt of a dry run says what would be forgotten, and nothing is."""
        if not await self._offers(corner, "delete"):
            return
        await corner.add(said("kiln one", minute=1), said("kiln two", minute=2))
        receipt = await corner.service.delete_user_memory(**corner.names, dry_run=True)
        assert (receipt.forgotten, receipt.sessions, receipt.dry_run) == (2, 1, True)
        assert len(await corner.finds("kiln")) == 2

    # --- reading -----------------------------------------------------------------------------------

    async def test_filters_narrow_a_search(self, corner: Corner) -> None:
        """Session, author, time and number of memories; ``since`` is inclusive and ``until`` is not."""
        if not await self._offers(corner, "filters"):
            return
        await corner.add(said("kiln one", minute=1), said("kiln two", minute=2, author="agent"))
        await corner.add(said("kiln three", minute=3), session_id="s-2")
        at = [MONDAY + timedelta(minutes=minute) for minute in range(4)]
        assert await corner.finds("kiln", limit=1) == ["kiln three"]
        assert await corner.finds("kiln", session_id="s-1") == ["kiln two", "kiln one"]
        assert await corner.finds("kiln", exclude_session_id="s-1") == ["kiln three"]
        assert await corner.finds("kiln", author="agent") == ["kiln two"]
        assert await corner.finds("kiln", since=at[2]) == ["kiln three", "kiln two"]
        assert await corner.finds("kiln", until=at[2]) == ["kiln one"]
        assert await corner.finds("kiln one", min_score=2) == ["kiln one"]

    async def test_scores_are_taken_apart(self, corner: Corner) -> None:
        """The parts of a score sum up to it exactly, and change nothing else of the answer."""
        if not await self._offers(corner, "score_parts"):
            return
        await corner.add(said("kiln one", minute=1), said("kiln two?", minute=2), said("glaze", minute=3))
        plain = (await corner.search("kiln glaze")).memories
        apart = (await corner.search("kiln glaze", score_parts=True)).memories
        assert [sum(part.contribution for part in memory.score_parts) for memory in apart] == [
            memory.score for memory in plain
        ]
        assert [memory.model_copy(update={"score_parts": ()}) for memory in apart] == plain

    async def test_pages_list_every_memory_once(self, corner: Corner) -> None:
        """Lists are in the order of session and event id, stable from page to page, and counted."""
        if not await self._offers(corner, "list"):
            return
        for session_id in ("s-2", "s-1"):
            await corner.add(
                *[said(f"kiln {event}", id=event) for event in ("c", "a", "b")], session_id=session_id
            )
        listed, cursor = [], None
        while True:
            page = await corner.service.list_memories(**corner.names, limit=2, cursor=cursor)
            listed += [(memory.session_id, memory.id) for memory in page.memories]
            if (cursor := page.cursor) is None:
                break
        assert listed == [(session, event) for session in ("s-1", "s-2") for event in ("a", "b", "c")]
        assert await corner.service.count_memories(**corner.names) == len(listed)
        sessions = (await corner.service.list_sessions(**corner.names)).sessions
        assert [(each.session_id, each.memories) for each in sessions] == [("s-1", 3), ("s-2", 3)]

    # --- writing -----------------------------------------------------------------------------------

    async def test_memories_without_an_event_are_stored(self, corner: Corner) -> None:
        """``add_memory`` stores what no event stands behind."""
        if not await self._offers(corner, "add_memory"):
            return
        entry = MemoryEntry(content=Content.of("The kiln fires at dawn."), author="user")
        await corner.service.add_memory(**corner.names, memories=[entry])
        assert await corner.finds("kiln") == ["The kiln fires at dawn."]

    async def test_custom_metadata_is_kept_where_declared_and_ignored_elsewhere(self, corner: Corner) -> None:
        """Metadata is returned with the memory; a service without the capability takes it and drops it."""
        await corner.add(said("kiln"), custom_metadata={"topic": "pottery", "level": 3})
        [memory] = (await corner.search("kiln")).memories
        kept = {name: memory.custom_metadata.get(name) for name in ("topic", "level")}
        declared = "metadata" in corner.service.capabilities
        assert kept == ({"topic": "pottery", "level": 3} if declared else {"topic": None, "level": None})

    async def test_a_report_accounts_for_every_event(self, corner: Corner) -> None:
        """What was received is stored, replaced, unchanged, erased, skipped or failed; nothing else."""
        first, chunk = said("kiln", id="e-1"), said("kiln is", id="e-2")
        chunk.partial = True
        events = [first, chunk, said("", id="e-3")]
        report = await corner.service.add_events(**corner.names, events=events, session_id="s-1")
        assert (report.received, report.accounted) == (3, 3)
        if "report" in corner.service.capabilities:
            assert (report.stored, report.skipped) == (1, {"partial": 1, "no_text": 1})
            again = await corner.service.add_events(**corner.names, events=events, session_id="s-1")
            assert (again.stored, again.unchanged) == (0, 1)

    async def test_an_expired_memory_is_not_returned(self, corner: Corner) -> None:
        """A memory with a lifetime is found before it ends and not after, swept or not."""
        if not await self._offers(corner, "ttl"):
            return
        await corner.add(said("kiln one", minute=1), ttl=timedelta(seconds=1))
        await corner.add(said("kiln two", minute=2), ttl=timedelta(days=1))
        assert await corner.finds("kiln") == ["kiln two", "kiln one"]
        await asyncio.sleep(1.1)
        assert await corner.finds("kiln") == ["kiln two"]
