"""From facts to the four checks and the one cause. Pure.

The checks are judged in their order, and the cause is that of the first one that fails, with one
exception: "no keyword in common" is what every deeper fault looks like from outside, so that a check
further down which knows the reason goes before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mongorecall.inspection._next_steps import NEXT_STEP
from mongorecall.inspection._reports import Cause, Check, CheckName, Diagnosis

if TYPE_CHECKING:
    from mongorecall.inspection._facts import Facts

Finding = tuple[Cause, str]
"""What a check found wrong, and the verdict."""


def judge(facts: Facts, advice: tuple[str, ...]) -> Diagnosis:
    """The diagnosis of a search that was answered."""
    checks = (
        _check("WRITTEN", facts, _written, _written_evidence(facts), _written_well(facts)),
        _check("KEY", facts, _key, _key_evidence(facts), _key_well(facts)),
        _check("MATCH_RULES", facts, _match_rules, _match_evidence(facts), _match_well(facts)),
        _check("INDEXED_CONTENT", facts, _indexed, _indexed_evidence(facts), _indexed_well(facts)),
    )
    cause = _cause(facts, checks)
    return Diagnosis(
        key=facts.inquiry.scope.key,
        cause=cause,
        checks=tuple(_pointed(check, checks, cause) for check in checks),
        query=facts.inquiry.reading,
        hits=facts.hits,
        expected=facts.expected,
        advice=advice,
    )


_NAMES: tuple[CheckName, ...] = ("WRITTEN", "KEY", "MATCH_RULES", "INDEXED_CONTENT")


def judge_unanswered(facts_key: str, reading: Any, cause: Cause, verdict: str) -> Diagnosis:
    """The diagnosis of a search that got no answer: the first check fails, the others are not made."""
    first = Check("WRITTEN", ok=False, cause=cause, verdict=verdict, next_step=NEXT_STEP[cause])
    others = (Check(name, ok=None, cause=None, verdict="not made: no answer") for name in _NAMES[1:])
    return Diagnosis(key=facts_key, cause=cause, checks=(first, *others), query=reading, hits=0)


def _cause(facts: Facts, checks: tuple[Check, ...]) -> Cause | None:
    if facts.expected is not None:
        return facts.expected.cause
    causes = [check.cause for check in checks if check.cause is not None]
    deeper = [cause for cause in causes if cause != "no_shared_keyword"]
    return next(iter(deeper or causes), None)


def _pointed(check: Check, checks: tuple[Check, ...], cause: Cause | None) -> Check:
    """The check itself; where a deeper one has the reason, its next step points there."""
    if check.cause != "no_shared_keyword" or cause in (None, "no_shared_keyword"):
        return check
    deeper = next((other.name for other in checks if other.cause == cause), check.name)
    return replace(check, next_step=f"See {deeper}, which knows why.")


def _check(
    name: CheckName,
    facts: Facts,
    find: Callable[[Facts], Finding | None],
    evidence: Mapping[str, Any],
    well: tuple[bool | None, str],
) -> Check:
    finding = find(facts) or _expected_finding(name, facts)
    if finding is None:
        return Check(name, ok=well[0], cause=None, verdict=well[1], evidence=evidence)
    cause, verdict = finding
    return Check(
        name, ok=False, cause=cause, verdict=verdict, evidence=evidence, next_step=_step(cause, facts)
    )


_HOME: Mapping[Cause, CheckName] = {
    "nothing_written": "WRITTEN",
    "expired": "WRITTEN",
    "forgotten": "WRITTEN",
    "key_mismatch": "KEY",
    "no_searchable_words": "MATCH_RULES",
    "no_shared_keyword": "MATCH_RULES",
    "cut_by_limit": "MATCH_RULES",
    "filtered": "MATCH_RULES",
    "duplicate": "MATCH_RULES",
    "not_indexed": "INDEXED_CONTENT",
    "stale_session": "INDEXED_CONTENT",
    "malformed": "INDEXED_CONTENT",
    "stale_analyzer": "INDEXED_CONTENT",
}
"""The check that an expected event's cause belongs to."""


def _expected_finding(name: CheckName, facts: Facts) -> Finding | None:
    expected = facts.expected
    if expected is None or expected.cause is None or _HOME[expected.cause] != name:
        return None
    return expected.cause, f"event {expected.event_id}: {expected.stage}"


def _step(cause: Cause, facts: Facts) -> str:
    step = NEXT_STEP[cause]
    if cause == "nothing_written" and facts.listing is None:
        step += " Or run this again with allow_key_listing=True to look for near keys."
    if cause == "key_mismatch" and facts.listing is not None and facts.listing.near:
        step += f" The likeliest other key: {facts.listing.near[0].key}."
    return step


