"""What the services of one process share about one collection of one deployment.

Two services on the same collection must agree on what is newer, know of each other's writes under way, and
need not make its indexes twice.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from mongorecall._operations.clock import RevisionClock
from mongorecall._operations.unsettled import UnsettledWrites
from mongorecall.drivers import Driver


@dataclass(frozen=True, slots=True)
class Shared:
    """Shared by all services on one collection."""

    clock: RevisionClock = field(default_factory=RevisionClock)
    unsettled: UnsettledWrites = field(default_factory=UnsettledWrites)
    indexes_seen: dict[str, float] = field(default_factory=dict)


_Collections = dict[str, Shared]
"""By namespace."""

_by_uri: dict[bytes, _Collections] = {}
_by_client: WeakKeyDictionary[object, _Collections] = WeakKeyDictionary()
_lock = threading.Lock()


def shared_by(driver: Driver) -> Shared:
    """What all drivers of the same identity and namespace share; made by the first of them."""
    identity = driver.identity
    with _lock:
        if isinstance(identity, bytes):
            collections = _by_uri.setdefault(identity, {})
        else:
            collections = _by_client.setdefault(identity, {})
        return collections.setdefault(driver.namespace, Shared())
