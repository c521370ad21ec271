"""What one client may ask of a router: sizes, rates and times."""

from __future__ import annotations

from dataclasses import dataclass

from mongorecall._checks import check_int, check_number
from mongorecall.errors import InvalidInputError


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a router. They hold per process: four workers let a principal through four times as often.

    Attributes:
        rate: requests per second that a principal may send for long (then 429).
        burst: requests it may send at once before ``rate`` counts.
        in_flight: requests of one principal that run at the same time (then 503).
        in_flight_total: requests of all principals that run at the same time (then 503). One process answers
            some hundred a second: many more at once would wait for their deadline, to be told 504.
        body_bytes: largest request body, counted while reading (then 413).
        body_seconds: longest time a client may take to send its body (then 408).
        deadline_seconds: longest time for an answer, passed on to the service (then 504).
        export_seconds: the same for an export, which streams.

    Raises:
        InvalidInputError: a bound is not a positive number.
    """

    rate: float = 20.0
    burst: int = 40
    in_flight: int = 32
    in_flight_total: int = 64
    body_bytes: int = 1_000_000
    body_seconds: float = 10.0
    deadline_seconds: float = 10.0
    export_seconds: float = 300.0

    def __post_init__(self) -> None:
        for name in ("burst", "in_flight", "in_flight_total", "body_bytes"):
            check_int(name, getattr(self, name))
        for name in ("rate", "body_seconds", "deadline_seconds", "export_seconds"):
            if check_number(name, getattr(self, name)) <= 0:
                raise InvalidInputError(f"{name} must be above 0")
