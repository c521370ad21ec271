"""Local mongod processes that a test may kill: a replica set, and a server with users."""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote_plus

from pymongo import MongoClient
from pymongo.errors import PyMongoError

from mongorecall.embedded import HOST, EmbeddedServer, free_port

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

SHORT_ELECTION_MS = 1000
"""How long a secondary waits before it stands for election. The server's default is 10,000."""


def direct(server: EmbeddedServer, **options: Any) -> MongoClient[dict[str, Any]]:
    """A synchronous client for one server alone, whatever its role."""
    return MongoClient(server.uri, serverSelectionTimeoutMS=2000, connectTimeoutMS=2000, **options)


class ReplicaSet:
    """A replica set whose members can be killed and brought back on their data."""

    def __init__(self, size: int = 3, *, name: str = "rs0", arguments: Sequence[str] = ()) -> None:
        self.name = name
        self.members = [
            EmbeddedServer(port=free_port(), arguments=("--replSet", name, "--oplogSize=64", *arguments))
            for _ in range(size)
        ]

    @property
    def uri(self) -> str:
        """The connection string of the whole set."""
        hosts = ",".join(f"{HOST}:{member.port}" for member in self.members)
        return f"mongodb://{hosts}/?replicaSet={self.name}"

    def __enter__(self) -> Self:
        try:
            for member in self.members:
                member.start()
            self._initiate()
            self.wait_for_primary()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _initiate(self) -> None:
        hosts = [f"{HOST}:{member.port}" for member in self.members]
        config = {
            "_id": self.name,
            "members": [{"_id": place, "host": host} for place, host in enumerate(hosts)],
            "settings": {"electionTimeoutMillis": SHORT_ELECTION_MS},
        }
        with direct(self.members[0]) as client:
            client.admin.command("replSetInitiate", config)

    def stop(self) -> None:
        """Stop every member. They are killed: a set that stops in order elects at each step."""
        for member in self.members:
            member.kill()
            member.stop()

    def states(self) -> dict[int, str]:
        """Place of each living member: ``"primary"``, ``"secondary"`` or ``"other"``."""
        found = {}
        for place, member in enumerate(self.members):
            if member.running:
                found[place] = _role(member)
        return found

    def wait_for_primary(self, seconds: float = 30.0) -> EmbeddedServer:
        """The primary, once there is one."""
        return self._wait(lambda states: "primary" in states.values(), seconds)

    def wait_until_whole(self, seconds: float = 40.0) -> EmbeddedServer:
        """The primary, once every living member is primary or secondary."""
        return self._wait(
            lambda states: "primary" in states.values() and "other" not in states.values(), seconds
        )

    def _wait(self, ready: Callable[[dict[int, str]], bool], seconds: float) -> EmbeddedServer:
        deadline = time.monotonic() + seconds
        while not ready(states := self.states()):
            if time.monotonic() > deadline:
                raise TimeoutError(f"the replica set is not ready after {seconds} s: {states}")
            time.sleep(0.05)
        return next(self.members[place] for place, role in states.items() if role == "primary")

    def kill_primary(self) -> EmbeddedServer:
        """SIGKILL the primary; `EmbeddedServer.start` brings it back."""
        primary = self.wait_for_primary()
        primary.kill()
        return primary

    def step_down(self, seconds: int = 10) -> None:
        """An orderly hand-over without a crash."""
        with direct(self.wait_for_primary()) as client:
            client.admin.command("replSetStepDown", seconds, secondaryCatchUpPeriodSecs=5)


def _role(member: EmbeddedServer) -> str:
    try:
        with direct(member) as client:
            answer = client.admin.command("hello")
    except PyMongoError:
        return "other"
    if answer.get("isWritablePrimary"):
        return "primary"
    return "secondary" if answer.get("secondary") else "other"


class AuthServer:
    """A mongod with users. `uri` is the administrator's; `add_user` makes the least that a test wants."""

    def __init__(self) -> None:
        self.server = EmbeddedServer(arguments=("--auth",))
        self._password = secrets.token_urlsafe(12)

    def __enter__(self) -> Self:
        self.server.start()
        with direct(self.server) as client:  # the localhost exception: there is no user yet
            client.admin.command(
                "createUser", "admin", pwd=self._password, roles=[{"role": "root", "db": "admin"}]
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.server.stop()

    @property
    def uri(self) -> str:
        """The administrator's connection string, for setting up."""
        return self.uri_for("admin", self._password, "admin")

    def uri_for(self, user: str, password: str, source: str) -> str:
        """The connection string of a user who is defined in the database ``source``."""
        login = f"{quote_plus(user)}:{quote_plus(password)}"
        return f"mongodb://{login}@{HOST}:{self.server.port}/?directConnection=true&authSource={source}"

    def add_user(self, database: str, actions: Sequence[str] = ("find", "insert", "update", "remove")) -> str:
        """A user who may do ``actions`` on every collection of ``database`` and nothing else; its URI.

        By default the least a service needs whose indexes an administrator makes.
        """
        name, password = f"user_{secrets.token_hex(4)}", secrets.token_urlsafe(12)
        privilege = {"resource": {"db": database, "collection": ""}, "actions": list(actions)}
        client: MongoClient[dict[str, Any]] = MongoClient(self.uri)
        with client:
            client[database].command("createRole", f"role_{name}", privileges=[privilege], roles=[])
            client[database].command("createUser", name, pwd=password, roles=[f"role_{name}"])
        return self.uri_for(name, password, database)
