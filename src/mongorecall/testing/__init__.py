"""Tools to test code that remembers: the contract of a memory service, a pytest plugin, assertions."""

import pytest

pytest.register_assert_rewrite("mongorecall.testing.contract", "mongorecall.testing._declared")

from mongorecall.testing.contract import MemoryServiceContract  # noqa: E402 - after the line above

__all__ = ["MemoryServiceContract"]
