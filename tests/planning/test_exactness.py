"""Whatever is planned, the rows are those of the plain pipeline, in its order."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from bson.codec_options import CodecOptions
from pymongo import ASCENDING, DESCENDING, MongoClient
from pymongo.collection import Collection
from pymongo.errors import BulkWriteError

from mongorecall._planning import Plan, SearchRequest
from mongorecall._planning._plans import Direct
from tests.planning.corpus import Corpus, corpus
from tests.planning.reference import reference
from tests.planning.searches import plans, search

pytestmark = [pytest.mark.timeout(3600)]

RECALL = [("app_name", ASCENDING), ("user_id", ASCENDING), ("keywords", ASCENDING)]
RECENCY = [*RECALL, ("timestamp", DESCENDING)]
SEARCHES_PER_CORPUS = 40

Document = dict[str, Any]


@pytest.fixture(params=["recall", "recency"])
def memories(
    request: pytest.FixtureRequest, admin: MongoClient[Document], database: str
) -> Collection[Document]:
    """An empty collection with one of the two indexes."""
    found: Collection[Document] = admin[database].get_collection("memories", CodecOptions(tz_aware=True))
    found.create_index(RECENCY if request.param == "recency" else RECALL)
    return found


@pytest.fixture
def recency(request: pytest.FixtureRequest) -> bool:
    """Whether it is the recency index."""
    return bool(request.node.callspec.params["memories"] == "recency")


def test_every_plan_gives_the_rows_of_the_plain_pipeline(
    memories: Collection[Document], recency: bool, searches: int, record_property: Any
) -> None:
    """Small vocabularies, equal, missing and odd times, 1 to 120 words, wrong statistics: no difference."""
    ran: Counter[str] = Counter()
    for seed in range(-(-searches // 2 // SEARCHES_PER_CORPUS)):
        random = Random(seed)
        stored = corpus(random)
        fill(memories, stored)
        for _ in range(SEARCHES_PER_CORPUS):
            asked = search(random, stored)
            expected = shown(list(memories.aggregate(reference(asked))), asked)
            for plan in plans(random, asked, stored, recency=recency):
                assert shown(answer(memories, plan), asked) == expected, (seed, plan.describe())
                ran[plan.kind] += 1
            ran["searches"] += 1
    assert ran["banded"] > searches // 20, "bands are planned"
    assert not recency or ran["streamed"] > searches // 20, "streams are planned"
    record_property("plans", dict(ran))
    print(f"\n{dict(ran)}, 0 differences")


def test_documents_that_vanish_meanwhile_change_nothing_else(
    memories: Collection[Document], recency: bool, searches: int
) -> None:
    """The rows that stay are those of the plain pipeline, and the page holds as many as are left for it."""
    for seed in range(max(2, searches // 600)):
        random = Random(1_000_000 + seed)
        stored = corpus(random)
        fill(memories, stored)
        fleeting = {key(row) for row in stored.documents if random.random() < 0.3}
        with vanishing(memories, stored, fleeting):
            for _ in range(SEARCHES_PER_CORPUS // 2):
                asked = search(random, stored)
                everything = [
                    {**stage, "$limit": 1000} if "$limit" in stage else stage for stage in reference(asked)
                ]
                staying = [key(row) for row in memories.aggregate(everything) if key(row) not in fleeting]
                for plan in plans(random, asked, stored, recency=recency):
                    rows = [key(row) for row in answer(memories, plan)]
                    kept = [row for row in rows if row not in fleeting]
                    assert len(set(rows)) == len(rows)
                    assert kept == staying[: len(kept)], (seed, plan.describe())


def fill(memories: Collection[Document], stored: Corpus) -> None:
    """Replace what is in the collection."""
    memories.delete_many({})
    if stored.documents:
        memories.insert_many(stored.documents)


def answer(memories: Collection[Document], plan: Plan) -> list[Document]:
    """What a service does with a plan."""
    rows = plan.settle(list(memories.aggregate(plan.pipeline())))
    if rows is None:
        rows = list(memories.aggregate(Direct(plan.request).pipeline()))
    return [dict(row) for row in rows]


def shown(rows: list[Document], asked: SearchRequest) -> list[str]:
    """Everything of a row that an answer is made of. NaN does not equal itself, but its text does."""
    return [repr((key(row), row["score"], matched(row, asked), rest(row))) for row in rows]


def matched(row: Document, asked: SearchRequest) -> list[str]:
    """The query's keywords that a row has."""
    keywords = row["keywords"]
    return sorted(
        {keywords} if isinstance(keywords, str) else set(asked.keywords).intersection(map(str, keywords))
    )


def rest(row: Document) -> list[Any]:
    """The fields that travel as they are stored."""
    return [row.get(name) for name in ("session_id", "author", "content", "timestamp", "mr")]


def key(row: Document) -> tuple[str, ...]:
    """Its ``_id``."""
    return tuple(row["_id"].values())


class vanishing:  # noqa: N801 - reads as a verb
    """Deletes and stores some documents again and again, in a thread."""

    def __init__(
        self, memories: Collection[Document], stored: Corpus, fleeting: set[tuple[str, ...]]
    ) -> None:
        self._memories = memories
        self._documents = [row for row in stored.documents if key(row) in fleeting]
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _run(self) -> Iterator[None] | None:
        while self._documents and not self._done.wait(0.002):
            self._memories.delete_many({"_id": {"$in": [row["_id"] for row in self._documents]}})
            try:
                self._memories.insert_many(self._documents, ordered=False)
            except BulkWriteError:  # pragma: no cover
                pytest.fail("nobody else writes")
        return None
