"""A database user may do little: what the privileges allow works, the rest is told, and nothing is lost."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from mongorecall import MongoDbMemoryService
from mongorecall.errors import PermissionDeniedError
from tests.servers.processes import AuthServer
from tests.service.talk import IN_SESSION, SCOPE, ids, talk, turn

Call = Callable[[MongoDbMemoryService], Coroutine[Any, Any, object]]


async def drain(rows: Any) -> list[Any]:
    return [row async for row in rows]


READS: dict[str, Call] = {
    "search": lambda service: service.search_memory(**SCOPE, query="walnut"),
    "list memories": lambda service: service.list_memories(**SCOPE),
    "list sessions": lambda service: service.list_sessions(**SCOPE),
    "count": lambda service: service.count_memories(**SCOPE),
    "export": lambda service: drain(service.export_user(**SCOPE)),
    "dry run": lambda service: service.delete_user_memory(**SCOPE, dry_run=True),
}
INSERTS: dict[str, Call] = {
    "add one": lambda service: service.add_events(**IN_SESSION, events=[turn("new", "walnut")]),
    "add many": lambda service: service.add_session(talk("walnut a", "walnut b", session_id="s-2")),
}
UPDATES: dict[str, Call] = {
    "replace": lambda service: service.add_events(**IN_SESSION, events=[turn("e-0", "walnut anew")]),
    "forget an event": lambda service: service.delete_memory(**SCOPE, memory_id="e-0"),
    "forget a session": lambda service: service.delete_session_memory(**IN_SESSION),
    "forget a user": lambda service: service.delete_user_memory(**SCOPE),
}
NEEDS = {
    **dict.fromkeys(READS, frozenset({"find"})),
    **dict.fromkeys(INSERTS, frozenset({"insert"})),
    **dict.fromkeys(UPDATES, frozenset({"find", "update"})),
    "replace": frozenset({"find", "insert", "update"}),
}
CALLS = READS | INSERTS | UPDATES


@pytest.mark.parametrize("actions", ["find", "insert", "find insert", "find update", "find insert update"])
async def test_each_call_needs_what_it_does_and_no_more(
    auth_server: AuthServer, driver: Any, database: str, actions: str
) -> None:
    """``remove`` is never needed: what is forgotten leaves a marker."""
    allowed = set(actions.split())
    uri = auth_server.add_user(database, actions=sorted(allowed))
    async with MongoDbMemoryService(
        connection_string=auth_server.uri, database_name=database, driver=driver
    ) as owner:
        for name, call in CALLS.items():
            await owner.add_session(talk("walnut kiln"))
            before = await drain(owner.export_user(**SCOPE))
            async with MongoDbMemoryService(
                connection_string=uri, database_name=database, driver=driver, ensure_indexes=False
            ) as service:
                if NEEDS[name] <= allowed:
                    await call(service)
                else:
                    with pytest.raises(PermissionDeniedError, match="may not do this"):
                        await call(service)
                    assert await drain(owner.export_user(**SCOPE)) == before, name
            await owner.delete_user_memory(**SCOPE)
            await owner.remember_again(**SCOPE)


async def test_reading_only_finds_what_another_user_wrote(
    auth_server: AuthServer, driver: Any, database: str
) -> None:
    async with MongoDbMemoryService(
        connection_string=auth_server.uri, database_name=database, driver=driver
    ) as writer:
        await writer.add_session(talk("walnut kiln"))
    uri = auth_server.add_user(database, actions=["find"])
    async with MongoDbMemoryService(connection_string=uri, database_name=database, driver=driver) as reader:
        assert ids(await reader.search_memory(**SCOPE, query="kiln")) == ["e-0"]
        with pytest.raises(PermissionDeniedError):
            await reader.add_session(talk("walnut", session_id="s-2"))
        assert ids(await reader.search_memory(**SCOPE, query="kiln")) == ["e-0"]


async def test_a_user_of_another_database_gets_nothing(
    auth_server: AuthServer, driver: Any, database: str
) -> None:
    uri = auth_server.add_user(f"{database}_other")
    async with MongoDbMemoryService(connection_string=uri, database_name=database, driver=driver) as service:
        for name, call in CALLS.items():
            with pytest.raises(PermissionDeniedError) as caught:
                await call(service)
            assert caught.value.outcome == "none", name
