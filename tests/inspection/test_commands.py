"""The commands that look inside and keep house: tables for people, JSON for programs, exit 1 on a finding."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pymongo.collection import Collection
from typer.testing import CliRunner, Result

from mongorecall.cli.app import build
from mongorecall.embedded import free_port

KEY = ("--app", "support", "--user", "u-42")
SECRET = "p4ssw0rd-of-tests"  # a password that must not be echoed

Run = Callable[..., Result]


@pytest.fixture
def run(uri: str, database: str) -> Run:
    """Runs a command on the test's database, in a terminal of 120 columns."""
    environment = {"MONGORECALL_URI": uri, "MONGORECALL_DATABASE": database, "COLUMNS": "120"}

    def call(*arguments: str, **changes: str | None) -> Result:
        stdin = changes.pop("stdin", None)
        return CliRunner().invoke(build(), list(arguments), env=environment | changes, input=stdin)

    return call


def told(result: Result) -> Any:
    """The JSON document of a ``--json`` run."""
    return json.loads(result.stdout)


def session(user_id: str, *texts: str, session_id: str = "monday") -> dict[str, Any]:
    """A session in google-adk's JSON."""
    events = [
        {
            "id": f"e-{place}",
            "author": "user",
            "timestamp": 1772442725.0 + place,
            "content": {"parts": [{"text": text}]},
        }
        for place, text in enumerate(texts, 1)
    ]
    return {"id": session_id, "appName": "support", "userId": user_id, "events": events}


@pytest.fixture
def ingest(run: Run, tmp_path: Path) -> Callable[..., Path]:
    """Writes sessions to a file and ingests it."""

    def call(*sessions: dict[str, Any], name: str = "sessions.jsonl") -> Path:
        (path := tmp_path / name).write_text("\n".join(map(json.dumps, sessions)), encoding="utf-8")
        assert run("ingest", str(path)).exit_code == 0
        return path

    return call


COFFEE = session("42", "My favourite coffee is a flat white.", "I live in Utrecht")


def test_explain_needs_no_server(run: Run) -> None:
    """The fate of each token; exit 1 when none is alive."""
    alive = run("explain", "the coffee preference?", MONGORECALL_URI=None)
    dead = run("explain", "what is it", "--json", MONGORECALL_URI=None)

    assert alive.exit_code == 0, alive.output
    assert "preference" in alive.stdout
    assert "stop words" in alive.stdout
    assert dead.exit_code == 1
    assert told(dead)["dead_tokens"] == ["what", "is", "it"]


def test_explain_with_a_key_counts_and_ranks(run: Run, ingest: Callable[..., Path]) -> None:
    """df, near keywords, hits without text, and the fate of an expected event."""
    ingest(COFFEE)

    result = run("explain", "coffee utrect", "--app", "support", "--user", "42", "--expect", "e-2")
    as_json = run("explain", "coffee", "--app", "support", "--user", "42", "--json")

    assert result.exit_code == 1
    assert "near: utrecht (typo)" in result.stdout
    assert "no keyword in common with the query" in result.stdout
    assert "flat white" not in result.stdout
    assert told(as_json)["hits"][0]["event_id"] == "e-1"


def test_diagnose_names_the_cause(run: Run, ingest: Callable[..., Path]) -> None:
    """Exit 1 with a cause, 0 when the search works; near keys only when asked for."""
    ingest(COFFEE)

    shy = run("diagnose", "coffee", *KEY)
    near = run("diagnose", "coffee", *KEY, "--list-keys")
    well = run("diagnose", "coffee", "--app", "support", "--user", "42", "--json")

    assert (shy.exit_code, near.exit_code, well.exit_code) == (1, 1, 0), near.output
    assert "nothing_written" in shy.stdout
    assert "support/42" not in shy.stdout
    assert "key_mismatch" in near.stdout
    assert "support/42" in near.stdout
    assert told(well)["cause"] is None


def test_diagnose_compares_a_session_file(run: Run, ingest: Callable[..., Path], tmp_path: Path) -> None:
    """A stale copy is found from the file of the whole session."""
    ingest(session("u-42", "Hello there"))
    whole = tmp_path / "whole.json"
    whole.write_text(json.dumps(session("u-42", "Hello there", "My favourite coffee")), encoding="utf-8")

    result = run("diagnose", "coffee", *KEY, "--session-file", str(whole), "--json")

    assert result.exit_code == 1
    assert told(result)["cause"] == "stale_session"


def test_diagnose_without_a_server_is_a_verdict(run: Run) -> None:
    """Exit 1 and a next step, not a traceback; the password is nowhere."""
    uri = f"mongodb://somebody:{SECRET}@127.0.0.1:{free_port()}"

    result = run("diagnose", "coffee", *KEY, MONGORECALL_URI=uri, MONGORECALL_TIMEOUT_SECONDS="0.5")

    assert result.exit_code == 1, result.output
    assert "unreachable" in result.stdout
    assert SECRET not in result.output


def test_the_uri_is_asked_for_and_not_echoed(run: Run) -> None:
    """Without MONGORECALL_URI and without a terminal the command says what is missing."""
    result = run("sessions", *KEY, MONGORECALL_URI=None)

    assert result.exit_code == 2
    assert "MONGORECALL_URI is not set" in result.output


