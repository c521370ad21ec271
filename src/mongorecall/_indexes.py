"""The indexes a collection of memories has: what we ask for, and how to judge what is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

IndexState = Literal["present", "missing", "hidden", "conflict"]
"""Usable · no index on these keys · there, but hidden from the query planner · our name on other keys."""


@dataclass(frozen=True, slots=True)
class IndexSpec:
    """One index of ours."""

    name: str
    keys: tuple[tuple[str, int], ...]
    expire_after_seconds: int | None = None

    def definition(self) -> dict[str, Any]:
        """As ``createIndexes`` takes it."""
        definition: dict[str, Any] = {"name": self.name, "key": dict(self.keys)}
        if self.expire_after_seconds is not None:
            definition["expireAfterSeconds"] = self.expire_after_seconds
        return definition


RECALL = IndexSpec("app_user_keywords", (("app_name", 1), ("user_id", 1), ("keywords", 1)))
"""The seed's index: serves every search."""

RECENCY = IndexSpec(
    "mongorecall_recency",
    (("app_name", 1), ("user_id", 1), ("keywords", 1), ("timestamp", -1)),
)
"""Optional (``recency_index=True``): the same keys in the order of time, so that the newest come first."""

SESSIONS = IndexSpec(
    "mongorecall_sessions",
    (("app_name", 1), ("user_id", 1), ("session_id", 1), ("timestamp", 1), ("_id.event_id", 1)),
)
"""Made for ``ranking="context"``: the turns of a session in the order of time."""

EXPIRY = IndexSpec("mongorecall_expiry", (("mr.expires_at", 1),), expire_after_seconds=0)
"""Made when retention or a ttl is used: the server removes what has expired."""


def judge(spec: IndexSpec, existing: Sequence[Mapping[str, Any]]) -> IndexState:
    """The state of ``spec`` among the documents of ``listIndexes``.

    An index on the same keys under another name counts as present, unless it is partial, sparse or has
    a collation, since then it cannot serve every search.
    """
    state: IndexState = "missing"
    for index in existing:
        same_keys = tuple(index["key"].items()) == spec.keys
        whole = not any(option in index for option in ("partialFilterExpression", "sparse", "collation"))
        if index["name"] == spec.name and not (same_keys and whole):
            return "conflict"
        if same_keys and whole:
            if not index.get("hidden"):
                return "present"
            state = "hidden"
    return state


def describe_keys(keys: Mapping[str, Any] | tuple[tuple[str, int], ...]) -> str:
    """``{app_name: 1, user_id: 1}``, for messages; keys of an index are no secret."""
    pairs = keys.items() if isinstance(keys, Mapping) else keys
    return "{" + ", ".join(f"{name}: {direction}" for name, direction in pairs) + "}"
