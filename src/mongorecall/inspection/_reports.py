"""What inspection answers: frozen values that print counts, and give keys and words only through fields.

Nothing here holds the text of a memory. Query words are the caller's own, so `to_dict` shows them; the
``repr`` of every value leaves them out, because reprs end up in logs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal

from pydantic import BaseModel

from mongorecall.analysis import TokenFate
from mongorecall.models import ScorePart

Cause = Literal[
    "unreachable",  # no answer from the server
    "permission",  # the database user may not read
    "nothing_written",  # nothing is stored under this key (or: not this session, not this event)
    "key_mismatch",  # it is stored, under a key that looks like this one
    "no_searchable_words",  # every token of the query is dead
    "no_shared_keyword",  # memories exist, none shares a keyword with the query
    "not_indexed",  # it was said where no text is read: tool results, images, thoughts, stop words
    "stale_session",  # an older copy of the session was stored
    "cut_by_limit",  # it matches, and better ones fill the page
    "filtered",  # a filter of this call leaves it out
    "duplicate",  # an equal turn is returned in its place
    "expired",  # its time is over
    "forgotten",  # it was deleted on request, and stays so
    "malformed",  # its stored document cannot be read
    "stale_analyzer",  # its keywords were made by other rules than the query's
]
"""Why a search missed. Stable: programs compare these strings."""

CheckName = Literal["WRITTEN", "KEY", "MATCH_RULES", "INDEXED_CONTENT"]
"""The four checks, in their order."""

NearKind = Literal["case", "accent", "plural", "separator", "typo"]
"""How a stored keyword differs from one of the query."""

KeyDifference = Literal["case", "space", "separator", "prefix", "number", "swapped", "typo", "other_app"]
"""How a key differs from the one that was asked for."""


@dataclass(frozen=True, slots=True)
class QueryExplanation:
    """How a query is read.

    Attributes:
        analyzer: name and version of the rules, such as ``"classic 1"``.
        tokens: the fate of each raw token, in order.
        keywords: the distinct keywords that are looked for, ascending.
        capped: whether the query has more keywords than are looked for.
        assumed: True when the service does not tell its rules, and the classic ones were taken.
    """

    analyzer: str
    tokens: tuple[TokenFate, ...] = field(repr=False)
    keywords: tuple[str, ...] = field(repr=False)
    capped: bool = False
    assumed: bool = False

    @property
    def dead_tokens(self) -> tuple[str, ...]:
        """The raw tokens that can match nothing, in order."""
        return tuple(token.raw for token in self.tokens if token.reason is not None)

    def to_dict(self) -> dict[str, Any]:
        """As JSON-ready values."""
        return {**_as_dict(self), "dead_tokens": list(self.dead_tokens)}


@dataclass(frozen=True, slots=True)
class NearKeyword:
    """A stored keyword that is close to one of the query, and the kind of difference."""

    keyword: str = field(repr=False)
    kind: NearKind


@dataclass(frozen=True, slots=True)
class KeywordCount:
    """A keyword of the query inside the scope.

    Attributes:
        keyword: the keyword.
        df: how many live memories of the scope have it, at most `DF_CAP`; None when it was not counted.
        near: stored keywords close to it, looked for only when ``df`` is 0; at most five, closest first.
    """

    keyword: str = field(repr=False)
    df: int | None
    near: tuple[NearKeyword, ...] = ()


DF_CAP = 1000
"""Counting stops here: a keyword this common is common enough to know."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of the search: who and how much, without its text.

    Attributes:
        rank: its place, from 1.
        event_id: the event.
        session_id: its session.
        score: what it is sorted by; None when the service gives none.
        matched_keywords: query keywords that stand in it.
        score_parts: what ``score`` is the exact sum of; empty when the service does not tell.
    """

    rank: int
    event_id: str | None
    session_id: str | None
    score: float | None
    matched_keywords: tuple[str, ...] = field(repr=False)
    score_parts: tuple[ScorePart, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class ExpectedFate:
    """What became of the event that was expected.

    Attributes:
        event_id: the event.
        found: whether it is on the page.
        cause: the first stage that lost it; None when found.
        stage: that stage in words, such as ``"skipped at write"``.
        rank: its place in the full result, counted from 1; None when it is not in it, or lies beyond
            the part that is looked at.
        score: its score; the keywords shared when the search gave none.
        last_score: the score of the last memory on the page.
        matched_keywords: query keywords that it has.
        near: pairs (query keyword, keyword of the event) that nearly met, closest first.
        evidence: facts behind the verdict; ids, counts and times only.
        next_step: what to do; None when found.
    """

    event_id: str
    found: bool
    cause: Cause | None
    stage: str
    rank: int | None = None
    score: float | None = None
    last_score: float | None = None
    matched_keywords: tuple[str, ...] = field(default=(), repr=False)
    near: tuple[tuple[str, NearKeyword], ...] = field(default=(), repr=False)
    evidence: Mapping[str, Any] = field(default_factory=dict, repr=False)
    next_step: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON-ready values."""
        return _as_dict(self)


