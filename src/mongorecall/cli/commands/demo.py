"""``mongorecall demo``: conversations remembered and recalled on a real MongoDB, in one terminal page."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Any

import typer
from pymongo import MongoClient
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from mongorecall import MongoDbMemoryService
from mongorecall.cli import render
from mongorecall.cli._server import RunningServer, running_server
from mongorecall.cli.asking import Answer, ask
from mongorecall.cli.command import START, Context, command
from mongorecall.cli.ingesting import Ingested, ingest_file
from mongorecall.models import Session
from mongorecall.settings import RECOMMENDED, Settings

SHOWN = 3
"""Hits printed for each question."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a user asks in a new session; ``note`` says what there is to see."""

    app_name: str
    user_id: str
    text: str
    note: str = ""
    session_id: str | None = None
    """The session that asks, when it is stored too: it is not searched."""


APP = "concierge"
QUESTIONS = (
    Question(APP, "u-42", "Which coffee do I usually get?", "two months and four sessions later"),
    Question(APP, "u-42", "When does my passport expire?", "expire and expires: forms of one word"),
    Question(APP, "u-42", "where is the decision on kiln cloud dev?", "kiln-cloud-dev, written apart"),
    Question(APP, "u-7", "Wo ist der Ersatzschluessel fürs Büro?", "German, umlauts or not"),
    Question(APP, "u-81", "京都への出張はいつ？", "Japanese, written without spaces"),
    Question(APP, "u-15", "¿Cuál es mi cafe favorito?", "Spanish, accents left out"),
    Question(APP, "u-23", "我对什么过敏？", "Chinese"),
    Question(APP, "u-64", "고양이 이름이 뭐였지?", "Korean, another particle on the noun"),
    Question(APP, "u-90", "هل أحب الشاي بالسكر؟", "Arabic"),
    Question(APP, "u-42", "What is it, then?", "a miss: nothing to look for"),
    Question(
        APP, "u-42", "Which locker is my parcel in?", "half a miss: the locker stands in a tool result only"
    ),
    Question(APP, "u-7", "flat white", "a miss: said by another user"),
    Question(APP, "u-42", "Lisban", "a miss: one letter off"),
    Question(APP, "u-42", "favourite wine", "a miss in part: one word is known, the other is not"),
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, panel=START, base=RECOMMENDED)(demo)


async def demo(
    context: Context,
    *,
    file: Annotated[
        Path | None, typer.Argument(help="Your own conversations, as for `mongorecall ingest`.")
    ] = None,
    ask: Annotated[
        list[str] | None, typer.Option("--ask", "-q", help="A question of yours; may be repeated.")
    ] = None,
    app_name: Annotated[
        str | None, typer.Option("--app", "-a", help="App name for turns without one.")
    ] = None,
    user_id: Annotated[
        str | None, typer.Option("--user", "-u", help="Who asks; the first user if left out.")
    ] = None,
) -> None:
    """Remember sample conversations and recall them from new sessions, on a real MongoDB.

    The server is MONGORECALL_URI, else a mongod that ends with the demonstration, else Docker. What is
    stored is removed afterwards, unless --database says where it may stay.

    Example: mongorecall demo my-sessions.jsonl --ask "what did we decide?"
    """
    with running_server(context.settings) as server, _Database(server.settings) as settings:
        async with MongoDbMemoryService(**settings.service_options()) as service:
            stage = _Stage(context, service)
            stage.open(server)
            done = await stage.remember(file, app_name, user_id)
            questions = tuple(_questions(done, file, ask or (), app_name, user_id))
            answers = [await stage.recall(question) for question in questions]
    stage.close(server, questions, answers)


class _Database:
    """A database for the demonstration: the one that was asked for, or a new one that is dropped."""

    def __init__(self, settings: Settings) -> None:
        self._own = settings.database == Settings().database
        name = f"mongorecall_demo_{secrets.token_hex(4)}" if self._own else settings.database
        self._settings = settings.with_changes(database=name)

    def __enter__(self) -> Settings:
        return self._settings

    def __exit__(self, *_: object) -> None:
        if self._own:
            client: MongoClient[dict[str, Any]] = MongoClient(self._settings.uri)
            with client:
                client.drop_database(self._settings.database)


def _questions(
    done: Ingested, file: Path | None, asked: Sequence[str], app_name: str | None, user_id: str | None
) -> Iterator[Question]:
    """The caller's questions; else ours for our file; else how each user's newest session began."""
    if asked:
        scopes = sorted(done.newest)
        chosen = next((s for s in scopes if user_id in (None, s[1]) and app_name in (None, s[0])), None)
        if chosen is not None:
            yield from (Question(*chosen, text) for text in asked)
    elif file is None:
        yield from QUESTIONS
    else:
        for session in list(done.newest.values())[:5]:
            yield from _opening(session)


