"""Health: does the server answer, are the indexes there, and what should the operator do?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mongorecall._indexes import RECALL, RECENCY, IndexSpec, judge
from mongorecall._operations.store import Store
from mongorecall.drivers import Operation
from mongorecall.errors import PermissionDeniedError, RecallError
from mongorecall.models import Health

NAMESPACE_NOT_FOUND = 26

BOTH_INDEXES = (
    f"{RECALL.name} and {RECENCY.name} are both there: the second serves all the first does, so dropping "
    "the first saves writes and memory, and lets searches use the second"
)

MANY_DOCUMENTS = 100_000
"""From here on the recency index is worth a word: below it a search is quick either way."""


async def health(store: Store) -> Health:
    """See `MongoDbMemoryService.health`. Four commands; an unreachable server is an answer, not an error."""
    try:
        async with store.driver.operation("health") as operation:
            return await _look(store, operation)
    except RecallError as error:
        return Health(
            ok=False,
            server=None,
            topology=None,
            driver=store.driver.description,
            index="unknown",
            recency_index="unknown",
            documents=None,
            advice=[f"the server does not answer as it should: {error.message}"],
        )


async def _look(store: Store, operation: Operation) -> Health:
    hello = await operation.command({"hello": 1})
    build = await operation.command({"buildInfo": 1})
    indexes = await _indexes(store, operation)
    counted = await operation.command({"count": store.driver.collection_name})
    recall, recency = _state(RECALL, indexes), _state(RECENCY, indexes)
    documents = int(counted["n"])
    advice = _advice(store, recall, recency, documents)
    if recency == "missing" and not store.options.recency_index:
        recency = "off"
    return Health(
        ok=not any(urgent for urgent, _ in advice),
        server=str(build["version"]),
        topology=_topology(hello),
        driver=store.driver.description,
        index=recall,
        recency_index=recency,
        documents=documents,
        advice=[sentence for _, sentence in advice],
    )


async def _indexes(store: Store, operation: Operation) -> list[dict[str, Any]] | None:
    """The indexes of the collection; none for one that is not there yet, None without the privilege."""
    command = {"listIndexes": store.driver.collection_name, "cursor": {}}
    try:
        return await operation.read(command)
    except PermissionDeniedError:
        return None
    except RecallError as error:
        if error.code == NAMESPACE_NOT_FOUND:
            return []
        raise


def _state(spec: IndexSpec, indexes: Sequence[Mapping[str, Any]] | None) -> str:
    return "unknown" if indexes is None else judge(spec, indexes)


def _topology(hello: Mapping[str, Any]) -> str:
    if hello.get("msg") == "isdbgrid":
        return "sharded"
    return "replica_set" if "setName" in hello else "standalone"


def _advice(store: Store, recall: str, recency: str, documents: int) -> list[tuple[bool, str]]:
    """Sentences, most urgent first, each with whether it needs an action."""
    advice: list[tuple[bool, str]] = []
    wanted, state = (RECENCY, recency) if store.options.recency_index else (RECALL, recall)
    served = "present" in (recall, recency)
    if state == "conflict":
        advice.append((True, f"the name {wanted.name} belongs to an index on other keys; drop or rename it"))
    elif state == "hidden" and not served:
        advice.append((True, f"the index {wanted.name} is hidden: every search reads the whole collection"))
    elif state == "missing" and documents and not served:
        advice.append(
            (True, f"the index {wanted.name} is missing: run `mongorecall init-indexes` as an administrator")
        )
    elif state == "unknown":
        advice.append((False, "the database user may not list indexes, so whether they are there is unknown"))
    if recall == recency == "present":
        advice.append((False, BOTH_INDEXES))
    if recency == "missing" and not store.options.recency_index and documents >= MANY_DOCUMENTS:
        advice.append((False, "users with long histories would be served quicker with recency_index=True"))
    return advice
