"""Makes a record of each call and gives it to the hooks, whatever the call and the hooks do."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

from mongorecall._checks import type_name
from mongorecall.errors import InvalidInputError, RecallError
from mongorecall.inspection._events import count_text_events, text_of
from mongorecall.inspection._journal import KeyJournal
from mongorecall.inspection._records import InspectionHook, Operation, OperationRecord, hash_id

if TYPE_CHECKING:
    from types import TracebackType

    from mongorecall._documents.probing import Probe
    from mongorecall.base import BaseMemoryService
    from mongorecall.models import IngestReport

_log = logging.getLogger("mongorecall.inspection")

_SHORTEST_SECRET = 16
"""Bytes: a shorter secret could be guessed, and the ids with it."""


class Recorder:
    """The hooks of one inspecting service, and what goes into its records."""

    def __init__(
        self,
        delegate: BaseMemoryService,
        *,
        hooks: Sequence[InspectionHook],
        log_content: bool,
        key_hash: bytes | None,
        clock: Callable[[], float],
    ) -> None:
        if key_hash is not None and len(key_hash) < _SHORTEST_SECRET:
            raise InvalidInputError(f"key_hash must be at least {_SHORTEST_SECRET} bytes")
        self._delegate = delegate
        self._hooks = tuple(hooks)
        self._key_hash = key_hash
        self._clock = clock
        self.log_content = log_content
        self.journal = KeyJournal()
        self.reports = "report" in delegate.capabilities

    def draft(
        self, operation: Operation, app_name: object, user_id: object, *, session: object = None
    ) -> Draft:
        """A record in the making, as a context manager around the call."""
        draft = Draft(self, operation, self._scope_of(app_name, user_id))
        if isinstance(session, str):
            draft.counts["session"] = self._shown(session)
        return draft

    def emit(self, draft: Draft, error: str | None, ms: float) -> None:
        """Give the record of a call that has ended to every hook."""
        key = self._shown("/".join(draft.scope))
        record = OperationRecord(draft.operation, key, self._clock() - ms / 1000, ms, error, **draft.counts)
        self.journal.note(draft.scope, record)
        for hook in self._hooks:
            try:
                hook(record)
            except Exception as fault:  # noqa: BLE001 - hooks are the user's; what is inspected goes on
                _log.warning("inspection hook %s raised %s", type_name(hook), type_name(fault))

    def _shown(self, value: str) -> str:
        return value if self._key_hash is None else hash_id(self._key_hash, value)

    def _scope_of(self, app_name: object, user_id: object) -> tuple[str, str]:
        """App and user as the store keys them, so that both sides of a mismatch show; as given otherwise."""
        probe: Probe | None = getattr(self._delegate, "probe", None)
        if probe is not None and isinstance(app_name, str) and isinstance(user_id, str):
            try:
                scope = probe.scope(app_name, user_id)
            except InvalidInputError:
                pass  # the call itself says what is wrong
            else:
                return scope.app_name, scope.user_id
        return _text(app_name), _text(user_id)


class Draft:
    """A record in the making; leaving the block sends it off."""

    __slots__ = ("_begun", "_recorder", "counts", "operation", "scope")

    def __init__(self, recorder: Recorder, operation: Operation, scope: tuple[str, str]) -> None:
        self._recorder = recorder
        self.operation = operation
        self.scope = scope
        self.counts: dict[str, Any] = {}

    def __enter__(self) -> Self:
        self._begun = time.perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        ms = (time.perf_counter() - self._begun) * 1000
        self._recorder.emit(self, None if error is None else _error_name(error), ms)

    def add_query(self, query: object) -> None:
        """Count the tokens; keep the text only with ``log_content``."""
        if isinstance(query, str):
            self.counts["tokens"] = len(query.split())
            if self._recorder.log_content:
                self.counts["query"] = query

    def add_texts(self, events: object) -> None:
        """Keep the texts of events or memories, only with ``log_content``."""
        if self._recorder.log_content and isinstance(events, Sequence):
            self.counts["texts"] = tuple(text_of(event) for event in events)

    def count_report(self, report: IngestReport, events: object) -> None:
        """By the store's own report; by the events where it is not told what became of each."""
        if not self._recorder.reports:
            self.count_events(events)
            return
        self.counts["events"] = report.received
        self.counts["text_events"] = report.received - sum(report.skipped.values()) - report.erased
        self.counts["stored"] = report.stored + report.replaced + report.unchanged
        self.add_texts(events)

    def count_events(self, events: object) -> None:
        """By the events themselves."""
        if isinstance(events, Sequence):
            self.counts["events"] = len(events)
            self.counts["text_events"] = count_text_events(events)
        self.add_texts(events)


def _error_name(error: BaseException) -> str:
    if isinstance(error, RecallError):
        return error.kind
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    return type_name(error)


def _text(value: object) -> str:
    return value if isinstance(value, str) else f"<{type_name(value)}>"
