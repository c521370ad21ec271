"""One frozen record for each operation on a memory, and the line it is written as."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Operation = Literal["write", "search", "list", "count", "export", "delete", "restore"]
"""What was done: ``write`` adds, ``restore`` lifts the markers of forgotten events."""


@dataclass(frozen=True, slots=True)
class OperationRecord:
    """What one call did: a key, counts and a time.

    A field is None where it does not apply, or the service does not tell it.

    Attributes:
        operation: what was done.
        key: ``app/user``, or its keyed hash.
        started: when, in seconds since 1970.
        ms: how long, in milliseconds.
        error: the kind of the error that was raised, such as ``"unavailable"`` or ``"cancelled"``.
        session: the session written to or deleted, under the same hash as ``key``.
        events: events in the call.
        text_events: those that a search can ever find, as the store counts them.
        stored: memories in the store through this call: new, replaced or already there.
        tokens: runs of the query between white space.
        keywords: distinct keywords that were looked for.
        hits: memories returned.
        memories: memories listed, counted, exported, deleted or restored.
        query: the query; only with ``log_content=True``.
        texts: texts of the events written or the memories returned; only with ``log_content=True``.
    """

    operation: Operation
    key: str
    started: float
    ms: float
    error: str | None = None
    session: str | None = None
    events: int | None = None
    text_events: int | None = None
    stored: int | None = None
    tokens: int | None = None
    keywords: int | None = None
    hits: int | None = None
    memories: int | None = None
    query: str | None = field(default=None, repr=False)
    texts: tuple[str, ...] | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The fields that are set, in the order of the line."""
        told = {name: value for name in _LINE if (value := getattr(self, name)) is not None}
        return {"operation": self.operation, "started": self.started, **told}

    def line(self) -> str:
        """``memory.search key=support/u-42 tokens=2 keywords=2 hits=0 ms=1.8``."""
        words = [f"memory.{self.operation}"]
        for name in _LINE:
            value = getattr(self, name)
            if value is not None:
                words.append(f"{name}={value}" if type(value) is int else f"{name}={_value(value)}")
        return " ".join(words)


_LINE = (
    "key",
    "session",
    "events",
    "text_events",
    "stored",
    "tokens",
    "keywords",
    "hits",
    "memories",
    "ms",
    "error",
    "query",
    "texts",
)

_BARE = re.compile(r'[^\s"=\\]+')


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}"
    if isinstance(value, str):
        return quoted(value)
    return json.dumps(value)


def quoted(value: str) -> str:
    """``value`` as it is, or in quotes with escapes where it could be read as something else."""
    return value if _BARE.fullmatch(value) and value.isprintable() else json.dumps(value)


def hash_id(secret: bytes, value: str) -> str:
    """A keyed hash of an id: 16 hexadecimal digits, useless without the secret."""
    return hashlib.blake2b(value.encode("utf-8", "surrogatepass"), key=secret[:64], digest_size=8).hexdigest()


class InspectionHook(Protocol):
    """Takes the record of each operation, on the event loop: be quick, do not block.

    What it raises is logged by class name and goes no further.
    """

    def __call__(self, record: OperationRecord, /) -> None: ...