def test_replay_walks_a_conversation(run: Run, ingest: Callable[..., Path], tmp_path: Path) -> None:
    """Each load_memory call is diagnosed."""
    ingest(COFFEE)
    call = {"function_call": {"name": "load_memory", "args": {"query": "coffee preference?"}}}
    thursday = session("u-42") | {"events": [{"id": "e-1", "author": "agent", "content": {"parts": [call]}}]}
    (file := tmp_path / "thursday.json").write_text(json.dumps(thursday), encoding="utf-8")

    result = run("replay", str(file), "--list-keys")
    as_json = run("replay", str(file), "--list-keys", "--json")

    assert (result.exit_code, as_json.exit_code) == (1, 1), result.output
    assert "1 query: key_mismatch 1" in result.stdout
    assert told(as_json)["causes"] == {"key_mismatch": 1}


def test_what_is_stored_can_be_browsed(run: Run, ingest: Callable[..., Path]) -> None:
    """Keys with counts, sessions with times, memories with text."""
    ingest(COFFEE, session("u-42", "I like tea", session_id="tuesday"))

    keys = run("keys", "--json")
    sessions = run("sessions", "--app", "support", "--user", "42")
    shown = run("show", "--app", "support", "--user", "42")

    assert told(keys) == {
        "keys": [
            {"app_name": "support", "user_id": "42", "memories": 2},
            {"app_name": "support", "user_id": "u-42", "memories": 1},
        ],
        "complete": True,
    }
    assert "monday" in sessions.stdout
    assert "My favourite coffee is a flat white." in shown.stdout
    assert "2 memories" in shown.stdout
    assert "I like tea" not in shown.stdout
    assert run("keys", "--app", "nobody").stdout.strip() == "0 keys"


def test_the_state_is_told(run: Run, ingest: Callable[..., Path], raw: Collection[dict[str, Any]]) -> None:
    """Counts of the collection and of a key; the doctor finds a dropped index, init-indexes makes it."""
    ingest(COFFEE)

    assert told(run("stats", "--json"))["documents"] == 2
    assert told(run("stats", "--app", "support", "--user", "42", "--json"))["memories"] == 2
    assert run("doctor").exit_code == 0
    raw.drop_index("app_user_keywords")
    sick = run("doctor")
    assert sick.exit_code == 1
    assert "index app_user_keywords is missing" in " ".join(sick.stdout.split())
    assert told(run("init-indexes", "--dry-run", "--json"))["app_user_keywords"] == "missing"
    assert told(run("init-indexes", "--json"))["app_user_keywords"] == "present"
    assert run("doctor", "--json").exit_code == 0


def test_forgetting_counts_first_and_asks(
    run: Run, ingest: Callable[..., Path], raw: Collection[dict[str, Any]]
) -> None:
    """A dry run deletes nothing, a missing yes deletes nothing, and --yes deletes what was counted."""
    ingest(COFFEE, session("u-42", "I like tea", session_id="tuesday"))
    user = ("--app", "support", "--user", "42")

    dry = run("forget", *user, "--all", "--dry-run")
    unasked = run("forget", *user, "--all")
    nothing = run("forget", *user)

    assert "2 memories of 1 session would be forgotten" in dry.stdout
    assert (dry.exit_code, unasked.exit_code, nothing.exit_code) == (0, 2, 2)
    assert raw.count_documents({"keywords": {"$exists": True}}) == 3
    one = run("forget", *user, "--event", "e-1", "--yes", "--json")
    rest = run("forget", *user, "--session", "monday", "--yes")
    assert told(one)["forgotten"] == 1
    assert "1 memory of 1 session forgotten" in rest.stdout
    assert [found["user_id"] for found in raw.find({"keywords": {"$exists": True}})] == ["u-42"]


def test_an_export_can_be_put_back(
    run: Run, ingest: Callable[..., Path], raw: Collection[dict[str, Any]], tmp_path: Path
) -> None:
    """Everything but the markers comes back as it was; repeating it changes nothing."""
    ingest(COFFEE, session("42", "forget me", session_id="tuesday"))
    user = ("--app", "support", "--user", "42")
    run("forget", *user, "--session", "tuesday", "--yes")
    before = sorted(str(row["content"]) for row in raw.find({"content": {"$exists": True}}))
    file = str(tmp_path / "42.jsonl")

    exported = run("export", *user, "--to", file)
    raw.delete_many({})
    first, second = run("import", file, "--json"), run("import", file, "--json")

    assert exported.exit_code == 0, exported.output
    assert (told(first)["stored"], told(first)["left_out"]) == (2, 1)
    assert (told(second)["stored"], told(second)["unchanged"]) == (0, 2)
    assert sorted(str(row["content"]) for row in raw.find()) == before
    assert run("export", *user).stdout.count("\n") == 2
    (tmp_path / "bad.jsonl").write_text("[]\n", encoding="utf-8")
    assert "line 1: this is no document of an export" in run("import", str(tmp_path / "bad.jsonl")).output


@pytest.mark.parametrize(
    "name",
    [
        "explain",
        "diagnose",
        "replay",
        "keys",
        "sessions",
        "show",
        "stats",
        "doctor",
        "forget",
        "export",
        "import",
    ],
)
def test_every_command_shows_an_example(run: Run, name: str) -> None:
    """In its help."""
    result = run(name, "--help")

    assert result.exit_code == 0
    assert "Example: mongorecall" in " ".join(result.output.split())
