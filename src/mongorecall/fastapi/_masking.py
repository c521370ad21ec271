"""Takes stored words out of explanations while content is not shown; words of the query stay."""

from __future__ import annotations

from typing import Any

from mongorecall.fastapi.replies import MASK

_NEAR = {"keyword", "kind"}
"""The fields of a stored keyword that is near one of the query."""


def masked(value: Any, *, content: bool) -> Any:
    """JSON-ready values with every near keyword masked, unless content is shown."""
    if content:
        return value
    if isinstance(value, dict):
        if value.keys() == _NEAR:
            return {**value, "keyword": MASK}
        return {name: masked(item, content=False) for name, item in value.items()}
    if isinstance(value, list):
        return [masked(item, content=False) for item in value]
    return value