# --- 1: was anything written? ----------------------------------------------------------------------


def _written(facts: Facts) -> Finding | None:
    census = facts.census
    if facts.hits or census is None or census.live:
        return None
    if census.forgotten:
        return "forgotten", f"nothing is left under this key: {census.forgotten} events were forgotten"
    if census.expired:
        return "expired", f"nothing is left under this key: {_memories(census.expired)} expired"
    if _written_elsewhere(facts) or census.erased or _all_skipped(facts):
        return None  # it was added, and a later check says what became of it
    if facts.listing is not None and facts.listing.complete and not facts.listing.anything:
        return "nothing_written", "nothing was ever written: the collection is empty"
    return "nothing_written", "nothing is stored under this key"


def _written_elsewhere(facts: Facts) -> bool:
    near = facts.listing is not None and bool(facts.listing.alike())
    return near or facts.other_session_key is not None


def _all_skipped(facts: Facts) -> bool:
    session = facts.session
    return (
        session is not None
        and bool(session.events)
        and all(event.state in ("skipped", "failed") for event in session.events)
    )


def _written_well(facts: Facts) -> tuple[bool | None, str]:
    if facts.census is None:
        return (True, "the search returned memories") if facts.hits else (None, "this store cannot tell")
    if facts.census.live:
        more = "" if facts.census.complete else " or more"
        when = f", last written {facts.census.last_write}" if facts.census.last_write else ""
        return True, f"{_memories(facts.census.live, more)} stored under this key{when}"
    if _written_elsewhere(facts):
        return True, "something was written, and nothing of it under this key: see KEY"
    return True, "the session was added, and nothing of it is stored: see INDEXED_CONTENT"


def _written_evidence(facts: Facts) -> dict[str, Any]:
    evidence = {} if facts.census is None else facts.census.evidence()
    if facts.listing is not None:
        evidence["collection_has_documents"] = facts.listing.anything
    return evidence


# --- 2: is it under the right key? -----------------------------------------------------------------


def _key(facts: Facts) -> Finding | None:
    if facts.hits:
        return None
    empty = facts.census is not None and not (
        facts.census.live or facts.census.expired or facts.census.forgotten
    )
    if empty and facts.other_session_key:
        own = "/".join(facts.other_session_key)
        return "key_mismatch", f"the session belongs to {own}, the search asks for {facts.inquiry.scope.key}"
    if facts.listing is None:
        return None
    if empty and facts.listing.alike():
        nearest = facts.listing.alike()[0]
        there = f"{_memories(nearest.memories)} under {nearest.key} (difference: {nearest.difference})"
        return "key_mismatch", f"nothing under {facts.inquiry.scope.key}, but {there}"
    if facts.listing.matching() and not _known_in_session(facts):
        nearest = facts.listing.matching()[0]
        return (
            "key_mismatch",
            f"{_memories(nearest.matching)} under {nearest.key} with a keyword of the query, none here",
        )
    return None


def _known_in_session(facts: Facts) -> bool:
    """Whether the given session explains the miss by itself, better than another key could."""
    session = facts.session
    return session is not None and bool(
        session.matching("stale", "forgotten", "expired", "other_rules", "unreadable")
    )


def _key_well(facts: Facts) -> tuple[bool | None, str]:
    if facts.hits or (facts.census is not None and facts.census.live):
        return True, "memories lie under this key"
    if facts.listing is None:
        return None, "other keys were not looked at: that needs allow_key_listing=True"
    return True, "no near key holds memories"


def _key_evidence(facts: Facts) -> dict[str, Any]:
    asked = {"key": facts.inquiry.scope.key}
    if facts.other_session_key:
        asked["session_key"] = "/".join(facts.other_session_key)
    return asked if facts.listing is None else {**asked, **facts.listing.evidence()}


# --- 3: do the match rules accept the query? -------------------------------------------------------


def _match_rules(facts: Facts) -> Finding | None:
    if not facts.asked_words and not facts.hits:
        return "no_searchable_words", "every token of the query is dead: it can match nothing"
    if facts.hits or facts.census is None or not facts.census.live:
        return None
    if facts.response.reason == "filtered":
        return "filtered", "memories match, and the filters leave out every one"
    if not facts.response.skipped:
        return "no_shared_keyword", "no memory under this key shares a keyword with the query"
    return None


def _match_well(facts: Facts) -> tuple[bool | None, str]:
    dead = len(facts.inquiry.reading.dead_tokens)
    note = f", {dead} tokens are dead" if dead else ""
    found = f"{_memories(facts.hits)} found" if facts.hits else "the query has words to look for"
    return True, f"{found}{note}"


