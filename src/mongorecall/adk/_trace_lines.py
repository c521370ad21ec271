"""The two log lines of `MemoryTracePlugin`: ``memory.query`` and ``memory.tool``."""

from __future__ import annotations

import json
import logging
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mongorecall.adk._adopt import from_adk
from mongorecall.adk._watch import WatchedMemoryService
from mongorecall.errors import InvalidInputError
from mongorecall.inspection._explaining import explain_for
from mongorecall.inspection._records import quoted
from mongorecall.models import MemoryScope

if TYPE_CHECKING:
    from google.adk.agents.invocation_context import InvocationContext
    from google.adk.memory.base_memory_service import BaseMemoryService as AdkBaseMemoryService

_log = logging.getLogger("mongorecall.adk")

_SHOWN_DEAD = 10
"""Most dead tokens on one line."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question to memory. ``call`` is the function call id, None where the model did not ask."""

    key: str
    source: str
    call: str | None
    query: Any = field(repr=False)
    started: float


class TraceLines:
    """Writes the lines: keys, counts, dead tokens and times; the query only with ``log_content``."""

    def __init__(self, *, log_content: bool) -> None:
        self._log_content = log_content

    def ask(self, run: InvocationContext, query: object, *, source: str, call: str | None = None) -> Question:
        """Write ``memory.query`` and start the clock."""
        key = MemoryScope(app_name=run.app_name, user_id=run.user_id).key
        told = _describe(run.memory_service, query) if isinstance(query, str) else {}
        content = {"q": query} if self._log_content else {}
        _write("memory.query", key=key, source=source, call=call, **told, **content)
        return Question(key=key, source=source, call=call, query=query, started=time.perf_counter())

    def tell(
        self, question: Question, *, hits: int | None = None, error: BaseException | None = None
    ) -> None:
        """Write ``memory.tool``: how long it took, and the hits or the class of the error."""
        _write(
            "memory.tool",
            key=question.key,
            source=question.source,
            call=question.call,
            hits=hits,
            error=type(error).__name__ if error is not None else None,
            ms=round((time.perf_counter() - question.started) * 1000, 1),
        )


def _describe(service: AdkBaseMemoryService | None, query: str) -> dict[str, Any]:
    """Counts and dead tokens of a query, by the rules of the service where it tells them.

    A token over the cap is counted and not shown: unlike stop words and tokens without word characters,
    it is content.
    """
    if service is None:
        return {}
    asked = service.watched if isinstance(service, WatchedMemoryService) else service
    try:
        explanation = explain_for(from_adk(asked), query)
    except InvalidInputError:
        return {"tokens": "too_long"}
    dead = [token.raw for token in explanation.tokens if token.reason not in (None, "over_cap")]
    return {
        "tokens": len(explanation.tokens),
        "keywords": len(explanation.keywords),
        "dead": dead[:_SHOWN_DEAD],
        "dead_count": len(explanation.dead_tokens),
        "assumed": explanation.assumed or None,
    }


def _write(event: str, **fields: Any) -> None:
    """One line of ``name=value``, quoted as those of `mongorecall.inspection`; None is left out."""
    told = [f"{name}={_shown(value)}" for name, value in fields.items() if value is not None]
    _log.info("%s %s", event, " ".join(told))


def _shown(value: Any) -> str:
    return quoted(value) if isinstance(value, str) else json.dumps(value)
