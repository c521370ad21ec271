"""Which keys were written and searched through one inspecting service: seed 004's two log lines, counted."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mongorecall.inspection._records import OperationRecord

_MOST_KEYS = 1000


@dataclass(slots=True)
class Traffic:
    """What went through under one key."""

    writes: int = 0
    text_events: int = 0
    searches: int = 0
    hits: int = 0


class KeyJournal:
    """Traffic by scope, for the latest 1,000 scopes. It lets a diagnosis look at a store that cannot list."""

    def __init__(self) -> None:
        self._traffic: OrderedDict[tuple[str, str], Traffic] = OrderedDict()

    def note(self, scope: tuple[str, str], record: OperationRecord) -> None:
        """Count a successful write or search."""
        if record.error is not None or record.operation not in ("write", "search"):
            return
        traffic = self._traffic.get(scope)
        if traffic is None:
            traffic = self._traffic[scope] = Traffic()
        self._traffic.move_to_end(scope)
        if record.operation == "write":
            traffic.writes += 1
            traffic.text_events += record.text_events or 0
        else:
            traffic.searches += 1
            traffic.hits += record.hits or 0
        if len(self._traffic) > _MOST_KEYS:
            self._traffic.popitem(last=False)

    def of(self, scope: tuple[str, str]) -> Traffic:
        """The traffic under one scope."""
        return self._traffic.get(scope, Traffic())

    def written(self) -> dict[tuple[str, str], int]:
        """Text events written, by scope, where there were any."""
        return {scope: seen.text_events for scope, seen in self._traffic.items() if seen.text_events}
