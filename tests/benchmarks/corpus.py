"""Histories of made-up words with the frequencies of speech, and the queries asked of them."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from itertools import accumulate
from random import Random
from typing import Any

import bson
from bson.raw_bson import RawBSONDocument
from pymongo.database import Database

APP = "bench"
USER = "u"
WORDS_A_TURN = 25
TURNS_A_SESSION = 50
USERS = 10_000
TURNS_A_USER = 100
VOCABULARY = 20_000
COMMON = 40

RECALL_INDEX = [("app_name", 1), ("user_id", 1), ("keywords", 1)]
RECENCY_INDEX = [*RECALL_INDEX, ("timestamp", -1)]
RECALL_COLLECTION, RECENCY_COLLECTION = "memories", "memories_recency"

MULTI = "10000x100"
KINDS = ("one", "none", "skewed 6", "stop-filtered 6", "six common", "flat 6", "30-word", "stop-filtered 30")


def _vocabulary() -> list[str]:
    random, found = Random(3), dict[str, None]()
    while len(found) < VOCABULARY:
        syllables = (
            random.choice("bcdfghklmnprstvz") + random.choice("aeiou") for _ in range(random.randint(2, 4))
        )
        found["".join(syllables) + random.choice(("", *"nrst"))] = None
    return list(found)


WORDS = _vocabulary()
_WEIGHTS = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))


def words(random: Random, count: int, *, rarer_than: int = 0) -> list[str]:
    """Words drawn by Zipf's law, those above a rank left out."""
    low = _WEIGHTS[rarer_than - 1] if rarer_than else 0.0
    return [WORDS[bisect(_WEIGHTS, random.uniform(low, _WEIGHTS[-1]))] for _ in range(count)]


def queries(kind: str, count: int) -> list[str]:
    """``count`` different queries of one kind; see `KINDS`."""
    made = []
    for number in range(count):
        random = Random(f"{kind}-{number}")
        if kind == "one":
            found = words(random, 1)
        elif kind == "none":
            found = [f"zzz{number}{letter}" for letter in "abc"]
        elif kind == "six common":
            found = random.sample(WORDS[:20], 6)
        elif kind == "flat 6":
            found = random.sample(WORDS[150:250], 6)
        else:
            name, _, size = kind.rpartition(" ")
            size = size if size.isdigit() else "30"
            found = words(random, int(size), rarer_than=COMMON if name == "stop-filtered" else 0)
        made.append(" ".join(found))
    return made


def document(random: Random, number: int, user: str = USER) -> dict[str, Any]:
    """One turn as google-adk stores it; no two of a user have the same time."""
    said = words(random, WORDS_A_TURN)
    session = f"session-{number // TURNS_A_SESSION:07d}"
    ids = {"app_name": APP, "user_id": user, "session_id": session}
    return {
        "_id": {**ids, "event_id": f"event-{number:09d}"},
        **ids,
        "author": "user" if number % 2 else "agent",
        "keywords": sorted(set(said)),
        "content": {"parts": [{"text": " ".join(said)}], "role": "user" if number % 2 else "model"},
        "timestamp": 1.7e9 + number * 7.5 + 0.25,
    }


def _documents(size: str) -> Iterator[dict[str, Any]]:
    random = Random(7)
    if size == MULTI:
        for user in range(USERS):
            yield from (document(random, number, f"user-{user:05d}") for number in range(TURNS_A_USER))
    else:
        yield from (document(random, number) for number in range(int(size)))


def user_of(size: str, number: int) -> str:
    """Whose memories the ``number``-th search asks for."""
    return f"user-{number * 7919 % USERS:05d}" if size == MULTI else USER


def build(database: Database[dict[str, Any]], size: str) -> None:
    """The history in two collections: with the default index, and with the recency index."""
    batch: list[RawBSONDocument] = []

    def flush() -> None:
        for name in (RECALL_COLLECTION, RECENCY_COLLECTION):
            database[name].insert_many(batch, ordered=False)
        batch.clear()

    for row in _documents(size):
        batch.append(RawBSONDocument(bson.encode(row)))
        if len(batch) == 2_000:
            flush()
    if batch:
        flush()
    database[RECALL_COLLECTION].create_index(RECALL_INDEX, name="app_user_keywords")
    database[RECENCY_COLLECTION].create_index(RECENCY_INDEX, name="mongorecall_recency")
