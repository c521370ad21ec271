"""The OpenAPI description is whole, and what it says is what happens."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import positive_data_acceptance

from mongorecall.fastapi import memory_router
from mongorecall.in_memory import InMemoryMemoryService
from tests.web.support import PLENTY, by_header

app = FastAPI()
app.include_router(
    memory_router(InMemoryMemoryService(), authenticate=by_header, include_in_schema=True, limits=PLENTY),
    prefix="/memory",
)
# A body of a thousand turns may be over the limit, and one that is left out is no JSON.
config = schemathesis.Config.from_dict(
    {"checks": {"negative_data_rejection": {"expected-statuses": [413, 415, 422]}}}
)
schema = schemathesis.openapi.from_asgi("/openapi.json", app, config=config)

OPERATIONS: dict[str, dict[str, Any]] = app.openapi()["paths"]


@schema.parametrize()
@settings(
    max_examples=3,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
    derandomize=True,
)
def test_the_router_does_what_its_description_says(case: schemathesis.Case[Any]) -> None:
    case.call_and_validate(
        headers={"X-User": "root", "Host": "localhost"},
        # Which ids go with which `what`, which cursor is one, and that 5.0 is no int, a schema cannot say.
        excluded_checks=[positive_data_acceptance],
    )


def test_every_endpoint_is_described() -> None:
    assert set(OPERATIONS) == {
        f"/memory/{name}"
        for name in (
            "events",
            "sessions",
            "search",
            "sessions/list",
            "memories/list",
            "export",
            "forget",
            "explain",
            "diagnose",
            "sessions/compare",
            "scopes",
            "operations",
            "health",
        )
    }


@pytest.mark.parametrize("path", OPERATIONS)
def test_each_description_has_words_examples_and_every_refusal(path: str) -> None:
    (operation,) = OPERATIONS[path].values()
    assert operation["summary"]
    assert operation["description"]
    assert {"200", "401", "403", "413", "415", "421", "422", "429", "503", "504"} <= set(
        operation["responses"]
    )
    for status, answer in operation["responses"].items():
        if int(status) >= 400:
            (content,) = answer["content"].values()
            assert content["schema"]["$ref"].endswith("/ErrorReply"), status
    (body,) = operation["requestBody"]["content"].values()
    name = body["schema"]["$ref"].rpartition("/")[2]
    assert app.openapi()["components"]["schemas"][name]["examples"]
