"""``python -m tests.benchmarks [--smoke]``: measure, print, judge."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pymongo import MongoClient
from pymongo.database import Database
from pymongo.uri_parser import parse_uri

from mongorecall.embedded import EmbeddedServer
from tests.benchmarks import concurrency, corpus, ingesting, ordering, report, searching, texts
from tests.benchmarks.measuring import Cell
from tests.benchmarks.proxy import delayed

SECTIONS = ("warm", "cold", "delay", "real text", "ingestion", "concurrency", "memory")
SIZES = ("100", "1000", corpus.MULTI, "10000", "100000")
REAL_SIZES = ("10000", "100000")
DELAY_MS = 20.0
SMOKE_SHARE = 0.8
SMOKE_KINDS = ("one", "skewed 6", "stop-filtered 6", "six common", "30-word")
PREFIX = "mongorecall_bench_"


@dataclass(frozen=True, slots=True)
class Bench:
    """One run: a server, what to measure on it, and the databases that were made."""

    uri: str
    admin: MongoClient[dict[str, Any]]
    sections: tuple[str, ...]
    sizes: tuple[str, ...]
    keep: bool

    def database(self, name: str, build: Callable[[Database[dict[str, Any]], str], None], size: str) -> str:
        """A database of this history, made at its first use."""
        full = f"{PREFIX}{name}_{size}"
        if full not in self.admin.list_database_names():
            print(f"# building {name} {size}", flush=True)
            build(self.admin[full], size)
        return full

    def clear(self) -> None:
        """Drop what was made."""
        for name in self.admin.list_database_names():
            if name.startswith(PREFIX) and not self.keep:
                self.admin.drop_database(name)

    async def cells(self) -> AsyncIterator[Cell]:
        """Every figure of a full run."""
        for part in self._parts():
            async for cell in part:
                yield cell

    def _parts(self) -> Iterator[AsyncIterator[Cell]]:
        for size in self.sizes:
            for section in ("warm", "cold", "delay", "memory"):
                if section in self.sections:
                    yield self._searches(section, self.database("history", corpus.build, size), size)
        if "real text" in self.sections and texts.available():
            for size in REAL_SIZES:
                yield searching.real_text(self.uri, self.database("texts", texts.build, size), size)
        if "ingestion" in self.sections:
            yield ingesting.ingestion(self.uri, f"{PREFIX}ingestion")
            yield ordering.ordering(self.uri, f"{PREFIX}ordering")
        if "concurrency" in self.sections:
            yield self._concurrency()

    async def smoke(self) -> AsyncIterator[Cell]:
        """What fits into three minutes."""
        for size in ("1000", "10000"):
            history = self.database("history", corpus.build, size)
            async for cell in searching.warm(self.uri, history, size, kinds=SMOKE_KINDS, count=8):
                yield cell
        async for cell in ingesting.ingestion(self.uri, f"{PREFIX}ingestion", sizes=(1, 50), growing=False):
            yield cell

    async def _searches(self, section: str, history: str, size: str) -> AsyncIterator[Cell]:
        if section == "delay":
            with self._delayed() as uri:
                async for cell in searching.warm(uri, history, size, section="delay", count=6):
                    yield cell
        else:
            measure = {"warm": searching.warm, "cold": searching.cold, "memory": searching.memory}[section]
            async for cell in measure(self.uri, history, size):
                yield cell

    async def _concurrency(self) -> AsyncIterator[Cell]:
        history = self.database("history", corpus.build, corpus.MULTI)
        async for cell in concurrency.concurrency(self.uri, history):
            yield cell
        with self._delayed() as uri:
            async for cell in concurrency.concurrency(uri, history, section="concurrency +20 ms"):
                yield cell

    @contextmanager
    def _delayed(self) -> Iterator[str]:
        (host, port), *_ = parse_uri(self.uri)["nodelist"]
        with delayed(port or 27017, DELAY_MS) as far:
            yield self.uri.replace(f"{host}:{port}", f"127.0.0.1:{far}")


async def _run(bench: Bench, *, smoke: bool) -> list[Cell]:
    cells = []
    async for cell in bench.smoke() if smoke else bench.cells():
        print(cell, flush=True)
        cells.append(cell)
    return cells


@contextmanager
def _server(uri: str | None) -> Iterator[str]:
    if uri is not None:
        yield uri
    else:
        with EmbeddedServer() as server:
            yield server.uri


def _durable(uri: str) -> str:
    """The same write concern for both sides: google-adk's service takes the client's."""
    separator = "&" if "?" in uri else "?" if uri.rstrip("/").count("/") > 2 else "/?"
    return f"{uri}{separator}w=1"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--smoke", action="store_true", help=f"small; fails below {SMOKE_SHARE} of a bar")
    parser.add_argument("--uri", help="a mongod to measure on; by default one is started")
    parser.add_argument("--sections", default=",".join(SECTIONS), help="some of: %(default)s")
    parser.add_argument("--sizes", default=",".join(SIZES), help="turns; 1000000 is possible")
    parser.add_argument("--keep", action="store_true", help="leave the databases for another run")
    parser.add_argument(
        "--out", type=Path, default=Path("docs/benchmarks"), help="folder of the page and the picture"
    )
    return parser.parse_args()


def main() -> int:
    """Measure; 1 when a bar is missed by far in the small run."""
    asked = _arguments()
    with _server(asked.uri) as plain:
        uri = _durable(plain)
        with MongoClient[dict[str, Any]](uri) as admin:
            sections, sizes = tuple(asked.sections.split(",")), tuple(asked.sizes.split(","))
            bench = Bench(uri, admin, sections, sizes, asked.keep)
            try:
                cells = asyncio.run(_run(bench, smoke=asked.smoke))
            finally:
                bench.clear()
            server = str(admin.server_info()["version"])
    if not asked.smoke:
        report.write(asked.out, cells, server=server)
    missed = [cell for cell in cells if not cell.reaches(SMOKE_SHARE if asked.smoke else 1.0)]
    print(
        f"\n{len(cells)} figures, {len(missed)} missed"
        + (f" {SMOKE_SHARE} of their bar" if asked.smoke else "")
    )
    for cell in missed:
        print(cell)
    return 1 if missed and asked.smoke else 0


if __name__ == "__main__":
    sys.exit(main())
