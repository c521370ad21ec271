"""Tools to test code that remembers.

`assert_recalls` and `assert_not_recalls` pin a fixed bug, `make_session` builds conversations, the pytest
plugin (installed with the package) has the fixtures ``mongorecall_service`` and ``mongorecall_scope``, and
`MemoryServiceContract` and `InspectionContract` hold the promises of every service as test classes for your
own backend.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mongorecall.testing.assertions import assert_not_recalls, assert_recalls
from mongorecall.testing.factories import MONDAY, make_event, make_session, make_tool_event

if TYPE_CHECKING:
    from mongorecall.testing.contract import MemoryServiceContract
    from mongorecall.testing.inspection import InspectionContract

__all__ = [
    "MONDAY",
    "InspectionContract",
    "MemoryServiceContract",
    "assert_not_recalls",
    "assert_recalls",
    "make_event",
    "make_session",
    "make_tool_event",
]

_CONTRACTS = {
    "InspectionContract": "mongorecall.testing.inspection",
    "MemoryServiceContract": "mongorecall.testing.contract",
}


def __getattr__(name: str) -> Any:
    # Loaded when asked for: the plugin must have told pytest before to explain their failed assertions.
    if name in _CONTRACTS:
        return getattr(import_module(_CONTRACTS[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
