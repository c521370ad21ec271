"""Stored times: seconds since 1970 as floats, printed as ISO 8601 in UTC; deadlines as dates."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - UTC, see `format_time`
_LATEST = datetime.max.replace(tzinfo=UTC)


def format_time(value: Any) -> str | None:
    """ISO 8601 in UTC with offset, or None for what is no time from year 1 to 9999.

    Numbers are seconds; milliseconds are not guessed. A date is printed as it is.
    """
    if type(value) is not float:
        if isinstance(value, datetime):
            return aware(value).isoformat()
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
    try:
        # Without a zone it is made and printed in half the time, and every row of a page has one.
        return (_EPOCH + timedelta(seconds=value)).isoformat() + "+00:00"
    except (ValueError, OverflowError):
        return None


def is_number(value: Any) -> bool:
    """Whether a stored time takes part in comparisons with numbers: NaN, text and null never match."""
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)


def aware(value: datetime) -> datetime:
    """``value`` in UTC; the driver hands dates over without a zone, and means UTC."""
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def expiry(now: datetime, *, ttl: timedelta | None, retention: timedelta | None) -> datetime | None:
    """When a memory added now expires: after ``ttl``, and after ``retention`` at the latest; None for never.

    Deadlines are kept to the millisecond. One beyond year 9999 is never.
    """
    spans = [span for span in (ttl, retention) if span is not None]
    if not spans or min(spans) >= _LATEST - now:
        return None
    deadline = now + min(spans)
    return deadline.replace(microsecond=deadline.microsecond // 1000 * 1000)
