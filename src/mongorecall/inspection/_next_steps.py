"""What to do about each cause, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mongorecall.inspection._reports import Cause

NEXT_STEP: Final[Mapping[Cause, str]] = {
    "unreachable": "Check that the server runs, and that URI, network and firewall are right.",
    "permission": "Grant the database user the action find on this collection (role read or readWrite), "
    "or correct the login.",
    "nothing_written": "Call add_session_to_memory when a turn or conversation ends: nothing in the runner "
    "does it. Log the key on both sides and compare.",
    "key_mismatch": "Build app_name and user_id in one shared function (MemoryScope.of) for the writers and "
    "the runner, then add the sessions again under the right key.",
    "no_searchable_words": "Ask with words that say what is looked for: this query has only stop words or "
    "punctuation. If they matter to you, pass your own stop_words.",
    "no_shared_keyword": "Ask with words that were really said, such as the near keywords; "
    'analyzer="multilingual" also joins plurals, accents and scripts without spaces.',
    "not_indexed": "Only text is searched: have the agent restate the fact in its reply before the session "
    'is added, or index tool results with index_parts={"text", "function_response"}.',
    "stale_session": "Reload the session from the session service after its last turn, and add it again; "
    "adding is safe to repeat.",
    "cut_by_limit": "Raise max_results or pass limit, or ask with rarer words; "
    'ranking="idf" puts rare words first.',
    "filtered": "Drop or widen the filters of this search: session_id, exclude_session_id, author, since, "
    "until, min_score.",
    "duplicate": "Nothing is lost: the memory returned in its place has the same author, text and time.",
    "expired": "If it should have been kept, add it again with a longer retention or ttl.",
    "forgotten": "It was deleted on request, and adding does not bring it back; remember_again lifts that "
    "where it is meant.",
    "malformed": "Add the session again so that its documents are rewritten, or repair or delete the "
    "documents named in the evidence.",
    "stale_analyzer": "Run `mongorecall reindex`, or add the sessions again, so that stored keywords follow "
    "the rules of the query.",
}
