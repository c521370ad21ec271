"""Tools to test code that remembers.

`assert_recalls` and `assert_not_recalls` pin a fixed bug, `make_session` builds conversations, the pytest
plugin (installed with the package) has the fixtures ``mongorecall_service`` and ``mongorecall_scope``, and
`mongorecall.testing.contract` and `mongorecall.testing.inspection` hold the promises of every service as
test classes for your own backend.
"""

from mongorecall.testing.assertions import assert_not_recalls, assert_recalls
from mongorecall.testing.factories import MONDAY, make_event, make_session, make_tool_event

__all__ = [
    "MONDAY",
    "assert_not_recalls",
    "assert_recalls",
    "make_event",
    "make_session",
    "make_tool_event",
]
