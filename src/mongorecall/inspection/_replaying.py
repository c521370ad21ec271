"""`replay`: a failed conversation, from a file, walked through the four checks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mongorecall.errors import InvalidInputError
from mongorecall.inspection._diagnosing import diagnose
from mongorecall.inspection._trace_log import TraceLog, read_trace

if TYPE_CHECKING:
    from mongorecall.base import BaseMemoryService
    from mongorecall.inspection._reports import Cause, Diagnosis

Source = Literal["session", "queries", "trace"]
"""A session as JSON · one query a line as JSON · a log with memory lines."""

MOST_QUERIES = 200
"""Queries of one file that are replayed; the rest is counted in ``left_out``."""

_MEMORY_TOOLS = frozenset({"load_memory", "loadMemory", "preload_memory", "search_memory"})
_APP, _USER = ("app_name", "appName", "app"), ("user_id", "userId", "user")


@dataclass(frozen=True, slots=True)
class Question:
    """One query to replay. App and user are the caller's where the file does not say."""

    query: str = field(repr=False)
    app_name: str | None = None
    user_id: str | None = None
    expect: str | None = None


@dataclass(frozen=True, slots=True)
class Replayed:
    """One query and its diagnosis."""

    query: str = field(repr=False)
    diagnosis: Diagnosis


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """What a replay found.

    Attributes:
        source: what kind of file it was.
        queries: each query with its diagnosis, in order; the same query under one key only once.
        findings: what the file proves by itself, such as a model that never asked.
        left_out: queries beyond `MOST_QUERIES`.
    """

    source: Source
    queries: tuple[Replayed, ...]
    findings: tuple[str, ...] = ()
    left_out: int = 0

    @property
    def ok(self) -> bool:
        """Whether every search works and the file shows nothing wrong."""
        return not self.findings and not self.causes

    @property
    def causes(self) -> dict[Cause, int]:
        """How many queries miss by each cause, most frequent first."""
        causes = Counter(one.diagnosis.cause for one in self.queries if one.diagnosis.cause is not None)
        return dict(causes.most_common())

    def to_dict(self) -> dict[str, Any]:
        """As JSON-ready values."""
        return {
            "source": self.source,
            "ok": self.ok,
            "causes": dict(self.causes),
            "findings": list(self.findings),
            "left_out": self.left_out,
            "queries": [{"text": one.query, **one.diagnosis.to_dict()} for one in self.queries],
        }


async def replay(
    service: BaseMemoryService,
    file: Path | str | Iterable[str],
    *,
    app_name: str | None = None,
    user_id: str | None = None,
    allow_key_listing: bool = False,
) -> ReplayReport:
    """Diagnose every question that a conversation asked of memory.

    Args:
        service: where the memories are.
        file: a path, or lines. A session in google-adk's JSON: its ``load_memory`` calls are replayed,
            or, when the model never called, the user's own turns. JSON Lines of ``{"query", "app_name",
            "user_id", "expect"}``. A log with memory lines: its keys are compared, and its queries are
            replayed where it holds them.
        app_name: for queries that do not name their app.
        user_id: for queries that do not name their user.
        allow_key_listing: as for `diagnose`.

    Raises:
        InvalidInputError: nothing in it can be replayed, or a query lacks app or user.
        OSError: the path cannot be read.
    """
    lines = _lines(file)
    source, questions, findings = _read(lines)
    asked = list(dict.fromkeys(questions))
    if not asked and not findings:
        raise InvalidInputError("there is nothing to replay: no session, no query and no memory line")
    replayed = []
    for question in asked[:MOST_QUERIES]:
        app, user = question.app_name or app_name, question.user_id or user_id
        if app is None or user is None:
            raise InvalidInputError("a query names no app or user", hint="pass app_name and user_id")
        diagnosis = await diagnose(
            service,
            app_name=app,
            user_id=user,
            query=question.query,
            expect=question.expect,
            allow_key_listing=allow_key_listing,
        )
        replayed.append(Replayed(question.query, diagnosis))
    return ReplayReport(source, tuple(replayed), tuple(findings), max(0, len(asked) - MOST_QUERIES))


def _lines(file: Path | str | Iterable[str]) -> list[str]:
    if isinstance(file, str | Path):
        return Path(file).read_text(encoding="utf-8").splitlines()
    return list(file)


def _read(lines: Sequence[str]) -> tuple[Source, list[Question], list[str]]:
    records = _records(lines)
    if records is None:
        log = read_trace(lines)
        return "trace", list(_of_trace(log)), list(log.findings())
    sessions = [record for record in records if "events" in record]
    if not sessions:
        return "queries", [_of_record(record) for record in records], []
    questions: list[Question] = []
    findings: list[str] = []
    for session in sessions:
        asked = [_question(session, query) for query in _tool_queries(session)]
        if not asked:
            findings.append(
                f"session {session.get('id')}: the model never called load_memory; the user's turns are "
                "replayed instead. Give the agent the tool and an instruction to use it."
            )
            asked = [_question(session, text) for text in _user_texts(session)]
        questions += asked
    return "session", questions, findings


def _records(lines: Sequence[str]) -> list[Mapping[str, Any]] | None:
    """JSON records: of the whole file, or one a line; None when it is no JSON."""
    try:
        found = json.loads("\n".join(lines))
    except ValueError:
        try:
            found = [json.loads(line) for line in lines if line.strip()]
        except ValueError:
            return None
    records = found if isinstance(found, list) else [found]
    return records if all(isinstance(record, Mapping) for record in records) else None


def _of_trace(log: TraceLog) -> Iterator[Question]:
    for search in log.searches:
        if search.query is not None:
            app, _, user = search.key.partition("/")
            yield Question(search.query, app or None, user or None)


def _of_record(record: Mapping[str, Any]) -> Question:
    query = record.get("query", record.get("q"))
    if not isinstance(query, str):
        raise InvalidInputError("a record is neither a session nor a query: it has no events and no query")
    return Question(query, _first(record, _APP), _first(record, _USER), _first(record, ("expect",)))


def _question(session: Mapping[str, Any], query: str) -> Question:
    return Question(query, _first(session, _APP), _first(session, _USER))


def _first(record: Mapping[str, Any], names: Sequence[str]) -> str | None:
    return next((record[name] for name in names if isinstance(record.get(name), str)), None)


def _tool_queries(session: Mapping[str, Any]) -> Iterator[str]:
    """The queries of the session's calls of a memory tool."""
    for _, part in _parts(session):
        call = part.get("function_call") or part.get("functionCall")
        if isinstance(call, Mapping) and call.get("name") in _MEMORY_TOOLS:
            arguments = call.get("args")
            query = arguments.get("query") if isinstance(arguments, Mapping) else None
            if isinstance(query, str):
                yield query


def _user_texts(session: Mapping[str, Any]) -> Iterator[str]:
    for author, part in _parts(session):
        text = part.get("text")
        if author == "user" and isinstance(text, str) and text.strip():
            yield text


def _parts(session: Mapping[str, Any]) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    events = session.get("events")
    for event in events if isinstance(events, list) else ():
        content = event.get("content") if isinstance(event, Mapping) else None
        parts = content.get("parts") if isinstance(content, Mapping) else None
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, Mapping):
                yield event.get("author"), part
