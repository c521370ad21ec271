"""Whatever a caller passes: only our errors leave, only known commands are sent, and tenants never meet."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mongorecall import Content, Event, MemoryEntry, MongoDbMemoryService, RecallError
from tests.service.talk import SCOPE, Sent, close_client, ids, turn, watched_client

EXAMPLES = int(os.environ.get("MONGORECALL_FUZZ_CALLS", "150"))

hostile = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.binary(max_size=8), st.text(max_size=8),
    st.sampled_from([
        {"$ne": None}, {"$gt": ""}, {"$regex": ".*"}, ["kiln"], "a\x00b", "\ud800", "x" * 600, "$where",
        object(), Event, lambda: None, datetime(2026, 1, 1, tzinfo=UTC), timedelta(1), 2**70, float("nan"),
        "__unknown_session_id__", "kiln", "s-1", SCOPE["app_name"], SCOPE["user_id"],
    ]),
)  # fmt: skip
bodies = st.one_of(
    hostile,
    st.builds(Event, id=st.text(max_size=5), content=st.builds(Content.of, st.text(max_size=20))),
    st.builds(MemoryEntry, content=st.builds(Content.of, st.text(max_size=20))),
)
METHODS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "add_events": {
        "events": st.lists(bodies, max_size=3) | hostile, "session_id": hostile, "ttl": hostile,
        "custom_metadata": hostile | st.dictionaries(st.text(max_size=3), hostile, max_size=2),
    },
    "add_events_to_memory": {"events": st.lists(bodies, max_size=3) | hostile},
    "add_memory": {"memories": st.lists(bodies, max_size=3) | hostile},
    "search_memory": {
        "query": hostile, "limit": hostile, "session_id": hostile, "exclude_session_id": hostile,
        "author": hostile, "since": hostile, "until": hostile, "min_score": hostile,
    },
    "list_memories": {"session_id": hostile, "limit": hostile, "cursor": hostile},
    "list_sessions": {"limit": hostile, "cursor": hostile},
    "count_memories": {"session_id": hostile},
    "delete_memory": {"memory_id": hostile, "session_id": hostile, "dry_run": hostile},
    "delete_session_memory": {"session_id": hostile, "dry_run": hostile},
    "remember_again": {"memory_id": hostile, "session_id": hostile},
}  # fmt: skip


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A method, and arguments of which some are hostile."""
    method = draw(st.sampled_from(sorted(METHODS)))
    own = draw(st.fixed_dictionaries({}, optional=METHODS[method]))
    needed = {"add_events": "events", "add_events_to_memory": "events", "add_memory": "memories",
              "search_memory": "query", "delete_session_memory": "session_id"}.get(method)  # fmt: skip
    if needed and needed not in own:
        own[needed] = draw(METHODS[method][needed])
    scope = {"app_name": "attacker", "user_id": "mallory"}
    scope |= draw(st.fixed_dictionaries({}, optional={"app_name": hostile, "user_id": hostile}))
    return method, scope | own


KNOWN = {"find", "aggregate", "insert", "update", "createIndexes", "listCollections", "hello", "killCursors"}


async def error_of(call: Awaitable[Any]) -> Exception | None:
    """What a call ended in."""
    try:
        await call
    except Exception as error:
        return error
    return None


def is_operator(value: Any) -> bool:
    """Whether a value sent as an id is anything but text."""
    return not isinstance(value, str)


def ids_in(command: Mapping[str, Any]) -> Iterator[Any]:
    """Every value that a command compares ``app_name`` or ``user_id`` with."""
    stack: list[Any] = [command]
    while stack:
        value = stack.pop()
        if isinstance(value, Mapping):
            for name, inner in value.items():
                if name in ("app_name", "user_id") and inner not in (0, 1, -1, f"${name}"):
                    yield inner["$eq"] if isinstance(inner, Mapping) and set(inner) == {"$eq"} else inner
                elif name != "content":
                    stack.append(inner)
        elif isinstance(value, list):
            stack += value


@pytest.fixture(params=["motor", "pymongo"])
def attack(request: pytest.FixtureRequest, uri: str, database: str) -> Iterator[Any]:
    """Makes a call as an attacker, and looks at what was sent and at what the victim holds."""
    kind: Literal["motor", "pymongo"] = request.param
    with asyncio.Runner() as loop:

        async def start() -> tuple[MongoDbMemoryService, Any, Sent]:
            client, sent = watched_client(kind, uri)
            service = MongoDbMemoryService(
                mongo_client=client, database_name=database, direct_memories=True, store_metadata=True
            )
            await service.add_events_to_memory(**SCOPE, session_id="s-1", events=[turn("e", "kiln walnut")])
            return service, client, sent

        service, client, sent = loop.run(start())

        async def call(method: str, arguments: dict[str, Any]) -> None:
            if (arguments["app_name"], arguments["user_id"]) == (SCOPE["app_name"], SCOPE["user_id"]):
                return
            sent.commands.clear()
            failed = await error_of(getattr(service, method)(**arguments))
            assert failed is None or isinstance(failed, RecallError), type(failed)
            assert failed is None or failed.__cause__ is None
            assert set(sent.names) <= KNOWN
            assert not [value for one in sent.commands for value in ids_in(one) if is_operator(value)]
            if sent.commands:
                await victim_is_well()

        async def victim_is_well() -> None:
            assert await service.count_memories(**SCOPE) == 1
            assert ids(await service.search_memory(**SCOPE, query="walnut")) == ["e"]
            assert (await service.list_sessions(**SCOPE)).sessions[0].memories == 1

        yield lambda method, arguments: loop.run(call(method, arguments))
        loop.run(close_client(client))


@pytest.mark.filterwarnings("ignore::mongorecall.ExperimentalWarning")
@pytest.mark.filterwarnings("ignore:Do not use the `random` module")  # the driver's threads do, meanwhile
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(call=calls())
def test_a_hostile_call_ends_in_our_error_and_touches_nobody(
    attack: Any, call: tuple[str, dict[str, Any]]
) -> None:
    attack(*call)
