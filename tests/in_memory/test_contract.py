"""The twin keeps what every memory service promises, with the least and with the most options."""

from __future__ import annotations

import pytest

from mongorecall.in_memory import InMemoryMemoryService
from mongorecall.testing.contract import MemoryServiceContract


class TestTheTwin(MemoryServiceContract):
    @pytest.fixture
    def service(self) -> InMemoryMemoryService:
        return InMemoryMemoryService()


class TestTheTwinWithEveryOption(MemoryServiceContract):
    @pytest.fixture
    def service(self) -> InMemoryMemoryService:
        return InMemoryMemoryService(
            store_metadata=True,
            direct_memories=True,
            index_parts={"text", "function_response"},
            retention=3600,
        )
