"""Every command × every fault × both topologies: it is survived, or told by an error of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mongorecall.errors import DeadlineExceededError, PermissionDeniedError, RecallError, UnavailableError
from tests.drivers.faulty import failing
from tests.faults.scenario import expected, use

if TYPE_CHECKING:
    from tests.faults.conftest import Admin
    from tests.servers.fixtures import MakeService

COMMANDS = ["insert", "update", "delete", "find", "aggregate", "createIndexes", "listCollections", "hello"]
LOST_PRIMARY = [91, 189, 10107, 11600, 11602, 13435, 13436]
SURVIVED: list[dict[str, Any]] = [
    {"closeConnection": True},
    *({"errorCode": code, "errorLabels": ["RetryableWriteError"]} for code in LOST_PRIMARY),
    {"blockConnection": True, "blockTimeMS": 150},
]
IN_VAIN = (UnavailableError, DeadlineExceededError)
"""Of what is tried until the deadline: by what the last try met, which may be the deadline itself."""

Told = type[RecallError] | tuple[type[RecallError], ...]
TOLD: list[tuple[dict[str, Any], Told]] = [
    ({"errorCode": 13}, PermissionDeniedError),
    ({"errorCode": 50}, DeadlineExceededError),
    ({"errorCode": 8000}, RecallError),
    ({"errorCode": 2}, RecallError),
    ({"closeConnection": True}, IN_VAIN),
    ({"blockConnection": True, "blockTimeMS": 1500}, DeadlineExceededError),
]


def name(fault: Any) -> str:
    return "-".join(str(part) for part in fault.values() if part is not True) or next(iter(fault))


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
async def test_faults_that_pass_are_survived(
    open_service: MakeService, failing_admin: Admin, command: str
) -> None:
    for number, fault in enumerate(SURVIVED):
        service = await open_service(memories_collection=f"memories{number}")

        with failing(failing_admin, [command], times=1, appName="tested", **fault):
            answers = await use(service)

        assert answers == await expected(), name(fault)
        await service.close()


@pytest.mark.parametrize("command", ["update", "aggregate"])
@pytest.mark.parametrize("fault", [SURVIVED[0], SURVIVED[3]], ids=name)
async def test_a_fault_that_passes_is_survived(
    open_service: MakeService, failing_admin: Admin, command: str, fault: dict[str, Any]
) -> None:
    service = await open_service()

    with failing(failing_admin, [command], times=2, appName="tested", **fault):
        assert await use(service) == await expected()


@pytest.mark.slow
@pytest.mark.parametrize("command", ["insert", "find", "aggregate"])
@pytest.mark.parametrize(
    ("fault", "error"), TOLD, ids=lambda value: name(value) if isinstance(value, dict) else ""
)
async def test_faults_that_stay_are_told_in_time(
    open_service: MakeService,
    failing_admin: Admin,
    command: str,
    fault: dict[str, Any],
    error: Told,
) -> None:
    service = await open_service(operation_timeout=1)
    await use(service)
    await service.delete_user_memory(app_name="app", user_id="ann")
    other = await open_service(operation_timeout=1, memories_collection="others")
    await other.search_memory(app_name="app", user_id="ann", query="coffee")

    with failing(failing_admin, [command], appName="tested", **fault), pytest.raises(error):
        await use(other)

    assert await use(await open_service(memories_collection="third")) == await expected()


@pytest.mark.parametrize("code", [64, 100])
async def test_what_is_not_confirmed_is_not_acknowledged(
    open_service: MakeService, failing_admin: Admin, code: int
) -> None:
    service = await open_service(operation_timeout=2)
    fault: dict[str, Any] = {"writeConcernError": {"code": code, "errmsg": ""}}

    with (
        failing(failing_admin, ["insert", "update"], appName="tested", **fault),
        pytest.raises(UnavailableError) as caught,
    ):
        await use(service)

    assert caught.value.outcome == "unknown"
    assert await use(await open_service(memories_collection="other")) == await expected()
