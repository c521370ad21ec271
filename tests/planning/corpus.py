"""Random scopes full of what real collections hold: few words, equal and odd times, strings for lists."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from bson.decimal128 import Decimal128
from bson.int64 import Int64

from mongorecall.models import MemoryScope

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)

SCOPE = MemoryScope(app_name="support", user_id="u-42")
NEIGHBOURS = (
    MemoryScope(app_name="support", user_id="u-43"),
    MemoryScope(app_name="support2", user_id="u-42"),
)

MISSING = object()
ODD_TIMES: tuple[Any, ...] = (
    MISSING,
    None,
    "yesterday",
    float("nan"),
    float("inf"),
    -1.5,
    True,
    Int64(1_700_000_000),
    1_700_000_000,
    1_700_000_000.0,
    Decimal128("1700000000"),
    datetime(2025, 1, 1, tzinfo=UTC),
    {"seconds": 1},
)


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents of a collection, and the words in them."""

    words: tuple[str, ...]
    documents: list[dict[str, Any]]


def corpus(random: Random) -> Corpus:
    """Up to 260 turns of one scope, some of its neighbours, markers and expired turns among them."""
    words = tuple(f"w{number}" for number in range(random.choice((3, 8, 30, 150))))
    odd = random.choice((0.0, 0.05, 0.6))
    times = random.choice((1, 4, 40, 10_000))
    documents = []
    for number in range(random.choice((0, 1, 7, 60, 260))):
        scope = SCOPE if random.random() < 0.9 else random.choice(NEIGHBOURS)
        documents.append(_document(random, scope, number, words, odd, times))
    return Corpus(words, documents)


def _document(
    random: Random, scope: MemoryScope, number: int, words: tuple[str, ...], odd: float, times: int
) -> dict[str, Any]:
    identity = {
        "app_name": scope.app_name,
        "user_id": scope.user_id,
        "session_id": f"s{random.randrange(6)}",
        "event_id": f"e{random.randrange(10**6)}-{number}",
    }
    if random.random() < 0.04:
        kind = random.choice(("forgotten", "erased"))
        ids = {name: identity[name] for name in ("app_name", "user_id", "session_id")}
        return {"_id": identity, **ids, "mr": {"v": 1, "rev": Int64(7), kind: True}}
    document: dict[str, Any] = {
        "_id": identity,
        "app_name": scope.app_name,
        "user_id": scope.user_id,
        "session_id": identity["session_id"],
        "author": random.choice(("user", "agent")),
        "keywords": _keywords(random, words, odd),
        "content": {"parts": [{"text": f"turn {number}"}], "role": "user"},
    }
    time = random.choice(ODD_TIMES) if random.random() < odd else 1_700_000_000.0 + random.randrange(times)
    if time is not MISSING:
        document["timestamp"] = time
    if random.random() < 0.3:
        document["mr"] = {"v": 1, "rev": Int64(number), **_expiry(random)}
    return document


def _keywords(random: Random, words: tuple[str, ...], odd: float) -> Any:
    if random.random() < odd:
        return random.choice((random.choice(words), "", None, 7, [], [None, 3, words[0]], [[words[0]]]))
    steepness = random.choice((1.0, 3.0))
    size = random.randrange(1, 26)
    found = {words[int(len(words) * random.random() ** steepness)] for _ in range(size)}
    return sorted(found) + ([words[0]] if random.random() < odd else [])


def _expiry(random: Random) -> dict[str, Any]:
    if random.random() < 0.5:
        return {}
    away = random.choice((-1, 0, 1)) * timedelta(hours=1)
    return {"expires_at": random.choice((NOW + away, NOW + away, None, "soon", 5))}
