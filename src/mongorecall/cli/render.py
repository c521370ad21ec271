"""How memories, hits and misses look in a terminal."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mongorecall._checks import UNKNOWN_SESSION_ID

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from mongorecall.analysis import Analyzer
    from mongorecall.cli.asking import Answer
    from mongorecall.models import IngestReport, MemoryEntry

_WORD = re.compile(r"\w+")
MANY_TURNS = 500
"""A rate is printed from here on; before, it is the time of the first connection that is measured."""
WIDE = 108
"""Columns of a terminal from which a hit stands on one line."""
_BAR = 8
"""Columns of the bar of a score."""

DEAD = {
    "stop_word": "stop words: too common to tell turns apart",
    "no_word_characters": "no letters or digits",
    "over_cap": "beyond the number of words that are looked for",
}
"""Why a token of a query can match nothing."""

MISS = {
    "no_searchable_words": "No word of this query can match: every one is a stop word or has no letters.",
    "nothing_stored": "Nothing is remembered for this app and user.",
    "no_shared_keyword": "Memories are there, but none shares a word with this query.",
    "malformed": "Memories match, but none of the stored documents can be read.",
    "filtered": "Memories match, but the filters of this search leave all of them out.",
}
"""Why a search came back empty."""


def show_answer(console: Console, answer: Answer, analyzer: Analyzer, *, shown: int | None = None) -> None:
    """The keywords, the hits with score, time and matched words, how long it took, and what was lacking."""
    response = answer.response
    console.print(_keywords(response.query_keywords))
    if response.memories:
        hits = _hits(response.memories[:shown], analyzer, wide=console.width >= WIDE)
        console.print(Padding(hits, (0, 0, 0, 2)))
    console.print(_footer(answer, shown))
    if response.reason is not None:
        _show_miss(console, answer)
    elif not response.more:
        _show_words(console, "in no hit", answer.in_no_hit)


def _show_miss(console: Console, answer: Answer) -> None:
    reason = answer.response.reason
    if reason is not None:
        console.print(Text.assemble(("  ✗ ", "bad"), MISS[reason]))
    if reason in ("no_searchable_words", "no_shared_keyword"):
        for why, explained in DEAD.items():
            _show_words(console, explained, [fate.raw for fate in answer.fates if fate.reason == why])
    for keyword in answer.near:
        close = [f"{near.keyword} ({near.kind})" for near in keyword.near]
        _show_words(console, f"stored, and close to {keyword.keyword}:", close)


def _show_words(console: Console, what: str, words: list[str], most: int = 8) -> None:
    if words:
        line = Text(f"  {what}  ", "dim") + Text(" ").join(Text(word, "warn") for word in words[:most])
        console.print(line + Text(" …" if len(words) > most else "", "dim"))


def _keywords(keywords: list[str], most: int = 12) -> Text:
    line = Text("  keywords  ", "dim")
    if not keywords:
        return line + Text("none", "warn")
    line.append(Text(" · ", "dim").join(Text(one, "keyword") for one in keywords[:most]))
    if len(keywords) > most:
        line.append(f" and {len(keywords) - most} more", "dim")
    return line


def _hits(memories: list[MemoryEntry], analyzer: Analyzer, *, wide: bool) -> Table:
    best = max(memory.score or 0 for memory in memories) or 1
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right", style="dim")
    table.add_column(no_wrap=True)
    if wide:
        table.add_column(no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for rank, memory in enumerate(memories, 1):
        bar = score_bar(memory.score or 0, best)
        said = Text(f"{short_time(memory.timestamp)}  {memory.author or ''}", "dim")
        text = marked(one_line(memory.content.text), memory.matched_keywords, analyzer)
        if memory.lent_keywords and not memory.matched_keywords:
            text.append(f"  near {', '.join(sorted({lent.keyword for lent in memory.lent_keywords}))}", "dim")
        table.add_row(str(rank), bar, *((said, text) if wide else (said + Text("\n") + text,)))
    return table


def _footer(answer: Answer, shown: int | None) -> Text:
    response = answer.response
    count = len(response.memories)
    line = Text(f"  {count} {'hit' if count == 1 else 'hits'}")
    if response.more:
        line.append(" and more")
    if shown is not None and count > shown:
        line.append(f", the best {shown} shown")
    if response.skipped:
        line.append(f", {response.skipped} unreadable left out", "warn")
    return line + Text(f" in {answer.elapsed_ms:.1f} ms", "dim")


def score_bar(score: float, best: float) -> Text:
    """A score as a bar and a number, the best score being a full bar."""
    filled = max(1, round(_BAR * score / best)) if score > 0 else 0
    number = f"{score:.0f}" if float(score).is_integer() else f"{score:.2f}"
    return Text("━" * filled, "score") + Text("━" * (_BAR - filled), "dim") + Text(f" {number:>5}", "score")


def short_time(timestamp: str | None) -> str:
    """A time as people write it, in UTC."""
    if timestamp is None:
        return "unknown time"
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError:
        return timestamp
    return f"{moment:%a} {moment.day} {moment:%b %Y %H:%M}"


def one_line(text: str, most: int = 200) -> str:
    """Text without line breaks, cut to a readable length."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"


