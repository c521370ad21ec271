"""Keywords also count, in part, for the turns around them: a reply rarely repeats what it replies to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mongorecall._checks import check_bool, check_int, check_number
from mongorecall._documents import fields, stored_keywords
from mongorecall._ranking._order import in_order
from mongorecall._ranking._protocol import Admits, Document, Ranked
from mongorecall._ranking.idf import by_own_keywords
from mongorecall._ranking.kernel import Best, Kernel
from mongorecall._ranking.parts import by_contribution, own_parts
from mongorecall._ranking.sessions import event_key, session_of, sessions_of
from mongorecall._ranking.speakers import asks, named_authors
from mongorecall._ranking.weights import exact, weigh_scope
from mongorecall.errors import InvalidInputError
from mongorecall.models import LentKeyword, ScorePart


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A turn near an anchor: its session, its place in it, and what the keywords add."""

    session: Sequence[Document]
    place: int
    best: Best

    @property
    def document(self) -> Document:
        return self.session[self.place]

    @property
    def own(self) -> tuple[str, ...]:
        return tuple(sorted([word for word, (_, lender) in self.best.items() if lender == self.place]))

    @property
    def lent(self) -> tuple[LentKeyword, ...]:
        loans = ((word, at) for word, (_, at) in sorted(self.best.items()) if at != self.place)
        return tuple(
            LentKeyword(keyword=word, event_id=_event_id(self.session[at]), distance=at - self.place)
            for word, at in loans
        )

    @property
    def total(self) -> float:
        return sum([value for value, _ in self.best.values()])

    def parts(self, weights: Mapping[str, float], kernel: Kernel) -> tuple[ScorePart, ...]:
        """What each keyword adds to the total: own ones, then lent ones."""
        lent = [
            ScorePart(
                kind="lent_keyword",
                contribution=value,
                keyword=word,
                weight=weights[word],
                factor=kernel.shares[at - self.place],
                event_id=_event_id(self.session[at]),
                distance=at - self.place,
            )
            for word, (value, at) in self.best.items()
            if at != self.place
        ]
        return own_parts(self.own, weights) + by_contribution(lent)


