"""The page and the picture in ``docs/benchmarks``."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from tests.benchmarks.measuring import DEFAULT, MOTOR, RECENCY, Cell

PAGE = "README.md"
PICTURE = "searches.png"
VARIANTS = (DEFAULT, RECENCY, MOTOR)
COLUMNS = {DEFAULT: "PyMongo Async", RECENCY: "with `recency_index`", MOTOR: "Motor"}


def write(folder: Path, cells: Sequence[Cell], *, server: str) -> None:
    """``README.md`` and ``searches.png``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / PAGE).write_text(_page(cells, server))
    _picture(folder / PICTURE, [cell for cell in cells if cell.section == "warm"])


def machine(server: str) -> str:
    """Processor, memory and versions, in one sentence."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    packages = ", ".join(
        f"{name} {importlib.metadata.version(name)}"
        for name in ("mongorecall", "google-adk", "pymongo", "motor", "pydantic")
    )
    return (
        f"{os.cpu_count()} cores ({platform.machine()}), load average {os.getloadavg()[2]:.0f} in the run, "
        f"{memory:.0f} GiB, {platform.system()}, "
        f"Python {platform.python_version()}, MongoDB {server} on the same machine, {packages}"
    )


def _page(cells: Sequence[Cell], server: str) -> str:
    lines = [
        "# Benchmarks",
        "",
        "How many times faster than google-adk's `MongoDbMemoryService`: the ratio of medians, both services",
        "on one mongod, turn by turn in one run. Above 1 is faster. In brackets the ratio that is promised;",
        "**bold** where it was missed in this run. Every answer of the made-up histories is compared with",
        "google-adk's.",
        "",
        f"Measured on {datetime.now(UTC):%Y-%m-%d}: {machine(server)}.",
        "",
        "`make bench` makes this page anew, and `make bench-smoke` checks the smaller part of it.",
        "",
        f"![Searches against the size of a history]({PICTURE})",
        "",
    ]
    for section in dict.fromkeys(cell.section for cell in cells):
        lines += _table(section, [cell for cell in cells if cell.section == section])
    return "\n".join([*lines, _READING, ""])


_READING = """\
## What is measured

A search is everything a caller pays for: splitting the query, one command, and the memories as objects.
Histories are made-up words with the frequencies of speech, 25 a turn, all of one user; `10000x100` are
10,000 users with 100 turns each. `one` is one word, `none` three unknown ones, `skewed 6` and `30-word` are
drawn by frequency, `stop-filtered` without the 40 commonest words, `six common` from the 20 commonest,
`flat 6` from words of equal frequency. `warm`: the scope was searched before. `cold`: the first search of a
scope in a process. `delay`: warm, with 20 ms added to each round trip. `real text`: questions about
conversations that were mixed up to the size. Ingestion is with the default index and `w=1` on both sides.
`order of writes` compares bulks of 100 that let newer documents stand with the same bulks without revisions.
`concurrency` counts searches of random users at once."""


def _table(section: str, cells: Sequence[Cell]) -> list[str]:
    variants = [variant for variant in VARIANTS if any(cell.variant == variant for cell in cells)]
    lines = [
        f"## {section[0].upper()}{section[1:]}",
        "",
        "| size | what | google-adk | " + " | ".join(COLUMNS[variant] for variant in variants) + " |",
        "|---:|---|---:|" + "---:|" * len(variants),
    ]
    for size, kind in dict.fromkeys((cell.size, cell.kind) for cell in cells):
        row = {cell.variant: cell for cell in cells if (cell.size, cell.kind) == (size, kind)}
        peer = next(iter(row.values()))
        figures = [_figure(row.get(variant)) for variant in variants]
        lines.append(f"| {size} | {kind} | {peer.peer:.3g} {peer.unit} | " + " | ".join(figures) + " |")
    return [*lines, ""]


def _figure(cell: Cell | None) -> str:
    if cell is None:
        return ""
    text = f"{cell.ratio:.2f}×" if cell.ratio < 10 else f"{cell.ratio:.0f}×"
    text = text if cell.reaches() else f"**{text}**"
    return text if cell.bar is None else f"{text} ({cell.bar:g})"


def _picture(path: Path, cells: Iterable[Cell]) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    found = [cell for cell in cells if cell.size.isdigit()]
    kinds = [kind for kind in dict.fromkeys(cell.kind for cell in found) if kind != "none"]
    figure, axes = pyplot.subplots(2, 4, figsize=(14, 6.4), sharex=True, layout="constrained")
    for axis, kind in zip(axes.flat, kinds, strict=False):
        of_kind = [cell for cell in found if cell.kind == kind]
        default = [cell for cell in of_kind if cell.variant == DEFAULT]
        axis.plot(
            [int(cell.size) for cell in default],
            [cell.peer for cell in default],
            "o-",
            color="#999",
            label="google-adk",
        )
        for variant, colour in ((DEFAULT, "#1b7f5c"), (RECENCY, "#0b3d91")):
            rows = [cell for cell in of_kind if cell.variant == variant]
            label = "mongorecall" if variant == DEFAULT else "mongorecall, recency_index"
            axis.plot(
                [int(cell.size) for cell in rows],
                [cell.ours for cell in rows],
                "o-",
                color=colour,
                label=label,
            )
        axis.set(title=kind, xscale="log", yscale="log", xlabel="turns", ylabel="ms")
        axis.grid(alpha=0.3)
    for axis in axes.flat[len(kinds) :]:
        axis.set_axis_off()
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower right", frameon=False)
    figure.savefig(path, dpi=110)
