"""Turn by turn, and what comes of it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

DEFAULT, RECENCY, MOTOR = "default", "recency_index", "motor"


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure: how many times better than google-adk's service.

    Attributes:
        section: such as ``"warm"``.
        size: turns in the history, or events in a batch.
        kind: kind of query, or what is counted.
        variant: `DEFAULT`, `RECENCY` or `MOTOR`.
        peer: google-adk's figure.
        ours: our figure.
        unit: ``"ms"``, ``"/s"``, ….
        bar: the ratio that is promised, or None.
        differing: answers that were not the same.
        more_is_better: for figures like throughput.
    """

    section: str
    size: str
    kind: str
    variant: str
    peer: float
    ours: float
    unit: str = "ms"
    bar: float | None = None
    differing: int = 0
    more_is_better: bool = False

    @property
    def ratio(self) -> float:
        """Above 1: better than google-adk's."""
        better, worse = (self.ours, self.peer) if self.more_is_better else (self.peer, self.ours)
        return better / max(worse, 1e-9)

    def reaches(self, share: float = 1.0) -> bool:
        """Whether ``share`` of the bar is reached and every answer was the same."""
        return not self.differing and (self.bar is None or self.ratio >= share * self.bar)

    def __str__(self) -> str:
        bar = "" if self.bar is None else f" of {self.bar:g}{'' if self.reaches() else '  MISSED'}"
        wrong = f"  {self.differing} DIFFERENT ANSWERS" if self.differing else ""
        head = f"{self.section:12s} {self.size:>9s} {self.kind:17s} {self.variant:14s}"
        return f"{head} {self.peer:9.2f} {self.ours:9.2f} {self.unit:4s} x{self.ratio:6.2f}{bar}{wrong}"


Call = Callable[[], Awaitable[object]]


async def timed(call: Call) -> tuple[float, object]:
    """Milliseconds, and the answer."""
    begun = time.perf_counter()
    answer = await call()
    return (time.perf_counter() - begun) * 1e3, answer


@dataclass(slots=True)
class Pair:
    """Times of google-adk's service and of ours for the same tasks, in milliseconds."""

    peer: list[float] = field(default_factory=list)
    ours: list[float] = field(default_factory=list)
    differing: int = 0

    def of_tasks(self, tasks: int) -> Pair:
        """The median time of each task over the rounds."""
        peer, ours = (
            [median(times[task::tasks]) for task in range(tasks)] for times in (self.peer, self.ours)
        )
        return Pair(peer, ours)


Task = tuple[Call, Call]
"""One thing to do: by google-adk's service, and by ours."""


async def interleave(tasks: Sequence[Task], rounds: int) -> Pair:
    """Run every task by both in turn, ``rounds`` times, who begins changing each time.

    Two at a time: a third one in between would leave the caches of the machine warm for whoever shares
    its driver.
    """
    result = Pair()
    for turn in range(rounds):
        for place, (peer, ours) in enumerate(tasks):
            if (turn + place) % 2:
                own, answer = await timed(ours)
                spent, expected = await timed(peer)
            else:
                spent, expected = await timed(peer)
                own, answer = await timed(ours)
            result.peer.append(spent)
            result.ours.append(own)
            result.differing += answer != expected
    return result
