"""A pytest plugin: the whole run fails for a row of docs/promises.md without a test that ran and passed.

A test names the rows it proves with ``@pytest.mark.seed("R-017", "R-018")``. An id without a row is an error
in every run. Rows without a test are an error only when the whole suite was run and everything else
passed: no path, ``-k``, ``--lf`` or deselection was given. The ids travel in the reports, so that the
count is right with xdist, where the tests run in other processes.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LEDGER = Path("docs", "promises.md")
_ROW = re.compile(r"^\| ([RI]-\d{3}) \| (.+) \|$", re.MULTILINE)
_PROPERTY = "promise"
_WHOLE_SUITE_MARKS = ("", "not slow")


def read_ledger(text: str) -> dict[str, str]:
    """The rows by id; `ValueError` for an id that stands twice."""
    rows: dict[str, str] = {}
    for name, promise in _ROW.findall(text):
        if name in rows:
            raise ValueError(f"{LEDGER}: {name} stands twice")
        rows[name] = promise
    return rows


class Promises:
    """Collects which rows were proved, and judges at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self.rows = read_ledger((config.rootpath / LEDGER).read_text(encoding="utf-8"))
        self.kept: set[str] = set()
        self.broken: list[str] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Put the ids of each test into its reports."""
        for item in items:
            for name in _ids(item):
                if name not in self.rows:
                    raise pytest.UsageError(f"{item.nodeid}: {LEDGER} has no row {name}")
                item.user_properties.append((_PROPERTY, name))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the rows of a test that ran and passed; an expected failure proves nothing."""
        if report.when == "call" and report.passed and not hasattr(report, "wasxfail"):
            self.kept.update(str(value) for name, value in report.user_properties if name == _PROPERTY)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Fail a whole run that leaves a row without proof."""
        in_worker = hasattr(session.config, "workerinput")
        if exitstatus == pytest.ExitCode.OK and not in_worker and is_whole(session.config):
            self.broken = sorted(self.rows.keys() - self.kept)
            if self.broken:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name the rows without proof."""
        if self.broken:
            terminalreporter.section("promises without a test that ran and passed", red=True, bold=True)
            for name in self.broken:
                terminalreporter.write_line(f"{name}  {self.rows[name]}")
        elif self.kept:
            terminalreporter.write_line(f"promises: {len(self.kept)} of {len(self.rows)} kept")


def _ids(item: pytest.Item) -> Iterator[str]:
    for mark in item.iter_markers("seed"):
        yield from _strings(item, mark.args)


def _strings(item: pytest.Item, values: Iterable[object]) -> Iterator[str]:
    for value in values:
        if not isinstance(value, str):
            raise pytest.UsageError(f"{item.nodeid}: seed() takes the ids as strings")
        yield value


def is_whole(config: pytest.Config) -> bool:
    """Whether nothing was left out of this run by the command line."""
    option = config.option
    chosen = config.args_source == pytest.Config.ArgsSource.ARGS
    narrowed = any(
        getattr(option, name, None)
        for name in ("keyword", "deselect", "ignore", "ignore_glob", "lf", "stepwise", "collectonly")
    )
    return not chosen and not narrowed and option.markexpr in _WHOLE_SUITE_MARKS


def pytest_configure(config: pytest.Config) -> None:
    """Start collecting."""
    config.pluginmanager.register(Promises(config), "mongorecall-promises")
