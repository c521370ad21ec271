"""What it costs that newer writes win: bulks that carry revisions, and the same bulks without."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from random import Random
from statistics import median
from typing import Any

from bson.int64 import Int64
from pymongo import AsyncMongoClient, InsertOne, ReplaceOne, UpdateOne
from pymongo.asynchronous.collection import AsyncCollection

from mongorecall._documents import replace_older
from tests.benchmarks.bars import bar
from tests.benchmarks.corpus import RECALL_INDEX, document
from tests.benchmarks.measuring import DEFAULT, Cell, interleave

BATCH = 100
ROUNDS = 40

Collection = AsyncCollection[dict[str, Any]]
Bulk = list[InsertOne[dict[str, Any]] | ReplaceOne[dict[str, Any]] | UpdateOne]


async def ordering(uri: str, database: str) -> AsyncIterator[Cell]:
    """100 new turns, and 100 that changed."""
    async with AsyncMongoClient[dict[str, Any]](uri) as client:
        plain, ordered = client[database]["plain"], client[database]["ordered"]
        for collection in (plain, ordered):
            await collection.create_index(RECALL_INDEX, name="app_user_keywords")
        for kind, bulks in (("new", _inserts), ("changed", _replacements)):
            tasks = [
                (
                    _sending(plain, bulks(number, revised=False)),
                    _sending(ordered, bulks(number, revised=True)),
                )
                for number in range(ROUNDS)
            ]
            result = await interleave(tasks, 1)
            promised = bar("order of writes", str(BATCH), kind, DEFAULT)
            yield Cell(
                "order of writes",
                str(BATCH),
                kind,
                DEFAULT,
                median(result.peer),
                median(result.ours),
                bar=promised,
            )


def _sending(collection: Collection, bulk: Bulk) -> Callable[[], Awaitable[object]]:
    return partial(_send, collection, bulk)


async def _send(collection: Collection, bulk: Bulk) -> None:
    await collection.bulk_write(bulk, ordered=False)


def _rows(number: int, *, user: str, revised: bool) -> Sequence[dict[str, Any]]:
    random = Random(number)
    rows = [document(random, place, user) for place in range(BATCH)]
    return [{**row, "mr": {"v": 1, "rev": Int64(number)}} for row in rows] if revised else rows


def _inserts(number: int, *, revised: bool) -> Bulk:
    return [InsertOne(row) for row in _rows(number, user=f"user-{number}", revised=revised)]


def _replacements(number: int, *, revised: bool) -> Bulk:
    rows = _rows(number, user="user-0", revised=revised)
    if not revised:
        return [ReplaceOne({"_id": row["_id"]}, row) for row in rows]
    return [UpdateOne({"_id": row["_id"]}, replace_older(row, number)) for row in rows]
