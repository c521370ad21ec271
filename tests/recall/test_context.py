"""What ``ranking="context"`` promises, shown on short conversations."""

from __future__ import annotations

from typing import Any

import pytest

from mongorecall._ranking import ContextRanking
from mongorecall.errors import InvalidInputError, InvalidTypeError
from tests.recall.talk import filler, ids, recall, remember, turns, twin


async def test_a_reply_without_the_word_is_found_through_what_it_replies_to() -> None:
    service = twin()
    await remember(service, turns("Which glaze do you like best?", "Celadon, by far", "ok"))
    await remember(service, filler(30), "s2")
    question, answer = (await recall(service, "glaze"))[:2]
    assert question.id == "e0"
    assert answer.content.text == "Celadon, by far"
    assert answer.matched_keywords == []
    [lent] = answer.lent_keywords
    assert (lent.keyword, lent.event_id, lent.distance) == ("glaze", "e0", -1)


async def test_a_keyword_reaches_two_turns_each_way_and_more_forward_in_time() -> None:
    service = twin()
    await remember(service, turns(*["hm"] * 4, "kiln", *["hm"] * 4))
    # equal texts at different times are different memories
    assert await ids(service, "kiln") == ["e4", "e5", "e3", "e6", "e2"]
    scores = [memory.score for memory in await recall(service, "kiln")]
    full = scores[0]
    assert full
    assert scores == pytest.approx([full, 0.7 * full, 0.5 * full, 0.49 * full, 0.25 * full], abs=1e-5)


async def test_each_keyword_counts_once_where_it_counts_most() -> None:
    service = twin()
    await remember(service, turns("kiln", "kiln", "kiln"))
    assert len({memory.score for memory in await recall(service, "kiln")}) == 1


async def test_nothing_is_lent_across_sessions_or_without_one() -> None:
    service = twin()
    await remember(service, turns("kiln"), "s1")
    await remember(service, turns("other", at=60, prefix="o"), "s2")
    await remember(service, turns("anvil", "loose", at=120, prefix="n"), None)
    assert await ids(service, "kiln") == ["e0"]
    assert await ids(service, "anvil") == ["n0"]


async def test_the_named_author_comes_first_unless_all_are_named() -> None:
    service = twin()
    said = [("Ada", "my favourite is raku"), ("Bob", "my favourite is raku"), ("Bob", "x"), ("Bob", "y")]
    await remember(service, turns(*said))
    assert (await ids(service, "What raku does Ada like"))[0] == "e0"
    assert (await ids(service, "What raku does bob like"))[0] == "e1"
    both = await recall(service, "raku of Ada and Bob")
    assert both[0].score == both[1].score


async def test_names_in_scripts_without_spaces_are_found_in_the_query() -> None:
    service = twin()
    await remember(service, turns(("鈴木", "紅茶"), ("田中", "紅茶")))
    assert (await ids(service, "田中さんの紅茶"))[0] == "e1"
    assert (await ids(service, "鈴木さんの紅茶"))[0] == "e0"


async def test_a_question_steps_back_behind_the_fact() -> None:
    service = twin()
    await remember(service, turns("My coffee is a flat white"), "s1")
    await remember(service, turns("Which coffee do I get?", at=9e5, prefix="q"), "s2")
    assert await ids(service, "Which coffee do I get?", limit=1) == ["e0"]


async def test_require_match_leaves_out_turns_without_a_keyword() -> None:
    service = twin(ranking=ContextRanking(require_match=True))
    await remember(service, turns("kiln", "hm", "glaze"))
    assert set(await ids(service, "kiln glaze")) == {"e0", "e2"}


async def test_scores_fall_along_the_page_beyond_the_anchors_too() -> None:
    service = twin(ranking=ContextRanking(anchors=2))
    await remember(service, turns(*[f"kiln {n}" for n in range(15)]))
    await remember(service, turns(*[f"kiln anvil {n}" for n in range(3)], at=1e6, prefix="a"), "s2")
    found = await recall(service, "kiln anvil")
    scores = [memory.score or 0.0 for memory in found]
    assert scores == sorted(scores, reverse=True)
    assert len(found) == 18


async def test_filters_narrow_the_page_and_not_the_lenders() -> None:
    service = twin()
    await remember(service, turns(("user", "kiln?"), ("agent", "at 7 bar")))
    assert await ids(service, "kiln", author="user") == ["e0"]
    assert await ids(service, "kiln", min_score=99) == []


async def test_a_keyword_of_most_turns_is_not_looked_for() -> None:
    service = twin(ranking="idf")
    await remember(service, turns("kiln sink", *[f"sink {n}" for n in range(60)]))
    assert await ids(service, "kiln sink") == ["e0"]
    assert len(await ids(service, "sink")) == 50


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"reach": -1}, InvalidInputError),
        ({"reach": 2.0}, InvalidTypeError),
        ({"anchors": 0}, InvalidInputError),
        ({"backward": 1.1}, InvalidInputError),
        ({"forward": -0.1}, InvalidInputError),
        ({"author": float("nan")}, InvalidInputError),
        ({"require_match": 1}, InvalidTypeError),
    ],
)
def test_constants_are_checked(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match=next(iter(options))):
        ContextRanking(**options)


def test_a_ranking_is_a_value() -> None:
    assert ContextRanking() == ContextRanking()
    assert hash(ContextRanking(reach=1)) == hash(ContextRanking(reach=1))
