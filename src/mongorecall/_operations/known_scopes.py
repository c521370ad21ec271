"""Which scopes were seen to be of a kind a moment ago."""

from __future__ import annotations

import time
from collections import OrderedDict

from mongorecall.models import MemoryScope

NON_EMPTY_SECONDS = 10.0
"""How long a scope that held something is taken to hold something still."""


class KnownScopes:
    """Scopes of one kind, such as those that held a memory a moment ago, so that nobody need look again."""

    def __init__(self, size: int = 10_000, *, seconds: float = NON_EMPTY_SECONDS) -> None:
        self._until: OrderedDict[MemoryScope, float] = OrderedDict()
        self._size = size
        self._seconds = seconds

    def add(self, scope: MemoryScope) -> None:
        """The scope is of the kind now."""
        self._until[scope] = time.monotonic() + self._seconds
        self._until.move_to_end(scope)
        if len(self._until) > self._size:
            self._until.popitem(last=False)

    def discard(self, scope: MemoryScope) -> None:
        """The scope may be of the kind no more."""
        self._until.pop(scope, None)

    def __contains__(self, scope: MemoryScope) -> bool:
        return self._until.get(scope, 0.0) > time.monotonic()
