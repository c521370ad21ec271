"""The command line on a real MongoDB: ingest, search, demo, and what every command shares."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from typer.testing import CliRunner, Result

from mongorecall.cli.app import build

SESSION: dict[str, Any] = {
    "id": "s-1",
    "appName": "concierge",
    "userId": "u-42",
    "events": [
        {
            "id": "e-1",
            "author": "user",
            "timestamp": 1772442725.0,
            "content": {"parts": [{"text": "My favourite coffee is a flat white."}]},
        },
        {"id": "e-2", "author": "user", "content": {"parts": [{"text": "is it"}]}},
    ],
}

Run = Callable[..., Result]


@pytest.fixture
def run(uri: str, database: str) -> Run:
    """Runs a command on the test's database, in a terminal of 120 columns."""
    environment = {"MONGORECALL_URI": uri, "MONGORECALL_DATABASE": database, "COLUMNS": "120"}

    def call(*arguments: str, **changes: str | None) -> Result:
        return CliRunner().invoke(build(), list(arguments), env=environment | changes)

    return call


@pytest.fixture
def conversations(tmp_path: Path) -> str:
    """A file of one session."""
    path = tmp_path / "sessions.jsonl"
    path.write_text(json.dumps(SESSION) + "\n", encoding="utf-8")
    return str(path)


def test_what_was_ingested_is_found(run: Run, conversations: str, raw: Any) -> None:
    stored = run("ingest", conversations)
    found = run("search", "COFFEE or tea?", "--app", "concierge", "--user", "u-42")

    assert stored.exit_code == 0, stored.output
    assert "1 session of 1 user" in stored.output
    assert "skipped: only stop words" in stored.output
    assert raw.count_documents({}) == 1
    assert found.exit_code == 0, found.output
    assert "My favourite coffee is a flat white." in found.output
    assert "Mon 2 Mar 2026 09:12" in found.output
    assert "in no hit  tea?" in found.output


def test_ingesting_again_changes_nothing(run: Run, conversations: str) -> None:
    run("ingest", conversations)

    again = json.loads(run("ingest", conversations, "--json").stdout)

    assert (again["received"], again["unchanged"], again["stored"]) == (2, 1, 0)


def test_a_miss_says_what_it_lacked(run: Run, conversations: str) -> None:
    run("ingest", conversations)

    nothing = run("search", "wine", "--app", "concierge", "--user", "u-42")
    dead = run("search", "is it ?!", "--app", "concierge", "--user", "u-42")
    other = run("search", "coffee", "--app", "concierge", "--user", "u-7")

    assert "none shares a word with this query" in nothing.output
    assert "stop words: too common to tell turns apart  is it" in dead.output
    assert "no letters or digits  ?!" in dead.output
    assert "Nothing is remembered for this app and user." in other.output


def test_json_is_for_programs(run: Run, conversations: str) -> None:
    run("ingest", conversations)

    found = json.loads(run("search", "coffee", "--app", "concierge", "--user", "u-42", "--json").stdout)

    assert found["query_keywords"] == ["coffee"]
    assert found["memories"][0]["id"] == "e-1"
    assert found["memories"][0]["matched_keywords"] == ["coffee"]


@pytest.mark.parametrize(
    ("option", "hits"),
    [
        (("--session", "s-1"), 1),
        (("--not-session", "s-1"), 0),
        (("--author", "agent"), 0),
        (("--since", "2026-03-02T09:12:00"), 1),
        (("--until", "2026-03-02"), 0),
    ],
)
def test_a_search_may_be_narrowed(run: Run, conversations: str, option: tuple[str, ...], hits: int) -> None:
    run("ingest", conversations)

    found = run("search", "coffee", "--app", "concierge", "--user", "u-42", "--json", *option)

    assert len(json.loads(found.stdout)["memories"]) == hits


def test_an_event_that_cannot_be_stored_is_a_finding(run: Run, tmp_path: Path) -> None:
    bad = {**SESSION, "events": [{"id": "e\n1", "content": {"parts": [{"text": "flat white"}]}}]}
    path = tmp_path / "bad.jsonl"
    path.write_text(json.dumps(bad))

    done = run("ingest", str(path))

    assert done.exit_code == 1
    assert "could not be stored" in done.output


@pytest.mark.parametrize(
    ("arguments", "changes", "message"),
    [
        (("search", "x", "--app", "a", "--user", ""), {}, "user_id must not be empty"),
        (
            ("search", "x", "--app", "a", "--user", "u"),
            {"MONGORECALL_URI": None},
            "MONGORECALL_URI is not set",
        ),
        (("search", "x", "--app", "a", "--user", "u", "--analyzer", "psychic"), {}, "analyzer"),
        (("ingest", "nowhere.jsonl"), {}, "No such file or directory: nowhere.jsonl"),
    ],
)
def test_an_error_is_one_line_and_exit_code_2(
    run: Run, arguments: tuple[str, ...], changes: dict[str, str | None], message: str
) -> None:
    done = run(*arguments, **changes)

    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.output


