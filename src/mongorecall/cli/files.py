"""Reads conversations from files: sessions in google-adk's shape or single turns, as JSON or JSON Lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from mongorecall.errors import InvalidInputError
from mongorecall.models import Content, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_APP = ("app_name", "appName", "app")
_USER = ("user_id", "userId", "user")
_SESSION = ("session_id", "sessionId", "session")
_TIME = ("timestamp", "ts")


def read_sessions(
    path: Path | str,
    *,
    app_name: str | None = None,
    user_id: str | None = None,
    advance: Callable[[int], None] = lambda _read: None,
) -> Iterator[Session]:
    """The sessions of a file, one after another; ``-`` is standard input.

    A record is a session (``{"id", "appName", "userId", "events": [...]}``, either case) or a turn
    (``{"app", "user", "session", "id", "author", "ts", "text"}``); turns of one session that follow one
    another are put together. ``app_name`` and ``user_id`` fill in what a record does not say. ``advance``
    is told the bytes read since the last call.

    Raises:
        InvalidInputError: a record cannot be read; the message has its line and what is wrong, no text.
    """
    records = _records(_lines(path, advance))
    known = {"app_name": app_name, "user_id": user_id}
    turns = (_as_session(record, line, known) for line, record in records)
    for _, group in groupby(turns, key=lambda one: (one.app_name, one.user_id, one.id)):
        parts = list(group)
        yield parts[0].model_copy(update={"events": [event for part in parts for event in part.events]})


def _lines(path: Path | str, advance: Callable[[int], None]) -> Iterator[bytes]:
    if str(path) == "-":
        yield from sys.stdin.buffer
        return
    with Path(path).open("rb") as file:
        for line in file:
            advance(len(line))
            yield line


def _records(lines: Iterable[bytes]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Each JSON record with its line number; a file that is one JSON document counts as line 1."""
    source = iter(lines)
    for number, line in enumerate(source, 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except ValueError:
            if number > 1:
                raise InvalidInputError(f"line {number}: this is not JSON") from None
            found = _whole(line + b"".join(source))
        for record in found if isinstance(found, list) else [found]:
            if not isinstance(record, Mapping):
                raise InvalidInputError(f"line {number}: a record must be an object")
            yield number, record


def _whole(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise InvalidInputError("line 1: this is not JSON") from None


def _as_session(record: Mapping[str, Any], line: int, known: Mapping[str, str | None]) -> Session:
    ids = {
        "app_name": _first(record, _APP) or known["app_name"],
        "user_id": _first(record, _USER) or known["user_id"],
        "id": record.get("id") if "events" in record else _first(record, _SESSION),
    }
    for name, value in ids.items():
        if value is None:
            hint = {"app_name": "pass --app", "user_id": "pass --user"}.get(name)
            raise InvalidInputError(f"line {line}: there is no {name}", hint=hint)
    events = record["events"] if "events" in record else [_turn(record)]
    try:
        return Session.model_validate({**ids, "events": events})
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InvalidInputError(f"line {line}: {where}: {first['msg']}") from None


def _turn(record: Mapping[str, Any]) -> dict[str, Any]:
    """A turn record in the shape of an event; unknown fields are left out."""
    event = {name: record[name] for name in ("id", "author", "content", "partial") if name in record}
    if "text" in record:
        event["content"] = Content.of(str(record["text"])).model_dump(exclude_none=True)
    time = _first(record, _TIME)
    return event if time is None else event | {"timestamp": time}


def _first(record: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((record[name] for name in names if record.get(name) is not None), None)
