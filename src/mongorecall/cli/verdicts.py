"""How a diagnosis, an explanation and a replay look in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mongorecall.cli.render import DEAD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from mongorecall.inspection import (
        Check,
        Diagnosis,
        ExpectedFate,
        KeywordCount,
        QueryExplanation,
        ReplayReport,
        SearchExplanation,
    )
    from mongorecall.models import ScorePart

_MARKS = {True: ("✓", "good"), False: ("✗", "bad"), None: ("–", "dim")}


def show_diagnosis(console: Console, diagnosis: Diagnosis) -> None:
    """The cause, the four checks, what became of the expected event, and the next step."""
    _headline(console, diagnosis)
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for check in diagnosis.checks:
        mark, style = _MARKS[check.ok]
        table.add_row(
            Text(mark, style), Text(check.name, "" if check.ok is not False else style), _said(check)
        )
    console.print(Padding(table, (0, 0, 0, 2)))
    if diagnosis.expected is not None:
        _show_expected(console, diagnosis.expected)
    for sentence in diagnosis.advice:
        console.print(Padding(Text.assemble(("note  ", "warn"), sentence), (0, 0, 0, 2)))
    if diagnosis.next_step:
        console.print(Padding(Text.assemble(("next  ", "query"), diagnosis.next_step), (0, 0, 0, 2)))


def _headline(console: Console, diagnosis: Diagnosis) -> None:
    line = Text.assemble("  ", (diagnosis.key, "query"), "  ")
    if diagnosis.cause is None:
        memories = "1 memory" if diagnosis.hits == 1 else f"{diagnosis.hits} memories"
        console.print(line + Text(f"the search works: {memories}", "good"))
    else:
        console.print(line + Text(diagnosis.cause, "bad"))


def _said(check: Check) -> Text:
    """The verdict, and below it the evidence that helps at a glance."""
    said = Text(check.verdict)
    keys = check.evidence.get("near_keys", ())
    for key in keys if len(keys) > 1 else ():
        shared = f", {key['matching']} share a keyword" if key["matching"] else ""
        said.append(f"\n{key['key']}", "warn")
        said.append(f"  {key['memories']} memories{shared} ({key['difference']})", "dim")
    if check.ok is not False:
        return said
    for word in check.evidence.get("keywords", ()):
        near = ", ".join(f"{near['keyword']} ({near['kind']})" for near in word["near"])
        said.append(f"\n{word['keyword']}", "keyword").append(f"  in {word['df']} memories", "dim")
        said.append(f", near: {near}" if near else "", "warn")
    for event in check.evidence.get("outside_text", ()):
        said.append(f"\n{' '.join(event['keywords'])}", "keyword").append(
            f"  in event {event['event_id']}", "dim"
        )
    return said


def _show_expected(console: Console, expected: ExpectedFate) -> None:
    line = Text.assemble(("event ", "dim"), expected.event_id, f"  {expected.stage}")
    if expected.score is not None:
        line.append(f"  score {expected.score:g}", "score")
    if expected.last_score is not None and not expected.found:
        line.append(f", the last on the page has {expected.last_score:g}", "dim")
    for word, near in expected.near:
        line.append(f"\n{word}", "keyword").append(f" nearly met {near.keyword} ({near.kind})", "warn")
    console.print(Padding(line, (0, 0, 0, 2)))


def show_reading(
    console: Console, reading: QueryExplanation, counts: tuple[KeywordCount, ...] | None = None
) -> None:
    """The fate of each token, and with ``counts`` what it meets in the store."""
    found = {count.keyword: count for count in counts or ()}
    table = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(3):
        table.add_column(overflow="fold")
    for token in reading.tokens:
        if token.reason is not None:
            table.add_row(Text(token.raw, "warn"), Text("dead", "bad"), Text(DEAD[token.reason], "dim"))
            continue
        for place, word in enumerate(token.keywords):
            raw = Text(token.raw if not place else "")
            table.add_row(raw, Text(word, "keyword"), _met(found.get(word)))
    console.print(Text(f"  read by {reading.analyzer}", "dim"))
    console.print(Padding(table, (0, 0, 0, 2)))


def _met(count: KeywordCount | None) -> Text:
    if count is None or count.df is None:
        return Text("")
    met = Text("in 1 memory" if count.df == 1 else f"in {count.df} memories", "dim" if count.df else "warn")
    if count.near:
        met.append(", near: " + ", ".join(f"{near.keyword} ({near.kind})" for near in count.near), "warn")
    return met


def show_search_explanation(console: Console, explained: SearchExplanation) -> None:
    """The reading with counts, the hits without their text, the cut line and the expected event."""
    show_reading(console, explained.query, explained.keywords)
    table = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(4):
        table.add_column(overflow="fold")
    for hit in explained.hits:
        score = "" if hit.score is None else f"{hit.score:g}"
        table.add_row(
            Text(str(hit.rank), "dim"),
            Text(score, "score"),
            Text(f"{hit.session_id or '(no session)'} / {hit.event_id}"),
            score_parts(hit.score_parts) or Text(" · ".join(hit.matched_keywords), "keyword"),
        )
    if explained.hits:
        console.print(Padding(table, (0, 0, 0, 2)))
        if explained.more:
            console.print(Text("  ── more below the limit ──", "dim"))
    else:
        console.print(Text(f"  ✗ no hit: {explained.reason}", "bad"))
    if explained.expected is not None:
        _show_expected(console, explained.expected)


def score_parts(parts: Sequence[ScorePart]) -> Text:
    """The sum that is a score, as ``kiln 3.1 + glaze 0.9 (1 turn before) − question 0.8``."""
    line = Text()
    for part in parts:
        sign = "−" if part.contribution < 0 else "+" if line else ""
        line.append(f"{' ' if line else ''}{sign}{' ' if sign and line else ''}", "dim")
        line.append(part.keyword or _FACTORS[part.kind], "keyword" if part.keyword else "dim")
        line.append(f" {abs(part.contribution):.3g}", "score")
        if part.distance is not None:
            turns = "turn" if abs(part.distance) == 1 else "turns"
            line.append(
                f" ({abs(part.distance)} {turns} {'before' if part.distance < 0 else 'after'})", "dim"
            )
    return line


_FACTORS = {"named_author": "named author", "question": "question", "ceiling": "ceiling"}


def show_replay(console: Console, report: ReplayReport) -> None:
    """What the file shows by itself, then each query with its diagnosis."""
    for finding in report.findings:
        console.print(Text("  ✗ ", "bad") + Text(finding))
    for one in report.queries:
        console.print(Text("\n  ") + Text(one.query, "query"))
        show_diagnosis(console, one.diagnosis)
    causes = ", ".join(f"{cause} {count}" for cause, count in report.causes.items()) or "every search works"
    left = f", {report.left_out} left out" if report.left_out else ""
    queries = "1 query" if len(report.queries) == 1 else f"{len(report.queries)} queries"
    console.print(Text(f"\n  {queries}{left}: {causes}", "dim"))