def test_a_server_that_does_not_answer_is_an_error_without_its_password(run: Run) -> None:
    uri = "mongodb://app:hunter2@127.0.0.1:1/?serverSelectionTimeoutMS=200"

    done = run(
        "search", "x", "--app", "a", "--user", "u", MONGORECALL_URI=uri, MONGORECALL_TIMEOUT_SECONDS="1"
    )

    assert done.exit_code == 2
    assert "hunter2" not in done.output + done.stderr


def test_the_demonstration_shows_hits_and_misses_and_leaves_nothing(
    run: Run, admin: MongoClient[Any]
) -> None:
    done = run("demo", MONGORECALL_DATABASE="")

    assert done.exit_code == 0, done.output
    assert "My favourite coffee is a flat white, with oat milk." in done.output
    assert "京都へ出張します" in done.output
    assert "none shares a word with this query" in done.output
    assert "every one is a stop word" in done.output
    assert "stored, and close to lisba:  lisbo (typo)" in done.output
    assert not [name for name in admin.list_database_names() if name.startswith("mongorecall_demo")]


def test_every_question_of_the_demonstration_finds_what_it_should(run: Run) -> None:
    answers = json.loads(run("demo", "--json", MONGORECALL_DATABASE="").stdout)["questions"]
    best = {one["query"]: (one["memories"] or [{"id": None}])[0]["id"] for one in answers}

    assert best == {
        "Which coffee do I usually get?": "en-1-01",
        "When does my passport expire?": "en-3-05",
        "where is the decision on kiln cloud dev?": "en-4-01",
        "Wo ist der Ersatzschluessel fürs Büro?": "de-1-03",
        "京都への出張はいつ？": "ja-1-03",
        "¿Cuál es mi cafe favorito?": "es-1-01",
        "我对什么过敏？": "zh-1-03",
        "고양이 이름이 뭐였지?": "ko-1-01",
        "هل أحب الشاي بالسكر؟": "ar-1-01",
        "What is it, then?": None,
        "Which locker is my parcel in?": "en-2-01",
        "flat white": None,
        "Lisban": None,
        "favourite wine": "en-1-01",
    }


def test_the_demonstration_takes_ones_own_file_and_questions(run: Run, conversations: str) -> None:
    done = run("demo", conversations, "--ask", "favourite coffee", "--ask", "tea")

    assert done.exit_code == 0, done.output
    assert "1 of 2 questions found something" in done.output


def test_without_questions_the_newest_session_asks_the_others(run: Run, tmp_path: Path) -> None:
    later = {**SESSION, "id": "s-2", "events": [{"content": {"parts": [{"text": "Coffee again, please"}]}}]}
    path = tmp_path / "two.jsonl"
    path.write_text(json.dumps(SESSION) + "\n" + json.dumps(later))

    done = run("demo", str(path))

    assert "how session s-2 began, asked of the others" in done.output
    assert "1 of 1 questions found something" in done.output


def test_the_demonstration_brings_its_own_server() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MONGORECALL")}

    done = subprocess.run(
        [sys.executable, "-m", "mongorecall.cli", "demo", "--json"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["server"]["kind"] == "embedded"


def test_without_any_server_the_error_lists_what_was_tried(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda _name: str(tmp_path))

    done = run("demo", MONGORECALL_URI=None, PATH=str(tmp_path), MONGOD=None)

    assert done.exit_code == 2
    assert "MONGORECALL_URI (not set)" in done.stderr
    assert "mongod on PATH" in done.stderr
    assert "Docker (not there)" in done.stderr


def test_a_docker_that_cannot_run_the_image_is_quoted(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda _name: str(tmp_path))
    docker = tmp_path / "docker"
    docker.write_text(
        "#!/bin/sh\necho 'Unable to find image' >&2\necho 'docker: no such host.' >&2\nexit 125\n"
    )
    docker.chmod(0o755)

    done = run("demo", MONGORECALL_URI=None, PATH=str(tmp_path), MONGOD=None, MONGO_IMAGE="some/image")

    assert done.exit_code == 2
    assert "Docker with some/image: docker: no such host." in done.stderr


def test_the_page_about_the_command_line_has_every_command() -> None:
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    described = set(re.findall(r"^\| `([a-z-]+)[` ]", page, re.MULTILINE))

    assert described == {command.name for command in build().registered_commands}


def test_help_names_the_commands_and_version_the_version(run: Run) -> None:
    assert {"demo", "ingest", "search"} <= set(run("--help").output.split())
    assert run("--version").output.startswith("mongorecall 0.")
