"""Before first use: is the collection suitable, and are its indexes there?"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from mongorecall._indexes import IndexSpec, describe_keys
from mongorecall.drivers import Driver, Operation
from mongorecall.errors import (
    IndexConflictError,
    PermissionDeniedError,
    RecallError,
    UnsuitableCollectionError,
)

_log = logging.getLogger("mongorecall")

_SAME_KEYS_OTHER_NAME = 85
_SAME_NAME_OTHER_KEYS = 86
_NOT_AUTHORIZED = frozenset({13, 8000})
"""Unauthorized, and Atlas's code for an action that the user may not take."""

TRUSTED_SECONDS = 600.0
"""How long an index that was seen is taken to be there still: a dropped one is made again after this."""


class IndexKeeper:
    """Makes each index once a process and collection (again after ten minutes, in case it was dropped), and
    looks at the collection as often.

    Guarded by one `asyncio.Lock` for each event loop: 100 concurrent first calls send one
    ``createIndexes``. What fails is tried again by the next operation, but for a missing privilege, which
    is logged once and then taken as the administrator's decision.
    """

    def __init__(self, driver: Driver, seen: dict[str, float], *, create: bool) -> None:
        """``seen``: name of an index → when it was made or found; shared by the services of a process."""
        self._driver = driver
        self._create = create
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()
        self._seen = seen
        self._denied: set[str] = set()

    async def ensure(self, operation: Operation, specs: Iterable[IndexSpec]) -> None:
        """The collection is suitable and the indexes are there, as far as the user may make them.

        Raises:
            UnsuitableCollectionError: a view, a time series, a capped collection, or one with a collation.
            IndexConflictError: the name of ours belongs to an index on other keys.
            RecallError: any other error of the server.
        """
        missing = [spec for spec in specs if not self._is_seen(spec.name)] if self._create else []
        if not missing and self._is_seen(_SUITABLE):
            return
        lock = self._locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())
        async with lock:
            if not self._is_seen(_SUITABLE):
                await self._look(operation)
                self._saw(_SUITABLE)
            for spec in missing:
                if not self._is_seen(spec.name):
                    await self._make(operation, spec)
                    self._saw(spec.name)

    def _is_seen(self, name: str) -> bool:
        seen = self._seen.get(name)
        return seen is not None and time.monotonic() - seen < TRUSTED_SECONDS

    def _saw(self, name: str) -> None:
        self._seen[name] = time.monotonic()

    async def make_now(self, operation: Operation, spec: IndexSpec) -> None:
        """Make the index whatever is known of it; a missing privilege is an error here."""
        await self._send(operation, spec)
        self._saw(spec.name)

    async def _look(self, operation: Operation) -> None:
        command = {"listCollections": 1, "filter": {"name": self._driver.collection_name}}
        try:
            found = await operation.read(command)
        except PermissionDeniedError:
            return  # a user who may only read and write documents cannot look
        for collection in found:
            fault = _unsuitable(collection)
            if fault is not None:
                raise UnsuitableCollectionError(
                    f"collection {self._driver.namespace} {fault}", hint="use an ordinary collection"
                )

    async def _make(self, operation: Operation, spec: IndexSpec) -> None:
        try:
            await self._send(operation, spec)
        except PermissionDeniedError as error:
            if error.code not in _NOT_AUTHORIZED:
                raise
            if spec.name in self._denied:
                return
            self._denied.add(spec.name)
            _log.warning(
                "index %s on %s could not be made: the database user lacks the privilege createIndex "
                "(code %s). Searches go on unindexed and slow down as the collection grows; grant the "
                "privilege, let an administrator run `mongorecall init-indexes`, or pass "
                "ensure_indexes=False to say that this is meant.",
                spec.name,
                self._driver.namespace,
                error.code,
            )

    async def _send(self, operation: Operation, spec: IndexSpec) -> None:
        command = {"createIndexes": self._driver.collection_name, "indexes": [spec.definition()]}
        try:
            await operation.command(command)
        except RecallError as error:
            if error.code == _SAME_KEYS_OTHER_NAME:
                return
            if error.code == _SAME_NAME_OTHER_KEYS:
                raise self._conflict(spec) from None
            raise

    def _conflict(self, spec: IndexSpec) -> IndexConflictError:
        return IndexConflictError(
            f"index {spec.name} on {self._driver.namespace} exists with other keys or options than "
            f"{describe_keys(spec.keys)}",
            hint=f"drop the index {spec.name} so that it is made anew, or pass ensure_indexes=False",
            code=_SAME_NAME_OTHER_KEYS,
        )


_SUITABLE = "(suitable)"
"""Stands among the names of indexes for the look at the collection itself."""


def _unsuitable(collection: Mapping[str, Any]) -> str | None:
    options = collection.get("options", {})
    if collection.get("type") == "view":
        return "is a view: memories cannot be written to it"
    if collection.get("type") == "timeseries" or "timeseries" in options:
        return "is a time-series collection: memories cannot be replaced in it"
    if options.get("capped"):
        return "is capped: old memories would vanish in silence"
    collation = options.get("collation")
    if collation and collation.get("locale") != "simple":
        return (
            f"has the default collation {collation.get('locale')}/strength {collation.get('strength')}: "
            "different ids would be equal"
        )
    return None
