"""The shape of the code: what an import loads, how long things are, and what every file says at its top."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import mongorecall

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
OPTIONAL = (
    "docker",
    "fastapi",
    "google",
    "opentelemetry",
    "pytest",
    "rich",
    "starlette",
    "typer",
    "uvicorn",
    "Stemmer",
)


def test_an_import_loads_no_optional_dependency() -> None:
    code = f"import sys, mongorecall; print([m for m in {OPTIONAL} if m in sys.modules])"

    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert loaded.strip() == "[]"


def test_every_public_name_is_there_and_documented() -> None:
    assert list(mongorecall.__all__) == sorted(set(mongorecall.__all__))
    for name in mongorecall.__all__:
        assert getattr(mongorecall, name).__doc__, name


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT / "src").as_posix())
def test_a_file_is_short_and_says_what_it_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)

    assert len(text.splitlines()) <= 400
    assert ast.get_docstring(tree)
    assert [(name, lines) for name, lines in functions(tree) if lines > 60] == []


def functions(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Each function's name, and its lines without its docstring."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if ast.get_docstring(node) is None or len(node.body) == 1 else node.body[1]
            yield node.name, (node.end_lineno or 0) - first.lineno + 1


def test_the_compose_file_binds_to_this_machine_only() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]

    assert {one["image"] for one in services.values()} == {"${MONGO_IMAGE:-mongo:8}"}
    assert all(port.startswith("127.0.0.1:") for one in services.values() for port in one["ports"])
    assert services["replica"]["profiles"] == ["replica"]


def test_the_sample_conversations_are_in_the_package() -> None:
    sample = Path(mongorecall.__file__).parent / "cli" / "conversations.jsonl"

    assert sample.read_text(encoding="utf-8").count("\n") >= 10
