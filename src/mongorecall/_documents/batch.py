"""The events of one call: what remains to be decided by what is stored."""

from __future__ import annotations

from collections.abc import Iterable

from mongorecall._documents.preparing import Failed, Prepared, Skipped
from mongorecall.models import FailedEvent, IngestReport, SkipReason


def last_of_each_id(
    outcomes: Iterable[Prepared | Skipped | Failed], report: IngestReport
) -> list[Prepared | Skipped]:
    """The last event of each id, in the order of the call; ``report`` takes the others.

    Failed events and streaming chunks say nothing about their id. An earlier event of an id that is named
    again counts as unchanged: the later one is what the caller means.
    """
    last: dict[str, Prepared | Skipped] = {}
    for outcome in outcomes:
        if isinstance(outcome, Failed):
            report.failed.append(
                FailedEvent(index=outcome.index, event_id=outcome.event_id, reason=outcome.reason)
            )
        elif isinstance(outcome, Skipped) and outcome.reason == "partial":
            count_skipped(report, "partial")
        else:
            report.unchanged += last.pop(outcome.event_id, None) is not None
            last[outcome.event_id] = outcome
    return list(last.values())


def count_skipped(report: IngestReport, reason: SkipReason) -> None:
    """Count one skipped event."""
    report.skipped[reason] = report.skipped.get(reason, 0) + 1


def count_kept(report: IngestReport, event: Prepared) -> None:
    """Count what an event that is now stored lost on the way; its own counter is the caller's."""
    if event.repaired:
        report.repaired += 1
    if event.truncated:
        report.truncated.append(event.event_id)
