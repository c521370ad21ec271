"""Keeps one principal, and all of them together, from taking more than their share."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from mongorecall.fastapi._refusal import Refusal
from mongorecall.fastapi.guards._asgi import ASGIApp, Receive, Scope, Send, notes_of
from mongorecall.fastapi.limits import Limits

MAX_BUCKETS = 10_000
"""Principals remembered at once; the one unheard of longest is forgotten first."""


@dataclass(slots=True)
class _Bucket:
    tokens: float
    filled_at: float
    in_flight: int = 0


class Load:
    """What is running and what has been asked lately; one per router, shared by its routes."""

    def __init__(self, limits: Limits, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self.in_flight = 0
        self._clock = clock
        self._buckets: OrderedDict[tuple[str, str], _Bucket] = OrderedDict()

    def enter(self, who: tuple[str, str]) -> _Bucket:
        """Take a place, or refuse: 429 over the rate, 503 when no place is free."""
        bucket = self._bucket(who)
        if bucket.in_flight >= self.limits.in_flight or self.in_flight >= self.limits.in_flight_total:
            raise Refusal(503, "busy")
        if bucket.tokens < 1:
            raise Refusal(429)
        bucket.tokens -= 1
        bucket.in_flight += 1
        self.in_flight += 1
        return bucket

    def leave(self, bucket: _Bucket) -> None:
        """Give the place back."""
        bucket.in_flight -= 1
        self.in_flight -= 1

    def _bucket(self, who: tuple[str, str]) -> _Bucket:
        now = self._clock()
        bucket = self._buckets.pop(who, None) or _Bucket(float(self.limits.burst), now)
        bucket.tokens += (now - bucket.filled_at) * self.limits.rate
        bucket.tokens = min(bucket.tokens, float(self.limits.burst))
        bucket.filled_at = now
        self._buckets[who] = bucket
        if len(self._buckets) > MAX_BUCKETS:
            self._buckets.popitem(last=False)
        return bucket


class LoadGuard:
    """429 over the principal's rate; 503 with Retry-After when its places, or all places, are taken."""

    def __init__(self, app: ASGIApp, *, load: Load) -> None:
        self.app = app
        self.load = load

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        principal = notes_of(scope).principal
        assert principal is not None  # noqa: S101 - IdentityGuard stands outside of this one
        bucket = self.load.enter((principal.app_name, principal.user_id))
        try:
            await self.app(scope, receive, send)
        finally:
            self.load.leave(bucket)
