"""Conversation files: sessions and turns, JSON Lines and one document, and errors that name the line."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from mongorecall import InvalidInputError, MongoDbMemoryService
from mongorecall.cli.files import read_sessions
from mongorecall.cli.ingesting import LONG_FILE_BYTES, ingest_file

SESSION: dict[str, Any] = {
    "id": "s-1",
    "appName": "concierge",
    "userId": "u-42",
    "events": [{"id": "e-1", "author": "user", "content": {"parts": [{"text": "flat white"}]}}],
}


def turn(number: int, **fields: Any) -> dict[str, Any]:
    """A turn record."""
    return {"user": "u-1", "session": "s-1", "id": f"t{number}", "text": "hello"} | fields


def file(tmp_path: Path, *records: Any) -> Path:
    """A JSON Lines file with a blank line at its end."""
    path = tmp_path / "some.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in records) + "\n\n", encoding="utf-8")
    return path


def test_a_session_in_either_case_is_one_session(tmp_path: Path) -> None:
    snake = {"id": "s-2", "app_name": "a", "user_id": "u", "events": []}

    first, second = read_sessions(file(tmp_path, SESSION, snake))

    assert (first.app_name, first.user_id, first.id) == ("concierge", "u-42", "s-1")
    assert first.events[0].content is not None
    assert first.events[0].content.text == "flat white"
    assert (second.app_name, second.user_id, second.id, second.events) == ("a", "u", "s-2", [])


def test_turns_that_follow_one_another_are_one_session(tmp_path: Path) -> None:
    records = [turn(1, ts=5.0, author="ann"), turn(2), turn(3, session="s-2"), turn(4, user="u-2")]

    sessions = list(read_sessions(file(tmp_path, *records), app_name="chats"))

    assert [(s.user_id, s.id, len(s.events)) for s in sessions] == [
        ("u-1", "s-1", 2),
        ("u-1", "s-2", 1),
        ("u-2", "s-1", 1),
    ]
    assert (sessions[0].events[0].timestamp, sessions[0].events[0].author) == (5.0, "ann")
    assert {session.app_name for session in sessions} == {"chats"}


@pytest.mark.parametrize("document", [SESSION, [SESSION, SESSION | {"id": "s-2"}]], ids=["object", "list"])
def test_a_file_may_be_one_indented_document(tmp_path: Path, document: Any) -> None:
    path = tmp_path / "session.json"
    path.write_text(json.dumps(document, indent=2), encoding="utf-8")

    assert next(read_sessions(path)).id == "s-1"


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps(SESSION).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))

    assert [session.id for session in read_sessions("-")] == ["s-1"]


def test_progress_is_told_every_byte(tmp_path: Path) -> None:
    path, read = file(tmp_path, SESSION, SESSION), 0

    def advance(count: int) -> None:
        nonlocal read
        read += count

    assert list(read_sessions(path, advance=advance))
    assert read == path.stat().st_size


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([turn(1)], "line 1: there is no app_name (pass --app)"),
        ([SESSION, {"text": "private words"}], "line 2: there is no app_name (pass --app)"),
        ([SESSION, "private words"], "line 2: a record must be an object"),
        ([SESSION | {"events": [{"timestamp": "private words"}]}], "line 1: events.0.timestamp: "),
    ],
)
def test_a_record_that_cannot_be_read_is_named_by_its_line_without_its_text(
    tmp_path: Path, records: list[Any], message: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        list(read_sessions(file(tmp_path, *records)))

    assert str(caught.value).startswith(message)
    assert "private" not in str(caught.value)


def test_a_line_that_is_not_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text(json.dumps(SESSION) + "\n{broken\n", encoding="utf-8")

    with pytest.raises(InvalidInputError, match="line 2: this is not JSON"):
        list(read_sessions(path))


@pytest.mark.parametrize("seen", [True, False], ids=["terminal", "file"])
async def test_a_long_file_has_a_progress_bar_where_somebody_looks(
    tmp_path: Path, service: MongoDbMemoryService, seen: bool
) -> None:
    long = turn(1, text="word " * 30_000)
    path = file(tmp_path, long, long | {"session": "s-2"})
    printed = io.StringIO()

    done = await ingest_file(
        service, path, console=Console(file=printed, force_terminal=seen), app_name="chats"
    )

    assert path.stat().st_size > LONG_FILE_BYTES
    assert (done.sessions, done.report.stored) == (2, 2)
    assert ("ingesting" in printed.getvalue()) == seen
