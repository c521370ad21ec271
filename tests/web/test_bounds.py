"""S15: every length that a request can have is bounded, and the bounds are where they are said to be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from mongorecall.fastapi import requests as ask
from tests.web.support import Web

MODELS = [
    model
    for model in vars(ask).values()
    if isinstance(model, type) and issubclass(model, BaseModel) and not model.__name__.startswith("_")
    if model.__module__ == ask.__name__
]


def unbounded(schema: dict[str, Any], path: str = "") -> Iterator[str]:
    """The places of a JSON schema that take values of any size."""
    kind = schema.get("type")
    if kind == "string" and not {"maxLength", "enum", "const"} & schema.keys():
        yield f"{path}: a string without maxLength"
    if kind in {"integer", "number"}:
        if not {"minimum", "exclusiveMinimum"} & schema.keys():
            yield f"{path}: a number without a least value"
        if not {"maximum", "exclusiveMaximum"} & schema.keys():
            yield f"{path}: a number without a largest value"
    if kind == "array" and "maxItems" not in schema:
        yield f"{path}: an array without maxItems"
    if kind == "object" and schema.get("additionalProperties") is not False:
        # Ours are closed; a free one is counted.
        if "properties" in schema:
            yield f"{path}: an object that takes further fields"
        elif "maxProperties" not in schema:
            yield f"{path}: an object without maxProperties"
    for name, below in children(schema):
        yield from unbounded(below, f"{path}/{name}")


def children(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The schemas within a schema; free values below a counted object are bounded by the body's size."""
    for group in ("properties", "$defs"):
        yield from schema.get(group, {}).items()
    for group in ("anyOf", "allOf", "oneOf"):
        yield from ((f"{group}{index}", below) for index, below in enumerate(schema.get(group, ())))
    for name in ("items", "propertyNames"):
        if isinstance(schema.get(name), dict):
            yield name, schema[name]


def test_the_search_for_unbounded_places_finds_them() -> None:
    class Loose(BaseModel):
        text: str
        many: list[int]
        free: dict[str, Any]

    assert len(list(unbounded(Loose.model_json_schema()))) == 6


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_length_of_every_request_is_bounded(model: type[BaseModel]) -> None:
    assert list(unbounded(model.model_json_schema())) == []
    assert model.model_config["strict"] is True
    assert model.model_config["extra"] == "forbid"


AT: dict[str, tuple[str, Callable[[int], Any], int]] = {
    "query": ("search", lambda size: {"query": "x" * size}, 10_000),
    "id": ("search", lambda size: {"query": "x", "session_id": "x" * size}, 512),
    "author": ("search", lambda size: {"query": "x", "author": "x" * size}, 512),
    "limit": ("search", lambda size: {"query": "x", "limit": size}, 1_000),
    "page": ("memories/list", lambda size: {"limit": size}, 500),
    "events": ("events", lambda size: {"events": [{}] * size}, 1_000),
    "parts": ("events", lambda size: {"events": [{"id": "e", "content": {"parts": [{}] * size}}]}, 1_000),
    "metadata": (
        "events",
        lambda size: {"events": [], "custom_metadata": {str(name): 1 for name in range(size)}},
        1_000,
    ),
    "metadata key": ("events", lambda size: {"events": [], "custom_metadata": {"k" * size: 1}}, 512),
    "ttl": ("events", lambda size: {"events": [], "ttl_seconds": size}, 3_153_600_000),
    "user id": ("scopes", lambda size: {"limit": size}, 500),
}


@pytest.mark.parametrize("name", AT)
async def test_a_request_at_the_bound_is_taken_and_one_beyond_is_not(web: Web, name: str) -> None:
    path, body, bound = AT[name]
    await web.call(path, body(bound), user="root")
    assert (await web.send(f"/memory/{path}", body(bound + 1), user="root")).status_code == 422


@pytest.mark.parametrize("text", ["\x00", "a\x1fb", "a\x7f", "\x80", "a\nb", ""])
async def test_an_id_holds_no_control_character_and_is_not_empty(web: Web, text: str) -> None:
    assert (await web.send("/memory/search", {"query": "x", "session_id": text})).status_code == 422
