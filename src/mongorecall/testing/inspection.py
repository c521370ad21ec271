"""`InspectionContract`: the contract of a memory service, and that inspecting it changes nothing."""

# ruff: noqa: S101 - a contract is made of assertions

from __future__ import annotations

from typing import TYPE_CHECKING

from mongorecall.inspection import InspectingMemoryService, RingBuffer, diagnose
from mongorecall.testing._corner import said
from mongorecall.testing.contract import MemoryServiceContract

if TYPE_CHECKING:
    from mongorecall.base import BaseMemoryService
    from mongorecall.testing._corner import Corner

_FACT = "My favourite coffee is a flat white."


class InspectionContract(MemoryServiceContract):
    """Every promise of `MemoryServiceContract`, and those of inspection, for any backend."""

    async def test_inspection_changes_no_answer(self, service: BaseMemoryService, corner: Corner) -> None:
        """The same search through the decorator gives the same response."""
        await corner.add(said(_FACT))
        inspected = InspectingMemoryService(service, hooks=[])
        plain = await service.search_memory(**corner.names, query="coffee")
        assert await inspected.search_memory(**corner.names, query="coffee") == plain
        assert inspected.capabilities == service.capabilities

    async def test_two_sessions_leave_their_trace(self, service: BaseMemoryService, corner: Corner) -> None:
        """Monday's write and Thursday's search are two records under one key, with counts and no text."""
        ring = RingBuffer()
        inspected = InspectingMemoryService(service, hooks=[ring])
        await inspected.add_events_to_memory(**corner.names, session_id="monday", events=[said(_FACT)])
        await inspected.search_memory(**corner.names, query="What coffee do I get?")
        write, search = ring.records()
        assert (write.operation, write.key, write.events, write.text_events) == (
            "write",
            corner.scope.key,
            1,
            1,
        )
        assert (search.operation, search.key, search.tokens, search.hits) == (
            "search",
            corner.scope.key,
            5,
            1,
        )
        assert "coffee" not in write.line() + search.line() + repr(write) + repr(search)

    async def test_a_working_search_is_diagnosed_as_such(
        self, service: BaseMemoryService, corner: Corner
    ) -> None:
        """No cause where there is a hit."""
        await corner.add(said(_FACT))
        diagnosis = await diagnose(service, **corner.names, query="coffee")
        assert diagnosis.cause is None, str(diagnosis)

    async def test_a_user_nobody_wrote_for_is_diagnosed_as_such(
        self, service: BaseMemoryService, corner: Corner
    ) -> None:
        """The first check fails, and says what to call."""
        diagnosis = await diagnose(service, **corner.names, query="coffee")
        assert diagnosis.cause == "nothing_written", str(diagnosis)
        assert "add_session_to_memory" in (diagnosis.next_step or "")
