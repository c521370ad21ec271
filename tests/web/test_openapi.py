"""The OpenAPI description is whole, and what it says is what happens."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, settings
from schemathesis.checks import (
    CHECKS,
    not_a_server_error,
)
from schemathesis.generation import GenerationMode

from mongorecall.fastapi import Limits, memory_router
from mongorecall.in_memory import InMemoryMemoryService
from tests.web.support import by_header

app = FastAPI()
app.include_router(
    memory_router(
        InMemoryMemoryService(),
        authenticate=by_header,
        include_in_schema=True,
        limits=Limits(rate=1e6, burst=1_000_000),
    ),
    prefix="/memory",
)
schema = schemathesis.openapi.from_asgi("/openapi.json", app)
