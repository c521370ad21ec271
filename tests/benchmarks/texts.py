"""Real text, where there is some: conversations and questions about them, mixed up to any size."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import bson
from bson.raw_bson import RawBSONDocument
from pymongo.database import Database

from mongorecall.analysis import resolve_analyzer
from tests.benchmarks.corpus import (
    APP,
    RECALL_COLLECTION,
    RECALL_INDEX,
    RECENCY_COLLECTION,
    RECENCY_INDEX,
)

REAL_USER = "u"
FOLDER = Path(os.environ.get("MONGORECALL_BENCH_TEXTS", "texts"))
"""Holds ``turns.jsonl`` and ``questions.jsonl``; the section is left out where it does not exist."""


def available() -> bool:
    """Whether there are texts on this machine."""
    return (FOLDER / "turns.jsonl").exists()


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]


def questions(count: int) -> list[str]:
    """Some of the questions, always the same."""
    return [line["query"] for line in Random(5).sample(_lines("questions.jsonl"), count)]


def _documents(size: int) -> Iterator[dict[str, Any]]:
    """Sessions with random ids; a third of the sentences are exchanged, a tenth of the times are shared."""
    random, analyzer = Random(9), resolve_analyzer("classic", None)
    turns = _lines("turns.jsonl")
    sentences = [sentence for turn in turns for sentence in turn["text"].split(". ")]
    session, time = "", 1.6e9
    for number in range(size):
        turn = turns[number % len(turns)]
        if number % 20 == 0:
            session = str(uuid.UUID(int=random.getrandbits(128), version=4))
        if random.random() > 0.1:
            time += 30
        said = turn["text"].split(". ")
        text = ". ".join(random.choice(sentences) if random.random() < 0.3 else part for part in said)
        keywords = analyzer.keywords(text, cap=10_000).keywords
        if keywords:
            ids = {"app_name": APP, "user_id": REAL_USER, "session_id": session}
            yield {
                "_id": {**ids, "event_id": f"{number:07d}"},
                **ids,
                "author": turn["author"],
                "keywords": list(keywords),
                "content": {"parts": [{"text": text}], "role": "user"},
                "timestamp": time,
            }


def build(database: Database[dict[str, Any]], size: str) -> None:
    """One user's history in two collections, as in `corpus.build`."""
    rows = [RawBSONDocument(bson.encode(row)) for row in _documents(int(size))]
    for name in (RECALL_COLLECTION, RECENCY_COLLECTION):
        database[name].insert_many(rows, ordered=False)
    database[RECALL_COLLECTION].create_index(RECALL_INDEX, name="app_user_keywords")
    database[RECENCY_COLLECTION].create_index(RECENCY_INDEX, name="mongorecall_recency")
