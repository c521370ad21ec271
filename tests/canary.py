"""The canary of the whole suite: the word that stands for private text, in no log line and no error.

Tests put ``walnut`` into texts, queries and passwords. While they run, every record of the library's loggers
is formatted as a handler would, with its traceback, and every error of the library is printed; a test whose
record or error shows the word fails. Tests of the switches that show content carry ``shows_content``.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from mongorecall.errors import RecallError

CANARY = "walnut"

_seen: list[str] = []


class _Listener(logging.Handler):
    """Looks at what a log file would hold."""

    def emit(self, record: logging.LogRecord) -> None:
        if CANARY in self.format(record).lower():
            _seen.append(f"log record of {record.name}")


@pytest.fixture(scope="session", autouse=True)
def _canary_watch() -> Iterator[None]:
    listener = _Listener(level=logging.DEBUG)
    logger = logging.getLogger("mongorecall")
    before = RecallError.__init__

    def watched(error: RecallError, *args: Any, **options: Any) -> None:
        before(error, *args, **options)
        if CANARY in f"{error!s} {error!r}".lower():
            _seen.append(type(error).__name__)

    logger.addHandler(listener)
    setattr(RecallError, "__init__", watched)  # noqa: B010 - mypy forbids assigning to a method
    yield
    setattr(RecallError, "__init__", before)  # noqa: B010
    logger.removeHandler(listener)


@pytest.fixture(autouse=True)
def _canary_sings(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails the test in which the word came out."""
    _seen.clear()
    yield
    if request.node.get_closest_marker("shows_content") is None:
        assert not _seen, f"private text came out: {_seen}"
    else:
        assert _seen, "marked as showing content, and shows none"
