"""How a request is refused: one exception, one fixed body, one table from our errors to statuses."""

from __future__ import annotations

import json
from collections.abc import Mapping

from fastapi import HTTPException
from starlette.responses import Response

from mongorecall import errors

RETRY_AFTER_SECONDS = 1
CLOSE = {"connection": "close"}

KINDS: Mapping[int, str] = {
    400: "bad_request",
    401: "unauthenticated",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "body_timeout",
    409: "changed",
    413: "body_too_large",
    415: "unsupported_media_type",
    421: "misdirected",
    422: "invalid_input",
    429: "too_many_requests",
    500: "internal",
    501: "unsupported",
    503: "unavailable",
    504: "deadline_exceeded",
}
"""The statuses a router answers with beside 200 and 207, and what ``error`` says where nothing is nearer."""

STATUSES: tuple[tuple[type[errors.RecallError], int], ...] = (
    (errors.InvalidInputError, 422),
    (errors.DeadlineExceededError, 504),
    (errors.UnavailableError, 503),
    (errors.ClosedError, 503),
    (errors.UnsupportedError, 501),
    (errors.FeatureDisabledError, 501),
    (errors.RecallError, 500),
)
"""First match wins."""


class Refusal(HTTPException):
    """Ends a request with a status and the fixed body ``{"error": kind, "id": request id}``."""

    def __init__(
        self, status: int, kind: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        self.kind = kind or KINDS[status]
        super().__init__(status, detail=self.kind, headers=dict(headers or {}))


def refusal_of(error: errors.RecallError) -> Refusal:
    """The refusal that stands for an error of the library; its message stays on this side."""
    status = next(status for kind, status in STATUSES if isinstance(error, kind))
    return Refusal(status, error.kind)


def refusal_of_status(status: int, headers: Mapping[str, str] | None = None) -> Refusal:
    """The refusal that stands for an ``HTTPException`` of somebody else; its detail stays on this side."""
    known = status if status in KINDS else 403 if 400 <= status < 500 else 500
    kept = {
        name: value for name, value in (headers or {}).items() if name.lower() in {"allow", "retry-after"}
    }
    return Refusal(known, headers=kept)


def response_of(refusal: Refusal, request_id: str) -> Response:
    """The response of a refusal."""
    headers = dict(refusal.headers or {})
    if refusal.status_code in {429, 503}:
        headers.setdefault("retry-after", str(RETRY_AFTER_SECONDS))
    if refusal.status_code == 401:
        headers.setdefault("www-authenticate", "Bearer")
    body = json.dumps({"error": refusal.kind, "id": request_id}).encode()
    return Response(body, refusal.status_code, headers, media_type="application/json")