def _match_evidence(facts: Facts) -> dict[str, Any]:
    reading = facts.inquiry.reading
    return {
        "analyzer": reading.analyzer,
        "assumed": reading.assumed,
        "dead_tokens": [
            {"raw": token.raw, "reason": token.reason} for token in reading.tokens if token.reason
        ],
        "keywords": [
            {
                "keyword": count.keyword,
                "df": count.df,
                "near": [{"keyword": near.keyword, "kind": near.kind} for near in count.near],
            }
            for count in facts.keywords
        ],
    }


# --- 4: is the content indexed at all? -------------------------------------------------------------


def _indexed(facts: Facts) -> Finding | None:
    return _by_session(facts) or (None if facts.hits else _by_store(facts))


def _by_session(facts: Facts) -> Finding | None:
    session = facts.session
    if session is None or facts.other_session_key:
        return None
    missing, stored = session.matching("missing"), session.count("stored")
    if session.matching("stale") or (missing and stored):
        late = len(missing) + len(session.matching("stale"))
        return "stale_session", f"{late} events of the session that match are not stored as they are now"
    if facts.hits and not _only_outside(facts):
        return None
    if session.matching("forgotten"):
        return "forgotten", "events of the session that match were forgotten on request"
    if session.matching("expired"):
        return "expired", "events of the session that match have expired"
    return _by_rules_of_session(facts) or _by_absence(facts)


def _by_rules_of_session(facts: Facts) -> Finding | None:
    session = facts.session
    if session is None:
        return None
    if session.matching("unreadable"):
        return "malformed", "events of the session that match are stored without readable keywords"
    if session.matching("other_rules"):
        return "stale_analyzer", "events of the session that match were indexed by other rules"
    return None


def _by_absence(facts: Facts) -> Finding | None:
    """Words of the query that the session has only outside its texts, or a session never added."""
    session = facts.session
    if session is None:
        return None
    if session.matching("missing"):
        return "nothing_written", "no event of this session is stored"
    if session.outside() or session.in_state:
        return "not_indexed", "words of the query stand in the session only where no text is read"
    if not facts.hits and (session.matching("erased") or _all_skipped(facts)):
        return "not_indexed", "the events of the session have nothing that is indexed"
    return None


def _only_outside(facts: Facts) -> bool:
    """Whether a keyword that nobody has is in the session, only outside its texts."""
    session = facts.session
    missing = {count.keyword for count in facts.keywords if count.df == 0}
    if session is None or not missing:
        return False
    outside = {word for event in session.outside() for word in event.outside} | set(session.in_state)
    return not missing.isdisjoint(outside)


def _by_store(facts: Facts) -> Finding | None:
    contents, census = facts.contents, facts.census
    if facts.response.skipped:
        return "malformed", f"{facts.response.skipped} documents match and cannot be read"
    if census is not None and census.erased and not (census.live or census.expired or census.forgotten):
        return "not_indexed", f"{census.erased} events were stored, and their newest version has no text"
    if contents is None or not facts.asked_words:
        return None
    findings: tuple[tuple[tuple[str, ...], Finding], ...] = (
        (contents.expired, ("expired", "memories match and have expired")),
        (contents.damaged, ("malformed", "memories whose text matches have no readable keywords")),
        (contents.other_rules, ("stale_analyzer", "memories whose text matches were indexed by other rules")),
        (contents.outside, ("not_indexed", "words of the query are stored only where no text is read")),
    )
    return next((finding for found, finding in findings if found), None)


def _indexed_well(facts: Facts) -> tuple[bool | None, str]:
    if facts.session is not None:
        skipped = facts.session.count("skipped")
        note = f", without text to index: {skipped}" if skipped else ""
        total = len(facts.session.events)
        return True, f"stored of the {total} events of the session: {facts.session.count('stored')}{note}"
    if facts.contents is not None and facts.contents.looked_at:
        return True, f"{_memories(facts.contents.looked_at)} looked into, none has it elsewhere"
    if facts.hits:
        return True, "what was found is indexed"
    return None, "nothing to look into; pass session= to compare a session with the store"


def _memories(count: int, more: str = "") -> str:
    return "1 memory" if count == 1 and not more else f"{count}{more} memories"


def _indexed_evidence(facts: Facts) -> dict[str, Any]:
    evidence: dict[str, Any] = {}
    if facts.session is not None:
        evidence |= facts.session.evidence()
    if facts.contents is not None:
        evidence |= facts.contents.evidence()
    if facts.response.skipped:
        evidence["unreadable"] = facts.response.skipped
    return evidence