@dataclass(frozen=True, slots=True)
class SearchExplanation:
    """One search taken apart.

    Attributes:
        key: the scope, as ``app/user``.
        query: how the query is read.
        keywords: each keyword of the query inside the scope, ascending.
        hits: what the search returned, best first, without text.
        more: whether further memories match beyond the page.
        skipped: matching documents that could not be read.
        reason: why the page is empty, as the service says; None when it is not.
        cutoff: score of the last memory on the page; None for an empty page.
        expected: what became of the expected event; None when none was named.
    """

    key: str
    query: QueryExplanation
    keywords: tuple[KeywordCount, ...]
    hits: tuple[Hit, ...]
    more: bool
    skipped: int
    reason: str | None
    cutoff: float | None
    expected: ExpectedFate | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON-ready values."""
        return {**_as_dict(self), "query": self.query.to_dict()}


@dataclass(frozen=True, slots=True)
class NearKey:
    """A key close to the one asked for, that holds memories. Only ever made with ``allow_key_listing``.

    ``memories`` and ``matching`` (those that share a keyword with the query) are counted up to `DF_CAP`.
    ``app_name`` and ``user_id`` are as stored: ids written by other programs may be numbers.
    """

    app_name: str | int
    user_id: str | int
    difference: KeyDifference
    memories: int
    matching: int

    @property
    def key(self) -> str:
        """``app/user``; an id stored as a number says so."""
        return "/".join(
            part if isinstance(part, str) else f"{part} (number)" for part in (self.app_name, self.user_id)
        )


@dataclass(frozen=True, slots=True)
class Check:
    """One of the four checks.

    Attributes:
        name: which one.
        ok: True or False; None when it could not be made, ``verdict`` says why.
        cause: what it found wrong; None when ``ok`` is not False.
        verdict: one sentence for people.
        evidence: the facts behind it: ids, keys, counts, times and query words, JSON-ready.
        next_step: what to do; None when there is nothing to do.
    """

    name: CheckName
    ok: bool | None
    cause: Cause | None
    verdict: str
    evidence: Mapping[str, Any] = field(default_factory=dict, repr=False)
    next_step: str | None = None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Why a search came back empty, or that it works.

    Attributes:
        key: the scope, as ``app/user``.
        cause: the one reason; None when the search works.
        checks: the four checks in order.
        query: how the query is read.
        hits: memories that the search returned.
        expected: what became of the expected event; None when none was named.
        advice: what deserves attention and does not explain the miss, such as a missing index.
    """

    key: str
    cause: Cause | None
    checks: tuple[Check, ...]
    query: QueryExplanation
    hits: int
    expected: ExpectedFate | None = None
    advice: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the search works."""
        return self.cause is None

    @property
    def next_step(self) -> str | None:
        """What to do about ``cause``; None when the search works."""
        if self.cause is None:
            return None
        steps = [check.next_step for check in self.checks if check.cause == self.cause and check.next_step]
        if self.expected is not None and self.expected.cause == self.cause and self.expected.next_step:
            steps.append(self.expected.next_step)
        return steps[0] if steps else None

    def to_dict(self) -> dict[str, Any]:
        """As JSON-ready values, with ``next_step``."""
        return {
            **_as_dict(self),
            "query": self.query.to_dict(),
            "next_step": self.next_step,
        }

    def __str__(self) -> str:
        """The four checks as lines, for a terminal or a failing test."""
        marks = {True: "ok  ", False: "FAIL", None: "-   "}
        lines = [f"diagnosis of {self.key}: {self.cause or 'the search works'}"]
        for check in self.checks:
            lines.append(f"  {marks[check.ok]} {check.name:<16} {check.verdict}")
            if check.next_step:
                lines.append(f"       next: {check.next_step}")
        if self.expected is not None:
            lines.append(f"  event {self.expected.event_id}: {self.expected.stage}")
        lines.extend(f"  note: {sentence}" for sentence in self.advice)
        return "\n".join(lines)


def _as_dict(value: Any) -> dict[str, Any]:
    return {part.name: _plain(getattr(value, part.name)) for part in fields(value)}


def _plain(value: Any) -> Any:
    """Dataclasses, models, mappings and tuples as dicts and lists."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return _as_dict(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
