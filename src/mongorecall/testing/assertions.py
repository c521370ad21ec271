"""`assert_recalls` and `assert_not_recalls`: a fixed bug stays fixed, and a failure says why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from mongorecall.base import SearchOptions
from mongorecall.inspection import diagnose, explain_search

if TYPE_CHECKING:
    from mongorecall.base import BaseMemoryService
    from mongorecall.models import MemoryEntry, SearchMemoryResponse


async def assert_recalls(
    service: BaseMemoryService,
    *,
    app_name: str,
    user_id: str,
    query: str,
    event: str | None = None,
    text: str | None = None,
    session: Any = None,
    allow_key_listing: bool = False,
    **options: Unpack[SearchOptions],
) -> MemoryEntry:
    """Assert that a search finds something: anything, this event, or a memory with this text in it.

    Args:
        service: any service.
        app_name: as for the search.
        user_id: as for the search.
        query: as for the search.
        event: id of the event that must be on the page.
        text: what a memory on the page must say; letter case counts.
        session: given to the diagnosis of a failure.
        allow_key_listing: given to the diagnosis of a failure.
        options: filters of the search.

    Returns:
        The memory that was found: the best that fits.

    Raises:
        AssertionError: nothing fits; the message is the diagnosis.
    """
    response = await service.search_memory(app_name=app_name, user_id=user_id, query=query, **options)
    found = _fitting(response, event, text)
    if found is not None:
        return found
    diagnosis = await diagnose(
        service,
        app_name=app_name,
        user_id=user_id,
        query=query,
        expect=event,
        session=session,
        allow_key_listing=allow_key_listing,
        **options,
    )
    raise AssertionError(
        f"{query!r} does not recall {_wanted(event, text)}; {len(response.memories)} found\n{diagnosis}"
    )


async def assert_not_recalls(
    service: BaseMemoryService,
    *,
    app_name: str,
    user_id: str,
    query: str,
    event: str | None = None,
    text: str | None = None,
    **options: Unpack[SearchOptions],
) -> None:
    """Assert that a search does not find something: anything, this event, or a memory with this text.

    Raises:
        AssertionError: it does; the message says which query words found which events.
    """
    response = await service.search_memory(app_name=app_name, user_id=user_id, query=query, **options)
    if _fitting(response, event, text) is None:
        return
    explained = await explain_search(service, app_name=app_name, user_id=user_id, query=query, **options)
    lines = [
        f"  {hit.rank}. event {hit.event_id} of session {hit.session_id}: {', '.join(hit.matched_keywords)}"
        for hit in explained.hits[:10]
    ]
    raise AssertionError("\n".join([f"{query!r} recalls {_wanted(event, text)}:", *lines]))


def _fitting(response: SearchMemoryResponse, event: str | None, text: str | None) -> MemoryEntry | None:
    return next(
        (
            memory
            for memory in response.memories
            if event in (None, memory.id) and (text is None or text in memory.content.text)
        ),
        None,
    )


def _wanted(event: str | None, text: str | None) -> str:
    if event is None and text is None:
        return "anything"
    named = [] if event is None else [f"event {event!r}"]
    return " with ".join([*named, *([] if text is None else [f"the text {text!r}"])])
