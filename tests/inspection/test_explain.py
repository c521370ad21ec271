"""How a query is read, and what each of its words meets in the store."""

from __future__ import annotations

import json

import pytest

from mongorecall import ClassicAnalyzer
from mongorecall.errors import InvalidInputError, InvalidTypeError
from mongorecall.inspection import explain, explain_search
from mongorecall.testing.factories import make_event, make_session, make_tool_event
from tests.inspection.world import APP, COFFEE, USER, World


@pytest.mark.seed("I-034")
def test_the_fate_of_every_token_is_told() -> None:
    """Its keywords, or why it can never match."""
    explanation = explain("What's my coffee? !!! 使用MongoDB")

    assert [(token.raw, token.keywords, token.reason) for token in explanation.tokens] == [
        ("What's", ("s",), None),
        ("my", (), "stop_word") if "my" in explanation.dead_tokens else ("my", ("my",), None),
        ("coffee?", ("coffee",), None),
        ("!!!", (), "no_word_characters"),
        ("使用MongoDB", ("使用mongodb", "使用", "mongodb"), None),
    ]
    assert "!!!" in explanation.dead_tokens


@pytest.mark.seed("I-017")
def test_punctuation_does_not_kill_a_word() -> None:
    """``coffee?`` is looked for as ``coffee``, unlike in the seed's in-memory service."""
    explanation = explain("coffee preference?")

    assert explanation.keywords == ("coffee", "preference")
    assert explanation.dead_tokens == ()


def test_words_over_the_cap_are_dead() -> None:
    """A query of more words than are looked for says so."""
    explanation = explain(" ".join(f"word{n}" for n in range(1002)))

    assert explanation.capped
    assert explanation.dead_tokens == ("word1000", "word1001")
    assert len(explanation.keywords) == 1000


def test_the_rules_can_be_chosen() -> None:
    """By name with stop words, or as an object."""
    assert explain("coffee", stop_words={"coffee"}).dead_tokens == ("coffee",)
    assert explain("the", analyzer=ClassicAnalyzer(set())).keywords == ("the",)
    assert explain("coffees", analyzer="multilingual").analyzer.startswith("multilingual ")
    with pytest.raises(InvalidInputError):
        explain("coffee", analyzer="nonesuch")
    with pytest.raises(InvalidTypeError):
        explain(None)  # type: ignore[arg-type]


def test_an_explanation_does_not_print_the_query() -> None:
    """Its repr may end up in a log; its fields and `to_dict` have everything."""
    explanation = explain("walnut-pin")

    assert "walnut" not in repr(explanation)
    assert json.loads(json.dumps(explanation.to_dict()))["tokens"][0]["raw"] == "walnut-pin"


async def test_a_search_is_taken_apart(world: World) -> None:
    """df of each keyword, near keywords for those nobody has, hits with score, cut and matched words."""
    await world.write(COFFEE, "Coffee beans", "A Café au lait")
    explained = await explain_search(
        await world.service(), app_name=APP, user_id=USER, query="the coffee cafe bean", limit=1
    )

    assert {count.keyword: count.df for count in explained.keywords} == {"bean": 0, "cafe": 0, "coffee": 2}
    near = {count.keyword: [(n.keyword, n.kind) for n in count.near] for count in explained.keywords}
    assert near == {"bean": [("beans", "plural")], "cafe": [("café", "accent")], "coffee": []}
    assert [(hit.rank, hit.event_id, hit.score) for hit in explained.hits] == [(1, "s-1-2", 1.0)]
    assert [(part.keyword, part.contribution) for part in explained.hits[0].score_parts] == [("coffee", 1.0)]
    assert (explained.more, explained.cutoff, explained.reason) == (True, 1.0, None)
    assert explained.query.dead_tokens == ("the",)
    assert "coffee" not in repr(explained)
    told = json.loads(json.dumps(explained.to_dict()))
    assert told["query"]["dead_tokens"] == ["the"]
    assert told["hits"][0]["score_parts"][0]["keyword"] == "coffee"


@pytest.mark.parametrize(
    ("query", "stored", "kind"),
    [
        ("timestamps", "timestamp", "plural"),
        ("story", "stories", "plural"),
        ("cafe", "café", "accent"),
        ("elan", "élan", "accent"),
        ("coldresume", "cold_resume", "separator"),
        ("cold resume", "coldresume", "separator"),
        ("recieve", "receive", "typo"),
        ("offee", "coffee", "typo"),
        ("toffee", "coffee", "typo"),
    ],
)
async def test_what_nearly_met_is_named(world: World, query: str, stored: str, kind: str) -> None:
    """Also with thousands of other words around it."""
    filler = " ".join(f"filler{n}" for n in range(500))
    await world.write(f"{stored} {filler}")

    explained = await explain_search(await world.service(), app_name=APP, user_id=USER, query=query)

    assert (stored, kind) in {
        (near.keyword, near.kind) for count in explained.keywords for near in count.near
    }


async def test_digits_are_never_near() -> None:
    """Order 4417 is not order 4418."""
    from mongorecall.inspection._near_keywords import near_keywords

    assert near_keywords("4417", ["4418", "44170", "order4417"]) == ()


@pytest.mark.parametrize(
    ("event_id", "cause", "stage"),
    [
        ("s-1-1", None, "found"),
        ("s-1-2", "no_shared_keyword", "no keyword in common with the query"),
        ("e-tool", "not_indexed", "skipped at write"),
        ("late", "stale_session", "not in the copy of the session that was stored"),
        ("nowhere", "nothing_written", "never written under this key"),
        ("other-1", "key_mismatch", "stored for another user"),
    ],
)
async def test_the_first_stage_that_lost_an_event_is_named(
    world: World, event_id: str, cause: str | None, stage: str
) -> None:
    """With the session given and key listing allowed, every stage can be told from the others."""
    await world.write(COFFEE, "I like tea", make_tool_event({"order": 4417}))
    await world.write("Another coffee", user_id="anna", session_id="other")
    session = make_session(
        COFFEE, "I like tea", make_tool_event({"order": 4417}), make_event("coffee again", event_id="late")
    )

    explained = await explain_search(
        await world.service(),
        app_name=APP,
        user_id=USER,
        query="coffee",
        expect=event_id,
        session=session,
        allow_key_listing=True,
    )

    assert explained.expected is not None
    assert (explained.expected.cause, explained.expected.stage) == (cause, stage)
    assert (explained.expected.next_step is None) == (cause is None)
