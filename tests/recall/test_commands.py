"""``mongorecall eval`` and ``mongorecall reindex`` on a real MongoDB."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from mongorecall.cli.app import build
from mongorecall.cli.recall_scores import judge

Run = Callable[..., Result]
TURNS = {"e0": "I painted the café", "e1": "the kiln is at 7 bar", "e2": "the kiln is hot"}


@pytest.fixture
def run(uri: str, database: str) -> Run:
    environment = {"MONGORECALL_URI": uri, "MONGORECALL_DATABASE": database, "COLUMNS": "120"}
    return lambda *arguments: CliRunner().invoke(build(), list(arguments), env=environment)


@pytest.fixture
def stored(run: Run, tmp_path: Path) -> None:
    lines = [
        {"app": "a", "user": "u", "session": "s", "id": name, "author": "user", "ts": 1e9 + n, "text": text}
        for n, (name, text) in enumerate(TURNS.items())
    ]
    assert run("ingest", _write(tmp_path / "turns.jsonl", lines)).exit_code == 0


def _write(path: Path, records: list[Any]) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)


QUESTIONS = [
    {"query": "kiln bar", "expected": ["e1"]},
    {"query": "painting", "expected": ["e0"], "app": "a", "user": "u"},
]


def test_scores_are_what_they_say() -> None:
    scores = judge(["x", "a", "a", None, "b"], frozenset("abc"))
    assert scores["R@5"] == pytest.approx(2 / 3)
    assert scores["MRR"] == 1 / 2
    ideal = 1 + 1 / 1.5849625 + 0.5
    assert scores["nDCG@10"] == pytest.approx((1 / 1.5849625 + 1 / 2.5849625) / ideal)
    assert set(judge([], frozenset("a")).values()) == {0.0}


@pytest.mark.seed("I-075")
@pytest.mark.usefixtures("stored")
def test_recall_is_measured_before_and_after_a_change(run: Run, tmp_path: Path) -> None:
    file = _write(tmp_path / "questions.jsonl", QUESTIONS)
    scope = ("--app", "a", "--user", "u")
    first = run("eval", file, *scope, "--json")
    assert first.exit_code == 0, first.output
    before = json.loads(first.stdout)
    assert before["scores"]["R@5"] == 50.0
    assert before["nothing_found"] == 1
    earlier = tmp_path / "before.json"
    earlier.write_text(first.stdout, encoding="utf-8")

    changed = run("reindex", "--analyzer", "multilingual", "--json")
    assert changed.exit_code == 0, changed.output
    assert json.loads(changed.stdout)["changed"] == 3
    after = run("eval", file, *scope, "--analyzer", "multilingual", "--before", str(earlier))
    assert after.exit_code == 0, after.output
    assert "100.0" in after.stdout
    assert "+50.0" in after.stdout
    assert "painting" not in after.stdout


@pytest.mark.parametrize(
    "line",
    [
        {"query": "q"},
        {"query": "q", "expected": []},
        {"query": "q", "expected": "e1"},
        5,
        {"expected": ["e1"]},
    ],
)
def test_a_line_that_is_no_question_is_named(run: Run, tmp_path: Path, line: Any) -> None:
    file = _write(tmp_path / "questions.jsonl", [QUESTIONS[0], line])
    failed = run("eval", file, "--app", "a", "--user", "u")
    assert failed.exit_code == 2
    assert "line 2" in failed.output


@pytest.mark.usefixtures("stored")
def test_reindexing_one_user_says_what_it_did(run: Run) -> None:
    done = run("reindex", "--app", "a", "--user", "u", "--analyzer", "multilingual")
    assert done.exit_code == 0, done.output
    assert "3 turns looked at, 3 reindexed" in done.stdout
