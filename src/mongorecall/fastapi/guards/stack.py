"""The guards in their order, outermost first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from mongorecall._checks import type_name
from mongorecall.errors import InvalidTypeError
from mongorecall.fastapi.guards.body import BodyGuard
from mongorecall.fastapi.guards.deadline import DeadlineGuard
from mongorecall.fastapi.guards.disconnect import DisconnectGuard
from mongorecall.fastapi.guards.edge import Edge
from mongorecall.fastapi.guards.headers import PROTECTIVE, HeaderGuard
from mongorecall.fastapi.guards.host import HostGuard, check_hosts
from mongorecall.fastapi.guards.identity import IdentityGuard
from mongorecall.fastapi.guards.load import Load, LoadGuard
from mongorecall.fastapi.guards.media import JsonGuard
from mongorecall.fastapi.guards.origin import OriginGuard, check_origins

if TYPE_CHECKING:
    from mongorecall.fastapi.guards._asgi import ASGIApp, Guard
    from mongorecall.fastapi.limits import Limits
    from mongorecall.fastapi.principal import Authenticate

STREAMING = frozenset({"export"})
"""Operations whose answer may take `Limits.export_seconds`."""

LOGIN_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Rules:
    """What a router asks of every request."""

    authenticate: Authenticate
    hosts: frozenset[str]
    origins: frozenset[str]
    limits: Limits
    load: Load

    @classmethod
    def of(
        cls, *, authenticate: Authenticate, hosts: Iterable[str], origins: Iterable[str], limits: Limits
    ) -> Rules:
        """The rules, checked; raises as `memory_router` says."""
        if not callable(authenticate):
            raise InvalidTypeError(f"authenticate must be callable, got {type_name(authenticate)}")
        return cls(authenticate, check_hosts(hosts), check_origins(origins), limits, Load(limits))


def call_guards(rules: Rules, operation: str) -> list[Guard]:
    """The guards of a call of the service. What is cheap to refuse, and needs no identity, comes first."""
    seconds = rules.limits.export_seconds if operation in STREAMING else rules.limits.deadline_seconds
    return [*known_guards(rules, operation), DisconnectGuard, partial(DeadlineGuard, seconds=seconds)]


def known_guards(rules: Rules, operation: str) -> list[Guard]:
    """The guards of a POST by somebody known."""
    limits = rules.limits
    return [
        *page_guards(rules, operation),
        JsonGuard,
        partial(IdentityGuard, authenticate=rules.authenticate),
        partial(LoadGuard, load=rules.load),
        partial(BodyGuard, limit=limits.body_bytes, seconds=limits.body_seconds),
    ]


def unknown_guards(rules: Rules, operation: str) -> list[Guard]:
    """The guards of a POST by somebody who has yet to say who they are."""
    body = partial(BodyGuard, limit=LOGIN_BYTES, seconds=rules.limits.body_seconds)
    return [*page_guards(rules, operation), JsonGuard, body]


def page_guards(rules: Rules, operation: str) -> list[Guard]:
    """The guards of everything, and all there is to ask of a GET of the page and its files."""
    return [
        partial(HeaderGuard, headers=PROTECTIVE),
        partial(Edge, operation=operation),
        partial(HostGuard, hosts=rules.hosts),
        partial(OriginGuard, origins=rules.origins),
    ]


def guarded(app: ASGIApp, guards: list[Guard]) -> ASGIApp:
    """``app`` behind the guards, the first outermost."""
    for guard in reversed(guards):
        app = guard(app)
    return app