def _opening(session: Session) -> Iterator[Question]:
    """The first turn of a session, asked of the sessions before it."""
    text = next((event.content.text for event in session.events if event.content and event.content.text), "")
    if text:
        note = f"how session {session.id} began, asked of the others"
        yield Question(session.app_name, session.user_id, text, note, session.id)


class _Stage:
    """Prints the acts of the demonstration, or collects them for ``--json``."""

    def __init__(self, context: Context, service: MongoDbMemoryService) -> None:
        self._context = context
        self._console = context.console
        self._service = service
        self._quiet = context.json

    def open(self, server: RunningServer) -> None:
        """The title, and what this runs on."""
        if self._quiet:
            return
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_row(Text("server", "dim"), f"MongoDB {server.version}, {server.shown}")
        table.add_row(Text("driver", "dim"), server.settings.driver)
        options = f"analyzer {server.settings.analyzer}, ranking {server.settings.ranking}"
        table.add_row(Text("options", "dim"), options)
        self._console.print()
        self._console.print(
            Text("  mongorecall", "bold") + Text("  what was said before, found again", "dim")
        )
        self._console.print()
        self._console.print(Padding(table, (0, 0, 0, 2)))

    async def remember(self, file: Path | None, app_name: str | None, user_id: str | None) -> Ingested:
        """Store the conversations, and say what became of them."""
        began = time.perf_counter()
        with as_file(files("mongorecall.cli") / "conversations.jsonl") as sample:
            done = await ingest_file(
                self._service,
                file or sample,
                console=self._context.errors,
                app_name=app_name or "demo",
                user_id=user_id or "you",
            )
        elapsed_ms = (time.perf_counter() - began) * 1000
        if not self._quiet:
            self._heading(f"Remembering {done.sessions} sessions of {len(done.users)} users")
            render.show_report(self._console, done.report, elapsed_ms=elapsed_ms)
            self._heading("Recalling, each from a new session")
        return done

    async def recall(self, question: Question) -> Answer:
        """Ask one question, and print what came back."""
        answer = await ask(
            self._service,
            app_name=question.app_name,
            user_id=question.user_id,
            query=question.text,
            exclude_session_id=question.session_id,
        )
        if not self._quiet:
            self._show(question, answer)
        return answer

    def _show(self, question: Question, answer: Answer) -> None:
        self._console.print()
        line = Text(f"{question.user_id} ", "dim") + Text("› ", "keyword")
        line.append(render.one_line(question.text, 100), "query")
        if question.note:
            line.append(f"   {question.note}", "dim")
        self._console.print(line)
        render.show_answer(self._console, answer, self._service.analyzer, shown=SHOWN)

    def _heading(self, text: str) -> None:
        self._console.print()
        self._console.print(Rule(Text(text, "bold"), align="left"))

    def close(self, server: RunningServer, questions: Sequence[Question], answers: Sequence[Answer]) -> None:
        """The figures, and what to try next."""
        if self._quiet:
            self._context.emit(_as_json(server, questions, answers))
            return
        times = sorted(answer.elapsed_ms for answer in answers)
        found = sum(bool(answer.response.memories) for answer in answers)
        self._heading(f"{found} of {len(answers)} questions found something")
        if times:
            median = times[len(times) // 2]
            self._console.print(f"  [dim]median {median:.1f} ms, slowest {times[-1]:.1f} ms[/]")
        self._console.print()
        for what, how in NEXT:
            self._console.print(Text.assemble((f"  {what:<24}", "dim"), f"{_program()} {how}"))
        self._console.print()


NEXT = (
    ("your conversations", 'demo FILE --ask "what did we decide?"'),
    ("keep them", "ingest FILE, with MONGORECALL_URI set"),
    ("ask", "search QUERY --app APP --user USER"),
    ("why was nothing found?", "diagnose QUERY --app APP --user USER"),
    ("in a browser", "serve"),
)
"""What to try after the demonstration."""


def _program() -> str:
    """The command as it can be typed here: by its path when it is not on ``PATH``."""
    called = Path(sys.argv[0])
    if called.name != "mongorecall" or shutil.which("mongorecall"):
        return "mongorecall"
    return os.path.relpath(called)


def _as_json(
    server: RunningServer, questions: Sequence[Question], answers: Sequence[Answer]
) -> dict[str, Any]:
    asked = zip(questions, answers, strict=True)
    return {
        "server": {"kind": server.kind, "version": server.version},
        "questions": [
            {"app": one.app_name, "user": one.user_id, "query": one.text} | answer.to_dict()
            for one, answer in asked
        ],
    }
