"""What is kept of an event's content: the visible parts as google-adk stores them, and their text."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError

from mongorecall._checks import type_name
from mongorecall._documents._storable import (
    Cleaner,
    UnstorableError,
    are_plain_numbers,
    as_json,
    bson_safe,
    repair,
)
from mongorecall.models import Content, Part, SkipReason

MAX_RESPONSE_BYTES = 16_384
"""Most bytes of UTF-8 that the function responses of one event add to its index."""

_RESPONSE = "function_response"
_TEXT_ONLY = frozenset({"text"})
_PLAIN_CONTENT = frozenset({"parts", "role"})
_KNOWN_MODULES = frozenset({"google.genai.types", Part.__module__})


@dataclass(frozen=True, slots=True)
class Visible:
    """The parts of an event that are no thoughts.

    Attributes:
        content: JSON values, exactly as they are to come back.
        safe: the same for BSON, with null for what BSON cannot give back; the same object where it can.
        text: the text parts joined by a space.
        indexed: the text that keywords are taken from.
        repaired: whether lone surrogates, NaN or infinity were replaced.
    """

    content: dict[str, Any]
    safe: dict[str, Any]
    text: str
    indexed: str
    repaired: bool


def read_content(content: Any, index_parts: frozenset[str]) -> Visible | SkipReason:
    """What to keep of ``content``, or why nothing.

    Raises:
        UnstorableError: it is no content, or holds what cannot be stored.
    """
    parts = _parts(content)
    if not parts:
        return "no_content"
    visible = [part for part in parts if not _field(part, "thought")]
    if not visible:
        return "thought_only"
    dumped = _dump_text_only(content, visible)
    if dumped is None:
        return _read_any(content, visible, index_parts)
    text = " ".join(part["text"] for part in dumped["parts"] if part["text"])
    return Visible(dumped, dumped, text, text, repaired=False) if text else "no_text"


def _parts(content: Any) -> list[Any]:
    if content is None:
        return []
    parts = _field(content, "parts")
    if parts is None:
        return []
    if isinstance(parts, str | bytes | Mapping) or not isinstance(parts, Iterable):
        raise UnstorableError(f"parts must be a list, got {type_name(parts)}")
    return list(parts)


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


# --- dumping -------------------------------------------------------------------------------------


def _dump_text_only(content: Any, visible: list[Any]) -> dict[str, Any] | None:
    """The usual case by hand, six times quicker than pydantic: nothing set but text, and no surrogates."""
    if not _is_plain(content, _PLAIN_CONTENT):
        return None
    parts = []
    for part in visible:
        if not _is_plain(part, _TEXT_ONLY):
            return None
        text = part.text
        if type(text) is not str or not is_encodable(text):
            return None
        parts.append({"text": text})
    role = content.role
    if role is None:
        return {"parts": parts}
    return {"parts": parts, "role": role} if type(role) is str and is_encodable(role) else None


def plain_texts(content: Any) -> tuple[str | None, tuple[str, ...]] | None:
    """Role and texts of a content of google-adk's or our own models that is nothing but texts, else None."""
    if not _is_plain(content, _PLAIN_CONTENT) or type(content.parts) is not list:
        return None
    role, texts = content.role, []
    for part in content.parts:
        if not _is_plain(part, _TEXT_ONLY) or type(part.text) is not str:
            return None
        texts.append(part.text)
    return (role, tuple(texts)) if role is None or (type(role) is str and role.isascii()) else None


def _is_plain(value: Any, names: frozenset[str]) -> bool:
    """Whether it is google-adk's or our own model, not a subclass, with nothing set beyond ``names``."""
    kind: Any = type(value)
    return _is_known(kind) and value.model_fields_set <= names


@lru_cache(maxsize=64)
def _is_known(kind: Any) -> bool:
    return kind.__module__ in _KNOWN_MODULES and kind.__name__ in {"Part", "Content"}


