"""One use of every part of a service, whose answers do not depend on which service it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mongorecall import Event, InMemoryMemoryService

if TYPE_CHECKING:
    from mongorecall.base import BaseMemoryService

SCOPE: dict[str, Any] = {"app_name": "app", "user_id": "ann"}
Answers = list[Any]


def event(number: int, text: str) -> Event:
    """A turn of the user."""
    return Event.model_validate(
        {"id": f"e{number}", "author": "user", "timestamp": number, "content": {"parts": [{"text": text}]}}
    )


async def use(service: BaseMemoryService) -> Answers:
    """Add, add again, redact, search, list, count, forget and lift; what was answered."""
    first = [event(number, f"coffee number {number}") for number in range(8)]
    await service.add_events(**SCOPE, session_id="one", events=first)
    await service.add_events(**SCOPE, session_id="one", events=[event(1, "tea instead"), event(2, "")])
    await service.add_events(**SCOPE, session_id="two", events=[event(9, "coffee again")])
    answers: Answers = [await _found(service, "coffee"), await _found(service, "tea")]
    answers.append(await service.count_memories(**SCOPE))
    await service.delete_memory(**SCOPE, session_id="one", memory_id="e3")
    await service.add_events(**SCOPE, session_id="one", events=first)
    page = await service.list_memories(**SCOPE)
    answers.append([(memory.session_id, memory.id) for memory in page.memories])
    await service.remember_again(**SCOPE, session_id="one", memory_id="e3")
    await service.add_events(**SCOPE, session_id="one", events=first)
    answers.append(await _found(service, "coffee"))
    await service.delete_session_memory(**SCOPE, session_id="two")
    answers.append(await _found(service, "coffee"))
    return answers


async def expected() -> Answers:
    """What the readable twin answers."""
    return await use(InMemoryMemoryService())


async def _found(service: BaseMemoryService, query: str) -> list[tuple[str | None, str | None]]:
    response = await service.search_memory(**SCOPE, query=query)
    return [(memory.session_id, memory.id) for memory in response.memories]
