"""Two tenants whose ids look alike use everything at once, and never meet."""

from __future__ import annotations

import random
from typing import Any

import pytest

from mongorecall import MongoDbMemoryService
from mongorecall.in_memory import InMemoryMemoryService
from tests.web.support import Web

TENANTS = {"alice/qa": "walnut", "alice": "pecan", "alice qa": "almond", "Alice": "cashew"}
"""User ids that are easily taken for one another, and a word that only this one ever says."""
SESSIONS = ("monday", "qa/monday", "s")
EVENTS = ("e-1", "e-2", "e-3")


def request(random_: random.Random, user: str, word: str) -> tuple[str, dict[str, Any]]:
    """Some call of a tenant about its own word, everybody's words, or somebody else's scope."""
    session, event = random_.choice(SESSIONS), random_.choice(EVENTS)
    turn = {"id": event, "author": "user", "text": f"{word} and coffee", "timestamp": random_.randrange(5)}
    query = random_.choice([word, "coffee", "walnut pecan almond cashew", ""])
    calls: list[tuple[str, dict[str, Any]]] = [
        ("events", {"session_id": session, "events": [turn]}),
        ("sessions", {"id": session, "events": [turn]}),
        ("search", {"query": query, "content": True}),
        ("search", {"query": query, "session_id": session, "content": True}),
        ("explain", {"query": query, "expect": event, "content": True}),
        ("diagnose", {"query": query, "expect": event, "content": True}),
        ("diagnose", {"query": query, "session": {"id": session, "events": [turn]}, "content": True}),
        ("sessions/compare", {"id": session, "events": [turn]}),
        ("sessions/list", {}),
        ("memories/list", {"session_id": session, "content": True}),
        ("memories/list", {"content": True}),
        ("export", {}),
        ("health", {}),
        ("forget", {"what": "session", "session_id": session}),
        ("forget", {"what": "memory", "memory_id": event, "dry_run": False, "expected": 0, "confirm": user}),
    ]
    name, body = random_.choice(calls)
    if name != "health" and random_.random() < 0.2:
        body = body | {"scope": {"app_name": "shop", "user_id": random_.choice([*TENANTS, "root"])}}
    return name, body


async def fuzz(web: Web, steps: int, seed: int) -> int:
    """Calls of tenants in random order; how many were answered with 200."""
    random_ = random.Random(seed)
    answered = 0
    for _ in range(steps):
        user, word = random_.choice(list(TENANTS.items()))
        name, body = request(random_, user, word)
        answer = await web.send(f"/memory/{name}", body, user=user)
        foreign = body.get("scope") not in (None, {"app_name": "shop", "user_id": user})
        assert answer.status_code == 403 if foreign else answer.status_code in {200, 409, 422}, (name, body)
        answered += answer.status_code == 200
        if name in {"explain", "diagnose"}:
            check_counts(answer.json(), word)
            continue
        shown = str(answer.json().get("hits", "")) if name == "search" else answer.text
        for other, secret in TENANTS.items():
            assert other == user or secret not in shown, (user, name, body)
    return answered


def check_counts(explained: dict[str, Any], word: str) -> None:
    """The query is echoed; but words of others are in no turn, and no key of others is named."""
    for count in explained.get("keywords", ()):
        if count["keyword"] in TENANTS.values() and count["keyword"] != word:
            assert count["df"] == 0
            assert count["near"] == []
    text = str(explained.get("checks", ""))
    assert "near_keys" not in text
    assert "'apps'" not in text


@pytest.mark.parametrize("seed", range(2))
async def test_tenants_never_meet_in_memory(seed: int) -> None:
    assert await fuzz(Web(InMemoryMemoryService()), 250, seed) > 60


async def test_tenants_never_meet_in_mongodb(service: MongoDbMemoryService) -> None:
    assert await fuzz(Web(service), 100, 7) > 25
    lines = []
    for user, word in TENANTS.items():
        exported = (await Web(service).send("/memory/export", user=user)).text
        assert not any(secret in exported for secret in TENANTS.values() if secret != word)
        lines += exported.splitlines()
    assert len(lines) > 4