def marked(text: str, keywords: Iterable[str], analyzer: Analyzer) -> Text:
    """The text with the words that matched in another style."""
    wanted = frozenset(keywords)
    result = Text(text)
    for word in _WORD.finditer(text):
        if wanted.isdisjoint(analyzer.keywords(word.group(), cap=1000).keywords):
            continue
        inside = [(word.start() + at, word.start() + end) for at, end in _places(word.group(), wanted)]
        for start, end in inside or [word.span()]:
            result.stylize("hit", start, end)
    return result


def _places(word: str, wanted: frozenset[str]) -> list[tuple[int, int]]:
    """Where keywords stand inside a run of a script without spaces; nowhere for a word with spaces around."""
    if word.isascii() or len(word.lower()) != len(word):
        return []
    lower = word.lower()
    return [(at.start(), at.end()) for one in wanted if one for at in re.finditer(re.escape(one), lower)]


def show_report(console: Console, report: IngestReport, *, elapsed_ms: float) -> None:
    """What became of the events of a file, one line for each outcome."""
    counts: list[tuple[str, int, str]] = [
        ("stored", report.stored, "good"),
        ("replaced", report.replaced, "good"),
        ("unchanged", report.unchanged, "dim"),
        ("erased", report.erased, "warn"),
        *((f"skipped: {SKIPPED[reason]}", count, "dim") for reason, count in report.skipped.items()),
        ("could not be stored", len(report.failed), "bad"),
    ]
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right")
    table.add_column()
    for name, count, style in counts:
        if count:
            table.add_row(Text(f"{count:,}", style), Text(name, style))
    console.print(Padding(table, (0, 0, 0, 2)))
    for failed in report.failed[:5]:
        console.print(Text(f"    event {failed.event_id or failed.index}: {failed.reason}", "bad"))
    line = f"  {report.received:,} turns in {elapsed_ms:,.0f} ms"
    if report.received >= MANY_TURNS:
        line += f", {report.received / elapsed_ms * 1000:,.0f} a second"
    console.print(Text(line, "dim"))


SKIPPED = {
    "no_content": "no content",
    "no_text": "no text, such as a tool call or an image",
    "thought_only": "only a thought",
    "partial": "a streaming chunk",
    "stop_words_only": "only stop words",
    "forgotten": "forgotten before, and stays so",
}
"""Why an event was not stored."""


def merge(total: IngestReport, part: IngestReport) -> IngestReport:
    """The sum of two reports."""
    skipped = dict(total.skipped)
    for reason, count in part.skipped.items():
        skipped[reason] = skipped.get(reason, 0) + count
    sums = ("received", "stored", "replaced", "unchanged", "erased", "repaired")
    return total.model_copy(
        update={
            **{name: getattr(total, name) + getattr(part, name) for name in sums},
            "skipped": skipped,
            "failed": [*total.failed, *part.failed],
            "truncated": [*total.truncated, *part.truncated],
        }
    )


def memory_as_json(memory: MemoryEntry) -> dict[str, Any]:
    """A memory as it is printed for programs."""
    return memory.model_dump(mode="json", exclude_none=True)


def session_name(session_id: str | None) -> str:
    """A session id for people."""
    return "(no session)" if session_id in (None, UNKNOWN_SESSION_ID) else str(session_id)
