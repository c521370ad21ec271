"""No answer is a verdict, never an exception: a server that is down, frozen or refuses."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest

from mongorecall import MongoDbMemoryService
from mongorecall.embedded import EmbeddedServer, free_port
from mongorecall.inspection import Diagnosis, diagnose
from mongorecall.testing.factories import make_session
from tests.inspection.world import APP, COFFEE, USER
from tests.servers.processes import AuthServer

QUICK = timedelta(seconds=0.6)


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=16) as listener:
        yield listener.getsockname()[1]


PATIENT = timedelta(seconds=10)


async def ask(
    uri: str, driver: str, query: str = "coffee", timeout: timedelta = QUICK, **arguments: object
) -> Diagnosis:
    """Diagnose on a server that may not answer."""
    async with MongoDbMemoryService(
        database_name="mongorecall_test_unanswered",
        connection_string=uri,
        driver=driver,  # type: ignore[arg-type]  # one of the two, by the fixture
        operation_timeout=timeout,
    ) as service:
        return await diagnose(service, app_name=APP, user_id=USER, query=query, **arguments)  # type: ignore[arg-type]


def assert_unanswered(diagnosis: Diagnosis, cause: str) -> None:
    """The first check fails with the cause, the others are not made."""
    assert diagnosis.cause == cause, str(diagnosis)
    assert [check.ok for check in diagnosis.checks] == [False, None, None, None]
    assert diagnosis.next_step
    assert diagnosis.to_dict()["cause"] == cause


@pytest.mark.parametrize("query", ["coffee", "what is it"])
@pytest.mark.parametrize("listing", [False, True])
async def test_a_server_that_is_not_there_is_unreachable(driver: str, query: str, listing: bool) -> None:
    """Also for a query that needs no server to be found dead: what is unreachable comes first."""
    uri = f"mongodb://127.0.0.1:{free_port()}"

    assert_unanswered(await ask(uri, driver, query, allow_key_listing=listing), "unreachable")


async def test_a_server_that_never_answers_is_unreachable_in_time(driver: str, silent_port: int) -> None:
    """The verdict comes by the deadline of one operation."""
    begun = time.perf_counter()

    diagnosis = await ask(f"mongodb://127.0.0.1:{silent_port}", driver)

    assert_unanswered(diagnosis, "unreachable")
    assert time.perf_counter() - begun < 3


async def test_a_server_that_dies_meanwhile_is_unreachable(driver: str) -> None:
    """The service has worked before."""
    with EmbeddedServer() as server:
        async with MongoDbMemoryService(
            database_name="mongorecall_test_dying",
            connection_string=server.uri,
            driver=driver,  # type: ignore[arg-type]  # one of the two, by the fixture
            operation_timeout=QUICK,
        ) as service:
            await service.add_session(make_session(COFFEE))
            server.kill()
            diagnosis = await diagnose(
                service, app_name=APP, user_id=USER, query="coffee", session=make_session(COFFEE)
            )
            await asyncio.sleep(0)

    assert_unanswered(diagnosis, "unreachable")


@pytest.mark.parametrize("actions", [(), ("insert",), ("insert", "createIndex")])
async def test_a_user_who_may_not_read_lacks_permission(
    driver: str, auth_server: AuthServer, actions: tuple[str, ...]
) -> None:
    """Whatever else the user may do."""
    uri = auth_server.add_user("mongorecall_test_unanswered", actions or ("listCollections",))

    assert_unanswered(await ask(uri, driver, timeout=PATIENT), "permission")


async def test_a_wrong_password_lacks_permission(driver: str, auth_server: AuthServer) -> None:
    """A login that fails, with nothing of it in the answer."""
    diagnosis = await ask(auth_server.uri_for("admin", "wrong-secret", "admin"), driver, timeout=PATIENT)

    assert_unanswered(diagnosis, "permission")
    assert "wrong-secret" not in repr(diagnosis) + str(diagnosis.to_dict())