@dataclass(frozen=True, slots=True)
class ContextRanking:
    """Weights as in ``"idf"``, lent to the turns around; the named author and answers come forward.

    The `anchors` best turns by their own keywords are found first. Every turn near one is a candidate::

        score = author? * question? * sum over keywords of weight * (largest share within reach)

    The share is 1 in the turn itself, ``backward ** d`` of a keyword d turns earlier and ``forward ** d`` of
    one d turns later, in the same session by time. Turns that match and are near no anchor follow in the
    order of their own score, with a score that is never above the last candidate's.

    The figures are R@10 / R@50 / MRR on long two-person chats, the other constants at their default
    (75.1 / 85.2 / 59.2). The optimum is flat; the defaults are its middle.

    Args:
        reach: turns a keyword is lent to, each way. 0: 61.9 / 72.2 / 50.1; 1: 71.8 / 81.8 / 57.7;
            3: 75.3 / 85.3 / 58.7.
        backward: 0.6, with forward 0.4: 74.0 / 84.1 / 58.1.
        forward: 0.6, with backward 0.8: 75.6 / 86.3 / 58.9.
        author: factor for turns whose author the query names, unless it names all. 1: 71.7 / 84.0 / 53.0;
            1.5: 76.0 / 86.1 / 59.5, but questions that name the wrong person lose 5 points.
        question: factor for turns that ask: the next turn answers. 1: 74.1 / 84.4 / 57.9;
            0.9: 75.1 / 84.9 / 59.7.
        anchors: 20: 75.3 / 83.5 / 59.2; 50: 75.1 / 85.1 / 59.2.
        require_match: leave out turns without a keyword of their own: 67.5 / 72.9 / 56.3.
    """

    reach: int = 2
    backward: float = 0.7
    forward: float = 0.5
    author: float = 1.3
    question: float = 0.8
    anchors: int = 30
    require_match: bool = False

    def __post_init__(self) -> None:
        check_int("reach", self.reach, low=0, high=10)
        check_int("anchors", self.anchors, low=1, high=200)
        check_bool("require_match", self.require_match)
        for name, high in (("backward", 1.0), ("forward", 1.0), ("question", 1.0), ("author", 10.0)):
            if not 0 <= check_number(name, getattr(self, name)) <= high:
                raise InvalidInputError(f"{name} must be from 0 to {high:g}")

    @property
    def name(self) -> str:
        """``"context"``."""
        return "context"

    def rank(
        self,
        documents: Iterable[Document],
        query_keywords: Sequence[str],
        *,
        query: str = "",
        admits: Admits | None = None,
    ) -> list[Ranked]:
        """See `Ranking.rank`."""
        turns = list(documents)
        weights = weigh_scope(turns, query_keywords)
        own = by_own_keywords(turns, weights, admits)
        return list(self.spread(own, turns, weights, query=query, admits=admits))

    def spread(
        self,
        own: Sequence[Ranked],
        around: Iterable[Document],
        weights: Mapping[str, float],
        *,
        query: str,
        admits: Admits | None = None,
    ) -> Iterator[Ranked]:
        """The order of ``rank``, from the part of a scope that decides it.

        Args:
            own: rows by their own keywords, best first; the anchors at least.
            around: the turns within twice the reach of each anchor, or more of its session; each once.
            weights: as `weigh` gives them.
            query: its text, for the names in it.
            admits: as in ``rank``.
        """
        found = self._candidates(own[: self.anchors], around, weights)
        named = named_authors(query, (candidate.document for candidate in found))
        candidates = [
            candidate
            for candidate in found
            if (admits is None or admits(candidate.document)) and (not self.require_match or candidate.own)
        ]
        by_document = {id(candidate.document): candidate for candidate in candidates}
        best = in_order(
            Ranked(candidate.document, _times(candidate.total, self._factor(candidate.document, named)), ())
            for candidate in candidates
        )
        for row in best:
            candidate = by_document[id(row.document)]
            yield Ranked(row.document, row.score, candidate.own, candidate.lent)
        yield from _following(own, best)

    def parts(
        self,
        rows: Sequence[Ranked],
        documents: Iterable[Document],
        query_keywords: Sequence[str],
        *,
        query: str = "",
        admits: Admits | None = None,
    ) -> list[tuple[ScorePart, ...]]:
        """See `TellsParts.parts`."""
        turns = list(documents)
        weights = weigh_scope(turns, query_keywords)
        own = by_own_keywords(turns, weights, admits)
        return self.spread_parts(rows, own, turns, weights, query=query)

    def spread_parts(
        self,
        rows: Sequence[Ranked],
        own: Sequence[Ranked],
        around: Iterable[Document],
        weights: Mapping[str, float],
        *,
        query: str,
    ) -> list[tuple[ScorePart, ...]]:
        """What the scores of ``rows`` of ``spread`` are the sums of; the other arguments as it had them."""
        found = self._candidates(own[: self.anchors], around, weights)
        named = named_authors(query, (candidate.document for candidate in found))
        near = {event_key(candidate.document): candidate for candidate in found}
        kernel = self._kernel(weights)
        parts = []
        for row in rows:
            candidate = near.get(event_key(row.document))
            if candidate is None:
                parts.append(_following_parts(row, weights))
            else:
                parts.append(candidate.parts(weights, kernel) + self._factor_parts(candidate, named))
        return parts

    def _factor_parts(self, candidate: _Candidate, named: Collection[str]) -> tuple[ScorePart, ...]:
        """What the named author and the question add to the total."""
        by_author = self._author_factor(candidate.document, named)
        by_both = self._factor(candidate.document, named)
        raised = _times(candidate.total, by_author)
        parts = []
        if by_author != 1.0:
            added = raised - candidate.total
            parts.append(ScorePart(kind="named_author", contribution=added, factor=by_author))
        if by_both != by_author:
            added = _times(candidate.total, by_both) - raised
            parts.append(ScorePart(kind="question", contribution=added, factor=self.question))
        return tuple(parts)

    def _factor(self, document: Document, named: Collection[str]) -> float:
        factor = self._author_factor(document, named)
        return factor * self.question if asks(document) else factor

    def _author_factor(self, document: Document, named: Collection[str]) -> float:
        return self.author if document.get(fields.AUTHOR) in named else 1.0

    def _kernel(self, weights: Mapping[str, float]) -> Kernel:
        return Kernel(weights, reach=self.reach, backward=self.backward, forward=self.forward)

    def _candidates(
        self, anchors: Sequence[Ranked], around: Iterable[Document], weights: Mapping[str, float]
    ) -> list[_Candidate]:
        """The turns near an anchor, and the anchors that have no neighbours."""
        kernel = self._kernel(weights)
        alone = {event_key(row.document): row for row in anchors}
        wanted = {name for row in anchors if (name := session_of(row.document)) is not None}
        found = []
        for session in sessions_of(around, wanted):
            turns = session.turns
            places = [place for place, key in enumerate(session.keys) if alone.pop(key, None)]
            lenders = _around(places, 2 * self.reach, len(turns))
            matched = {place: _weighed(turns[place], weights) for place in lenders}
            found += [
                _Candidate(turns, place, kernel.best(place, matched))
                for place in _around(places, self.reach, len(turns))
            ]
        found += [_Candidate([row.document], 0, kernel.best(0, {0: row.matched})) for row in alone.values()]
        return found


def _around(places: Iterable[int], reach: int, length: int) -> list[int]:
    """The places at most ``reach`` away from one of ``places``, rising."""
    near = {at for place in places for at in range(place - reach, place + reach + 1)}
    return sorted([at for at in near if 0 <= at < length])


def _weighed(document: Document, weights: Mapping[str, float]) -> list[str]:
    return [word for word in stored_keywords(document) if word in weights]


def _times(total: float, factor: float) -> float:
    """A total with its factors, again a number that sums exactly."""
    return total if factor == 1.0 else exact(total * factor)


def _following(own: Sequence[Ranked], best: Sequence[Ranked]) -> Iterator[Ranked]:
    """The rows of ``own`` that are not among the best, with scores below theirs."""
    taken = {event_key(row.document) for row in best}
    ceiling = best[-1].score if best else float("inf")
    for row in own:
        if event_key(row.document) not in taken:
            yield Ranked(row.document, min(row.score, ceiling), row.matched)


def _following_parts(row: Ranked, weights: Mapping[str, float]) -> tuple[ScorePart, ...]:
    """The parts of a row that is near no anchor."""
    parts = own_parts(row.matched, weights)
    above = sum(part.contribution for part in parts) - row.score
    return (*parts, ScorePart(kind="ceiling", contribution=-above)) if above else parts


def _event_id(document: Document) -> str | None:
    identity = document.get(fields.ID)
    event_id = identity.get(fields.EVENT_ID) if isinstance(identity, Mapping) else None
    return event_id if isinstance(event_id, str) else None
