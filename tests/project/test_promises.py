"""The ledger of promises: a row without proof fails the run, and only a whole run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.promises import LEDGER, read_ledger

ROOT = Path(__file__).parents[2]
XDIST = ("-p", "xdist", "-n", "2", "--dist", "loadfile")

TESTS = """
import pytest

@pytest.mark.seed("R-001", "R-002")
def test_kept():
    assert True

@pytest.mark.seed("R-003")
@pytest.mark.skipif({skip!r}, reason="to see that a skip proves nothing")
def test_maybe_skipped():
    assert True
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project with three promises and tests for them."""
    (tmp_path / "docs").mkdir()
    rows = "\n".join(f"| R-00{number} | Promise {number}. |" for number in (1, 2, 3))
    (tmp_path / LEDGER).write_text(f"| id | promise |\n| --- | --- |\n{rows}\n", encoding="utf-8")
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\ntestpaths = .\nmarkers = seed(*ids): promises\naddopts = -p tests.promises\n"
    )
    return tmp_path


def run(project: Path, *arguments: str, skip: bool = False) -> tuple[int, str]:
    """The exit code and output of pytest in the project."""
    (project / "test_some.py").write_text(TESTS.format(skip=skip))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=project,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("workers", [(), XDIST], ids=["alone", "xdist"])
def test_a_whole_run_with_every_row_proved_passes(project: Path, workers: tuple[str, ...]) -> None:
    code, output = run(project, *workers)

    assert code == 0, output
    assert "promises: 3 of 3 kept" in output


@pytest.mark.parametrize("workers", [(), XDIST], ids=["alone", "xdist"])
def test_a_row_whose_test_was_skipped_fails_the_run(project: Path, workers: tuple[str, ...]) -> None:
    code, output = run(project, *workers, skip=True)

    assert code == 1
    assert "R-003  Promise 3." in output
    assert "R-001" not in output.split("promises without")[1]


@pytest.mark.parametrize("selection", [("test_some.py",), ("-k", "kept"), ("--deselect", "x")])
def test_a_part_of_the_suite_is_not_judged(project: Path, selection: tuple[str, ...]) -> None:
    code, output = run(project, *selection, skip=True)

    assert code == 0, output


def test_an_id_without_a_row_is_an_error(project: Path) -> None:
    (project / LEDGER).write_text("| R-001 | Promise. |\n", encoding="utf-8")

    code, output = run(project)

    assert code == pytest.ExitCode.USAGE_ERROR
    assert "has no row R-002" in output


def test_the_ledger_has_each_id_once() -> None:
    rows = read_ledger((ROOT / LEDGER).read_text(encoding="utf-8"))

    assert len(rows) > 90
    with pytest.raises(ValueError, match="R-001 stands twice"):
        read_ledger("| R-001 | a |\n| R-001 | b |\n")
