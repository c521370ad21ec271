"""The outermost piece: names the request, turns refusals into fixed answers, and logs one line."""

from __future__ import annotations

import hashlib
import logging
import secrets
import time
import traceback

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from mongorecall.errors import RecallError
from mongorecall.fastapi._refusal import Refusal, refusal_of, refusal_of_status, response_of
from mongorecall.fastapi.guards._asgi import ASGIApp, Message, Notes, Receive, Scope, Send, start_notes

log = logging.getLogger("mongorecall.web")

_HASH_KEY = secrets.token_bytes(32)


def hashed(*ids: str) -> str:
    """Stands for ids in the log: the same within one process, not to be guessed from outside."""
    joined = b"\0".join(part.encode() for part in ids)
    return hashlib.blake2b(joined, key=_HASH_KEY, digest_size=5).hexdigest()


def new_request_id() -> str:
    """16 hexadecimal digits that name one request in logs and answers."""
    return secrets.token_hex(8)


class Edge:
    """Catches whatever happens inside and answers with a status and a fixed body.

    Args:
        app: what is guarded.
        operation: the name of the operation in the log, which never holds path, query string or ids.
    """

    def __init__(self, app: ASGIApp, *, operation: str) -> None:
        self.app = app
        self.operation = operation

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        notes = Notes(new_request_id())
        start_notes(scope, notes)
        answer = _Answer(send, notes.request_id)
        try:
            await self.app(scope, receive, answer.send)
        except Exception as error:  # noqa: BLE001 - the process edge: nothing of an error may leave
            refusal = _refusal(error, notes.request_id)
            if answer.status is None:
                await response_of(refusal, notes.request_id)(scope, receive, answer.send)
            else:
                await answer.cut()
        finally:
            self._log(notes, answer.status, started)

    def _log(self, notes: Notes, status: int | None, started: float) -> None:
        who = notes.principal
        log.info(
            "web.request op=%s status=%s ms=%d principal=%s id=%s",
            self.operation,
            "gone" if status is None else status,
            (time.perf_counter() - started) * 1000,
            hashed(who.app_name, who.user_id) if who else "-",
            notes.request_id,
        )


class _Answer:
    """The sending side, with the status it has sent and the request's id on it."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self._id = (b"x-request-id", request_id.encode())
        self.status: int | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message = {**message, "headers": [*message.get("headers", []), self._id]}
        await self._send(message)

    async def cut(self) -> None:
        """End an answer that has begun, so that its reader can see that it is not whole."""
        raise ConnectionAbortedError("the answer could not be completed")


def _refusal(error: Exception, request_id: str) -> Refusal:
    if isinstance(error, Refusal):
        return error
    if isinstance(error, HTTPException):
        return refusal_of_status(error.status_code, error.headers)
    if isinstance(error, RequestValidationError):
        kinds = ",".join(sorted({str(fault["type"]) for fault in error.errors()}))
        log.info("web.invalid id=%s faults=%s", request_id, kinds)
        return Refusal(422)
    if isinstance(error, RecallError):
        log.warning("web.failed id=%s kind=%s code=%s", request_id, error.kind, error.code)
        return refusal_of(error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    log.error("web.broken id=%s type=%s at=%s:%s", request_id, type(error).__name__, frame.name, frame.lineno)
    return Refusal(500)