def is_encodable(text: str) -> bool:
    """Whether it has no lone surrogate."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _read_any(content: Any, visible: list[Any], index_parts: frozenset[str]) -> Visible | SkipReason:
    cleaner = Cleaner()
    dumped = cleaner.clean(_dump(content, visible))
    text = visible_text(dumped)
    indexed = text_to_index(dumped, index_parts)
    if not indexed:
        return "no_text"
    cleaner.repaired |= any(_is_altered(part) for part in visible if isinstance(part, BaseModel))
    safe = bson_safe(dumped) if cleaner.lossy else dumped
    return Visible(dumped, safe, text, indexed, cleaner.repaired)


def _dump(content: Any, visible: list[Any]) -> dict[str, Any]:
    """JSON values of the content: pydantic models as google-adk dumps them, other objects by our models."""
    if isinstance(content, BaseModel):
        return _dump_model(content.model_copy(update={"parts": visible}))
    try:
        plain = Content.model_validate({"role": _field(content, "role"), "parts": list(map(_plain, visible))})
    except ValidationError as error:
        raise UnstorableError(f"content has {error.error_count()} unreadable fields") from None
    return _dump_model(plain)


def _dump_model(model: BaseModel) -> dict[str, Any]:
    try:
        return model.model_dump(exclude_none=True, mode="json")
    except UnicodeError:  # a lone surrogate where pydantic refuses it: repair before it sees it
        dumped: dict[str, Any] = as_json(_without_surrogates(model.model_dump(exclude_none=True)))
        return dumped
    except (PydanticSerializationError, ValueError) as error:
        raise UnstorableError(f"content cannot be serialised ({type(error).__name__})") from None


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return repair(value)[0]
    if isinstance(value, Mapping):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(item) for item in value]
    return value


def _plain(part: Any) -> Any:
    """The fields of a part that is no pydantic model."""
    if isinstance(part, BaseModel):
        return _dump_model(part)
    if isinstance(part, Mapping):
        return dict(part)
    if is_dataclass(part) and not isinstance(part, type):
        values = {field.name: getattr(part, field.name) for field in fields(part)}
    elif hasattr(part, "__dict__"):
        values = vars(part)
    else:
        raise UnstorableError(f"a part of type {type_name(part)} cannot be read")
    return {name: value for name, value in values.items() if value is not None and name[:1] != "_"}


def _is_altered(part: BaseModel) -> bool:
    """Whether the JSON form of a part differs from it: NaN or infinity became null, or a key was repaired."""
    if part.model_fields_set <= _TEXT_ONLY:
        return False
    pending: list[Any] = [part.model_dump(exclude_none=True)]
    while pending:
        value = pending.pop()
        if isinstance(value, float) and not math.isfinite(value):
            return True
        if isinstance(value, str) and not is_encodable(value):
            return True
        if isinstance(value, Mapping):
            pending += [*value.keys(), *value.values()]
        elif isinstance(value, list | tuple) and not are_plain_numbers(value):
            pending += value
    return False


# --- text ----------------------------------------------------------------------------------------


def visible_text(content: Mapping[str, Any]) -> str:
    """The text of stored content: its text parts joined by a space, without thoughts."""
    parts = content.get("parts") or ()
    return " ".join(part["text"] for part in parts if part.get("text") and not part.get("thought"))


def text_to_index(content: Mapping[str, Any], index_parts: frozenset[str]) -> str:
    """The text of stored content that keywords are taken from."""
    return " ".join(filter(None, (visible_text(content), _response_text(content, index_parts))))


def _response_text(content: Mapping[str, Any], index_parts: frozenset[str]) -> str:
    """The values in function responses that the options ask to index, up to `MAX_RESPONSE_BYTES`."""
    if index_parts == _TEXT_ONLY:
        return ""
    words: list[str] = []
    for part in content["parts"]:
        response = part.get(_RESPONSE) or part.get("functionResponse")
        if isinstance(response, dict) and _is_asked(response.get("name"), index_parts):
            words.extend(_leaves(response.get("response")))
    return _first_bytes(" ".join(words), MAX_RESPONSE_BYTES)


def _first_bytes(text: str, limit: int) -> str:
    """As many whole words of ``text`` as fit into ``limit`` bytes, or the beginning of one that is longer."""
    encoded = text.encode()
    if len(encoded) <= limit:
        return text
    beginning = encoded[:limit].decode(errors="ignore")
    return beginning.rpartition(" ")[0] or beginning


def _is_asked(name: Any, index_parts: frozenset[str]) -> bool:
    return _RESPONSE in index_parts or f"{_RESPONSE}:{name}" in index_parts


def _leaves(value: Any) -> list[str]:
    """Texts and numbers in a JSON value, in order; keys are names of fields, and no facts."""
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in _leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in _leaves(item)]
    if isinstance(value, str):
        return [value]
    return [] if value is None or isinstance(value, bool) else [json.dumps(value)]
