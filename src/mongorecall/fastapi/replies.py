"""What a router answers with, and how it is written as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from mongorecall.models import EmptyReason, LentKeyword, ScorePart

MASK = "•••••"
"""Stands for a stored word while content is not shown."""


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True)


class Token(_Reply):
    """A run of text between white space, and what was indexed of it.

    Attributes:
        text: the run, with the white space before it.
        keywords: what it is indexed under; empty for a token that no search can find.
        reason: why it is not indexed; None when it is.
        matched: whether it shares a keyword with the query.
    """

    text: str
    keywords: list[str]
    reason: Literal["stop_word", "no_word_characters", "over_cap"] | None
    matched: bool


class Turn(_Reply):
    """One remembered turn: counts always, its words only when content is shown.

    Attributes:
        characters: length of its text.
        words: tokens in it. None, as the next two, unless a reading was asked for and the service tells its
            analyzer.
        indexed: tokens that a search can find.
        stop_words: tokens left out because they are stop words.
        tokens: the text, token by token; None without a reading, and while content is not shown.
        text: the text; None while content is not shown. Cut after 20,000 characters.
        cut: whether the text goes on.
    """

    event_id: str | None
    session_id: str | None
    author: str | None
    timestamp: str | None
    characters: int
    words: int | None
    indexed: int | None
    stop_words: int | None
    text: str | None = None
    tokens: list[Token] | None = None
    cut: bool = False


class FoundTurn(Turn):
    """A turn that a search found.

    Attributes:
        rank: its place, from 1.
        score: what it is sorted by; None when the service gives none.
        matched_keywords: keywords of the query that stand in it.
        lent_keywords: keywords of the query that counted through a turn near it.
        score_parts: what ``score`` is the exact sum of. Empty unless they were asked for and the service
            tells them.
    """

    rank: int
    score: float | None
    matched_keywords: list[str]
    lent_keywords: list[LentKeyword]
    score_parts: list[ScorePart]


class SearchReply(_Reply):
    """One page of a search, best first. ``reason`` says why it is empty; None when it is not."""

    hits: list[FoundTurn]
    query_keywords: list[str]
    reason: EmptyReason | None
    more: bool
    skipped: int
    elapsed_ms: float


class TurnPage(_Reply):
    """One page of turns in the order they are stored in; ``cursor`` is None at the end."""

    turns: list[Turn]
    cursor: str | None


class EventFate(_Reply):
    """What the store has of one event of a session; ``reason`` where it was skipped or failed."""

    event_id: str
    state: str
    reason: str | None


class Comparison(_Reply):
    """A session beside the store: the fate of each of its events, in order."""

    session_id: str
    events: list[EventFate]


class ScopeReply(_Reply):
    """A scope that holds memories."""

    app_name: str | int
    user_id: str | int
    memories: int


class ScopePage(_Reply):
    """The scopes that hold memories."""

    scopes: list[ScopeReply]


class OperationPage(_Reply):
    """The latest operations of this process, newest first."""

    operations: list[dict[str, Any]]


class HealthReply(_Reply):
    """Whether the store answers. The rest is for admins only."""

    ok: bool
    index: str | None = None
    recency_index: str | None = None
    server: str | None = None
    driver: str | None = None
    topology: str | None = None
    documents: int | None = None
    advice: list[str] = Field(default_factory=list)


class VisitReply(_Reply):
    """Who visits the inspector, what they may see, and what the service can do.

    Attributes:
        content: whether this visit shows memory text.
        may_show_content: whether it may.
        leaves: whether the inspector let them in itself, so that they can leave.
        analyzer: name and version of the rules; None when the service does not tell them.
    """

    app_name: str
    user_id: str
    admin: bool
    content: bool
    may_show_content: bool
    leaves: bool
    analyzer: str | None
    capabilities: list[str]


class ErrorReply(_Reply):
    """Every refusal and every error; ``id`` is in the log and in the header ``X-Request-Id``."""

    error: str
    id: str


class Reply(Response):
    """JSON in ASCII: whatever text a memory holds, the answer can be written."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The bytes of a model or of plain values."""
        plain = content.model_dump(mode="json") if isinstance(content, BaseModel) else content
        try:
            return json.dumps(plain, allow_nan=False, separators=(",", ":")).encode()
        except ValueError:
            return json.dumps(_finite(plain), allow_nan=False, separators=(",", ":")).encode()


def _finite(value: Any) -> Any:
    """NaN and infinities as null, which JSON has."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
