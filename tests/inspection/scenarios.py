"""The faults, each as a person would meet it: 70 and more, by cause."""

from __future__ import annotations

import asyncio
import copy
from datetime import UTC, datetime, timedelta
from typing import Any

from mongorecall import Content, Event, Part
from mongorecall.inspection import Diagnosis
from mongorecall.testing.factories import MONDAY, make_event, make_session, make_tool_event
from tests.inspection.world import APP, COFFEE, USER, Scenarios, World

scenario = Scenarios()

SHORT = 0.05
"""Seconds: a ttl that is over before the next call."""


async def expire() -> None:
    """Wait until `SHORT` is over; the server's sweep comes much later."""
    await asyncio.sleep(2 * SHORT)


# --- healthy: the cause must be None ---------------------------------------------------------------


@scenario(None)
async def a_plain_search_works(world: World) -> Diagnosis:
    await world.write(COFFEE)
    return await world.ask("coffee")


@scenario(None)
async def a_question_mark_does_not_hide_a_word(world: World) -> Diagnosis:
    await world.write(COFFEE)
    return await world.ask("What coffee do I usually get?")


@scenario(None)
async def a_whole_session_is_stored(world: World) -> Diagnosis:
    session = await world.write(COFFEE, "And a croissant, please.", make_tool_event({"order": 4417}))
    return await world.ask("croissant", session=session, expect="s-1-2")


@scenario(None)
async def a_neighbour_under_a_near_key_changes_nothing(world: World) -> Diagnosis:
    await world.write(COFFEE)
    await world.write(COFFEE, user_id="42")
    return await world.ask("coffee", allow_key_listing=True)


@scenario(None)
async def a_dead_token_beside_a_living_one_does_no_harm(world: World) -> Diagnosis:
    await world.write(COFFEE)
    return await world.ask("the coffee !!!", expect="s-1-1")


@scenario(None)
async def an_index_dropped_meanwhile_makes_it_slow_and_not_wrong(world: World) -> Diagnosis:
    await world.write(COFFEE)
    world.raw.drop_index("app_user_keywords")
    diagnosis = await world.ask("coffee")
    assert any("index is missing" in sentence for sentence in diagnosis.advice)
    return diagnosis


@scenario(None)
async def an_index_hidden_meanwhile_makes_it_slow_and_not_wrong(world: World) -> Diagnosis:
    await world.write(COFFEE)
    hide = {"name": "app_user_keywords", "hidden": True}
    world.raw.database.command("collMod", world.raw.name, index=hide)
    diagnosis = await world.ask("coffee")
    world.raw.database.command("collMod", world.raw.name, index=hide | {"hidden": False})
    assert any("index is hidden" in sentence for sentence in diagnosis.advice)
    return diagnosis


@scenario(None)
async def memories_of_another_analyzer_are_counted_and_no_cause(world: World) -> Diagnosis:
    await world.write("The ticket is open", stop_words={"the", "is"})
    diagnosis = await world.ask("ticket")
    assert diagnosis.checks[0].evidence["other_rules"] == 1
    assert any("another analyzer" in sentence for sentence in diagnosis.advice)
    return diagnosis


@scenario(None)
async def other_languages_are_found(world: World) -> Diagnosis:
    await world.write("Мой любимый кофе — раф", "使用MongoDB存储")
    return await world.ask("mongodb", expect="s-1-2")


@scenario(None)
async def some_forgotten_turns_do_not_matter_to_the_others(world: World) -> Diagnosis:
    await world.write(COFFEE, "Coffee with oat milk")
    service = await world.service()
    await service.delete_memory(app_name=APP, user_id=USER, memory_id="s-1-1")
    return await world.ask("coffee")


# --- nothing written -------------------------------------------------------------------------------


@scenario("nothing_written")
async def the_writer_was_never_called(world: World) -> Diagnosis:
    return await world.ask("coffee")


@scenario("nothing_written")
async def the_writer_was_never_called_and_all_keys_were_looked_at(world: World) -> Diagnosis:
    return await world.ask("coffee", allow_key_listing=True)


@scenario("nothing_written")
async def only_strangers_were_written(world: World) -> Diagnosis:
    for user in ("u-41", "u-43", "anna"):
        await world.write(COFFEE, user_id=user)
    return await world.ask("coffee", allow_key_listing=True)


@scenario("nothing_written")
async def this_session_was_never_added(world: World) -> Diagnosis:
    await world.write("I like tea", session_id="s-0")
    return await world.ask("coffee", session=make_session(COFFEE))


@scenario("nothing_written")
async def the_expected_turn_was_never_added(world: World) -> Diagnosis:
    await world.write("I like tea")
    return await world.ask("coffee", expect="s-9-1")


@scenario("nothing_written")
async def a_near_key_must_not_be_told_without_permission(world: World) -> Diagnosis:
    await world.write(COFFEE, user_id="42")
    return await world.ask("coffee")


# --- key mismatch ----------------------------------------------------------------------------------


def key_scenario(name: str, app_name: str, user_id: str) -> None:
    async def run(world: World) -> Diagnosis:
        await world.write(COFFEE, app_name=app_name, user_id=user_id)
        diagnosis = await world.ask("coffee", allow_key_listing=True)
        near = diagnosis.checks[1].evidence["near_keys"]
        assert [key["key"] for key in near] == [f"{app_name}/{user_id}"]
        return diagnosis

    run.__name__ = name
    scenario("key_mismatch")(run)


key_scenario("the_writer_uses_the_number", APP, "42")
key_scenario("the_writer_uses_capitals", APP, "U-42")
key_scenario("the_writer_adds_a_space", APP, "u-42 ")
key_scenario("the_writer_uses_an_underscore", APP, "u_42")
key_scenario("the_writer_uses_no_dash", APP, "u42")
key_scenario("the_writer_uses_a_longer_prefix", APP, "user-u-42")
key_scenario("the_writer_pads_with_zeros", APP, "u-0042")
key_scenario("the_writer_swaps_app_and_user", USER, APP)
key_scenario("the_writer_has_another_form_of_the_app", "support-bot", USER)
key_scenario("the_writer_capitalises_the_app", "Support", USER)
key_scenario("the_writer_has_another_app_altogether", "back_office", USER)
key_scenario("the_writer_misspells_the_app", "suport", USER)
key_scenario("both_ids_differ", "Support", "U-42")


@scenario("key_mismatch")
async def the_writer_stores_the_user_as_a_number(world: World) -> Diagnosis:
    await world.write(COFFEE)
    document = world.raw.find_one_and_delete({})
    assert document is not None
    document["user_id"] = document["_id"]["user_id"] = 42
    world.raw.insert_one(document)
    return await world.ask("coffee", user_id="42", allow_key_listing=True)


@scenario("key_mismatch")
async def there_are_more_keys_than_can_be_listed(world: World) -> Diagnosis:
    await world.write(COFFEE, user_id="42")
    documents = [
        {"_id": {"app_name": app, "user_id": "x", "session_id": "s", "event_id": "e"}}
        for app in (f"app-{n:03}" for n in range(130))
    ]
    world.raw.insert_many(documents)
    diagnosis = await world.ask("coffee", allow_key_listing=True)
    assert diagnosis.checks[1].evidence["all_keys_seen"] is False
    return diagnosis


@scenario("key_mismatch")
async def the_session_names_another_user(world: World) -> Diagnosis:
    session = await world.write(COFFEE, user_id="42")
    return await world.ask("coffee", session=session)


@scenario("key_mismatch")
async def the_expected_turn_belongs_to_another_user(world: World) -> Diagnosis:
    await world.write("I like tea")
    await world.write(COFFEE, user_id="anna", session_id="s-2")
    return await world.ask("coffee", expect="s-2-1", allow_key_listing=True)


@scenario("key_mismatch")
async def the_expected_turn_belongs_to_another_app(world: World) -> Diagnosis:
    await world.write(COFFEE, app_name="sales", session_id="s-2")
    return await world.ask("coffee", expect="s-2-1", allow_key_listing=True)


@scenario("key_mismatch")
async def one_of_two_writers_uses_another_key(world: World) -> Diagnosis:
    await world.write("I live in Utrecht")
    await world.write(COFFEE, user_id="42", session_id="s-2")
    return await world.ask("coffee", allow_key_listing=True)


# --- no searchable words ---------------------------------------------------------------------------


@scenario("no_searchable_words")
async def the_query_is_stop_words(world: World) -> Diagnosis:
    await world.write(COFFEE)
    return await world.ask("what is it")


@scenario("no_searchable_words")
async def the_query_is_punctuation(world: World) -> Diagnosis:
    await world.write(COFFEE)
    return await world.ask("?! … 🙂")


@scenario("no_searchable_words")
async def the_query_is_empty(world: World) -> Diagnosis:
    await world.write(COFFEE)
    return await world.ask("", expect="s-1-1")


@scenario("no_searchable_words")
async def the_word_is_on_the_services_own_list(world: World) -> Diagnosis:
    await world.write(COFFEE, stop_words={"coffee"})
    return await world.ask("coffee", options={"stop_words": {"coffee"}})


# --- no shared keyword -----------------------------------------------------------------------------


@scenario("no_shared_keyword")
async def other_words_were_said(world: World) -> Diagnosis:
    await world.write(COFFEE)
    return await world.ask("espresso")


@scenario("no_shared_keyword")
async def the_plural_was_asked_for(world: World) -> Diagnosis:
    await world.write(COFFEE)
    diagnosis = await world.ask("coffees", expect="s-1-1")
    assert diagnosis.expected is not None
    assert [(word, near.keyword, near.kind) for word, near in diagnosis.expected.near] == [
        ("coffees", "coffee", "plural")
    ]
    return diagnosis


@scenario("no_shared_keyword")
async def a_letter_is_missing(world: World) -> Diagnosis:
    await world.write(COFFEE)
    diagnosis = await world.ask("cofee")
    assert diagnosis.checks[2].evidence["keywords"] == [
        {"keyword": "cofee", "df": 0, "near": [{"keyword": "coffee", "kind": "typo"}]}
    ]
    return diagnosis


@scenario("no_shared_keyword")
async def an_accent_is_missing(world: World) -> Diagnosis:
    await world.write("The café on the corner")
    return await world.ask("cafe", session=make_session("The café on the corner"))


@scenario("no_shared_keyword")
async def a_compound_was_asked_for(world: World) -> Diagnosis:
    await world.write(COFFEE)
    return await world.ask("flatwhite", allow_key_listing=True)


# --- not indexed -----------------------------------------------------------------------------------


@scenario("not_indexed")
async def the_fact_is_in_a_tool_result(world: World) -> Diagnosis:
    session = await world.write(COFFEE, make_tool_event({"order": "4417", "status": "shipped"}))
    return await world.ask("Where's order 4417?", session=session)


@scenario("not_indexed")
async def the_fact_is_in_a_tool_result_beside_stored_text(world: World) -> Diagnosis:
    await world.write(make_tool_event({"order": 4417}, text="Here is what I found."))
    return await world.ask("4417")


@scenario("not_indexed")
async def the_fact_is_in_a_tool_call(world: World) -> Diagnosis:
    call = Part.model_validate({"function_call": {"name": "book", "args": {"city": "Utrecht"}}})
    event = Event(id="e-1", author="agent", timestamp=MONDAY, content=Content(parts=[call]))
    session = await world.write(COFFEE, event)
    return await world.ask("utrecht", session=session)


@scenario("not_indexed")
async def the_fact_was_only_thought(world: World) -> Diagnosis:
    event = Event(id="e-1", content=Content(parts=[Part(text="They want espresso", thought=True)]))
    session = await world.write(COFFEE, event)
    return await world.ask("espresso", session=session)


@scenario("not_indexed")
async def the_expected_turn_is_an_image(world: World) -> Diagnosis:
    image = Part.model_validate({"inline_data": {"mime_type": "image/png", "data": "AAAA"}})
    session = await world.write(COFFEE, Event(id="e-1", content=Content(parts=[image])))
    return await world.ask("picture", session=session, expect="e-1")


@scenario("not_indexed")
async def the_fact_is_in_the_sessions_state(world: World) -> Diagnosis:
    session = await world.write(COFFEE)
    session.state = {"address": {"city": "Utrecht"}}  # type: ignore[attr-defined]  # kept as a further field
    return await world.ask("utrecht", session=session)


@scenario("not_indexed")
async def only_a_streaming_chunk_was_added(world: World) -> Diagnosis:
    session = await world.write(COFFEE, make_event("espresso it is", event_id="e-1", partial=True))
    return await world.ask("espresso", session=session)


@scenario("not_indexed")
async def every_turn_is_a_tool_result(world: World) -> Diagnosis:
    session = await world.write(make_tool_event({"order": 4417}))
    return await world.ask("4417", session=session)


@scenario("not_indexed")
async def the_newest_version_of_the_turn_has_no_text(world: World) -> Diagnosis:
    await world.write(COFFEE)
    await world.write(make_event("", event_id="s-1-1"))
    return await world.ask("coffee", expect="s-1-1")


# --- stale session ---------------------------------------------------------------------------------


@scenario("stale_session")
async def late_turns_are_missing(world: World) -> Diagnosis:
    await world.write("Hello there")
    return await world.ask("coffee", session=make_session("Hello there", COFFEE))


@scenario("stale_session")
async def a_turn_was_edited_later(world: World) -> Diagnosis:
    await world.write("My favourite drink is tea")
    return await world.ask("coffee", session=make_session(COFFEE))


@scenario("stale_session")
async def the_expected_turn_came_after_the_copy(world: World) -> Diagnosis:
    await world.write("Hello there")
    return await world.ask("coffee", session=make_session("Hello there", COFFEE), expect="s-1-2")


@scenario("stale_session")
async def an_event_id_that_another_session_has_too_is_not_the_same_event(world: World) -> Diagnosis:
    await world.write(make_event("coffee at noon", event_id="e-2"), session_id="s-0")
    await world.write(make_event("Hello there", event_id="e-1"))
    whole = make_session(make_event("Hello there", event_id="e-1"), make_event(COFFEE, event_id="e-2"))
    return await world.ask("coffee", session=whole, expect="e-2")


@scenario("stale_session")
async def a_late_turn_is_missing_beside_an_early_hit(world: World) -> Diagnosis:
    await world.write("Which coffee do you have?")
    return await world.ask("coffee", session=make_session("Which coffee do you have?", COFFEE))


# --- cut by the limit ------------------------------------------------------------------------------


@scenario("cut_by_limit")
async def better_ones_fill_the_page(world: World) -> Diagnosis:
    await world.write("coffee", *(f"flat white coffee {n}" for n in range(3)))
    return await world.ask("flat white coffee", options={"max_results": 2}, expect="s-1-1")


@scenario("cut_by_limit")
async def newer_ones_fill_the_page(world: World) -> Diagnosis:
    await world.write(*(f"coffee {n}" for n in range(5)))
    diagnosis = await world.ask("coffee", limit=3, expect="s-1-1")
    assert diagnosis.expected is not None
    assert (diagnosis.expected.rank, diagnosis.expected.score, diagnosis.expected.last_score) == (5, 1.0, 1.0)
    return diagnosis


@scenario("cut_by_limit")
async def a_common_word_matches_everything(world: World) -> Diagnosis:
    await world.write(*(f"Please bring item {n}" for n in range(60)))
    return await world.ask("please", expect="s-1-1")


# --- filtered --------------------------------------------------------------------------------------


@scenario("filtered")
async def the_search_is_for_another_session(world: World) -> Diagnosis:
    await world.write(COFFEE)
    await world.write("I like tea", session_id="s-2")
    return await world.ask("coffee", session_id="s-2", expect="s-1-1")


@scenario("filtered")
async def the_search_is_for_another_author(world: World) -> Diagnosis:
    await world.write(COFFEE)
    return await world.ask("coffee", author="agent")


@scenario("filtered")
async def the_search_is_for_another_time(world: World) -> Diagnosis:
    await world.write(COFFEE)
    since = datetime.fromtimestamp(MONDAY, UTC) + timedelta(days=1)
    return await world.ask("coffee", since=since, expect="s-1-1")


@scenario("filtered")
async def the_score_is_too_low(world: World) -> Diagnosis:
    await world.write(COFFEE, "coffee flat white")
    return await world.ask("coffee flat white oat", min_score=4, expect="s-1-2")


# --- duplicate -------------------------------------------------------------------------------------


@scenario("duplicate")
async def the_same_turn_lies_in_two_sessions(world: World) -> Diagnosis:
    await world.write(COFFEE)
    await world.write(make_event(COFFEE, event_id="copy"), session_id="s-2")
    return await world.ask("coffee", expect="s-1-1" if await _first(world) == "copy" else "copy")


@scenario("duplicate")
async def the_same_turn_has_two_ids(world: World) -> Diagnosis:
    await world.write(make_event(COFFEE, event_id="a"), make_event(COFFEE, event_id="b"))
    return await world.ask("coffee", expect="b")


@scenario("duplicate")
async def a_copy_was_made_past_the_library(world: World) -> Diagnosis:
    await world.write(COFFEE)
    document = copy.deepcopy(world.raw.find_one({}))
    assert document is not None
    document["_id"]["event_id"] = "z"
    world.raw.insert_one(document)
    return await world.ask("coffee", expect="z")


async def _first(world: World) -> str | None:
    found = await (await world.service()).search_memory(app_name=APP, user_id=USER, query="coffee")
    return found.memories[0].id


# --- expired ---------------------------------------------------------------------------------------


@scenario("expired")
async def everything_has_expired(world: World) -> Diagnosis:
    await world.write(COFFEE, ttl=SHORT)
    await expire()
    return await world.ask("coffee")


@scenario("expired")
async def what_matches_has_expired(world: World) -> Diagnosis:
    await world.write("I like tea")
    await world.write(COFFEE, session_id="s-2", ttl=SHORT)
    await expire()
    return await world.ask("coffee")


@scenario("expired")
async def the_expected_turn_has_expired(world: World) -> Diagnosis:
    await world.write("Coffee without sugar")
    await world.write(COFFEE, session_id="s-2", ttl=SHORT)
    await expire()
    return await world.ask("coffee", expect="s-2-1")


@scenario("expired")
async def the_retention_is_over(world: World) -> Diagnosis:
    session = await world.write(COFFEE, retention=timedelta(seconds=1))
    world.raw.update_many({}, {"$set": {"mr.expires_at": datetime(2020, 1, 1, tzinfo=UTC)}})
    return await world.ask("coffee", session=session)


# --- forgotten -------------------------------------------------------------------------------------


@scenario("forgotten")
async def the_user_was_forgotten(world: World) -> Diagnosis:
    await world.write(COFFEE)
    await (await world.service()).delete_user_memory(app_name=APP, user_id=USER)
    return await world.ask("coffee")


@scenario("forgotten")
async def the_expected_turn_was_forgotten(world: World) -> Diagnosis:
    await world.write(COFFEE, "Coffee without sugar")
    await (await world.service()).delete_memory(app_name=APP, user_id=USER, memory_id="s-1-1")
    return await world.ask("coffee", expect="s-1-1")


@scenario("forgotten")
async def the_session_was_forgotten_and_added_again(world: World) -> Diagnosis:
    await world.write("I like tea", session_id="s-0")
    session = await world.write(COFFEE)
    await (await world.service()).delete_session_memory(app_name=APP, user_id=USER, session_id="s-1")
    await world.write(COFFEE)
    return await world.ask("coffee", session=session)


# --- malformed -------------------------------------------------------------------------------------


async def _damage(world: World, change: dict[str, Any], event_id: str = "s-1-1") -> None:
    world.raw.update_one({"_id.event_id": event_id}, change)


@scenario("malformed")
async def the_content_is_a_text(world: World) -> Diagnosis:
    await world.write(COFFEE)
    await _damage(world, {"$set": {"content": COFFEE}})
    return await world.ask("coffee")


@scenario("malformed")
async def the_content_is_gone(world: World) -> Diagnosis:
    await world.write(COFFEE, "Coffee without sugar")
    await _damage(world, {"$unset": {"content": 1}})
    return await world.ask("coffee", expect="s-1-1")


@scenario("malformed")
async def the_keywords_are_gone(world: World) -> Diagnosis:
    await world.write(COFFEE)
    await _damage(world, {"$unset": {"keywords": 1}})
    return await world.ask("coffee")


@scenario("malformed")
async def the_keywords_are_a_number(world: World) -> Diagnosis:
    session = await world.write(COFFEE, "I like tea")
    await _damage(world, {"$set": {"keywords": 7}})
    return await world.ask("coffee", session=session, expect="s-1-1")


@scenario("malformed")
async def somebody_wrote_documents_of_another_shape(world: World) -> Diagnosis:
    world.raw.insert_one({"app_name": APP, "user_id": USER, "keywords": ["coffee"], "content": 5})
    return await world.ask("coffee")


# --- stale analyzer --------------------------------------------------------------------------------


@scenario("stale_analyzer")
async def the_word_was_a_stop_word_when_it_was_written(world: World) -> Diagnosis:
    await world.write("The ticket is open", stop_words={"the", "is", "ticket"})
    return await world.ask("ticket")


@scenario("stale_analyzer")
async def the_expected_turn_was_written_by_other_rules(world: World) -> Diagnosis:
    await world.write("The ticket is open", stop_words={"the", "is", "ticket"})
    return await world.ask("ticket", expect="s-1-1")


@scenario("stale_analyzer")
async def the_multilingual_rules_came_later(world: World) -> Diagnosis:
    session = await world.write("我叫小林，我住在青岛")
    return await world.ask("青岛", options={"analyzer": "multilingual"}, session=session)


@scenario("stale_analyzer")
async def the_multilingual_rules_were_left_again(world: World) -> Diagnosis:
    await world.write("Ich trinke gern Kaffees", analyzer="multilingual")
    world.raw.update_many({}, {"$set": {"keywords": ["kaffe", "trink"]}})
    return await world.ask("kaffees", expect="s-1-1")


@scenario("stale_analyzer")
async def the_keywords_were_made_by_another_program(world: World) -> Diagnosis:
    await world.write(COFFEE)
    await _damage(world, {"$set": {"keywords": ["Coffee", "Flat"]}})
    return await world.ask("coffee")


# --- mixtures: the first check that fails names the cause ------------------------------------------


@scenario("nothing_written")
async def never_written_and_a_dead_query(world: World) -> Diagnosis:
    return await world.ask("what is it")


@scenario("key_mismatch")
async def the_wrong_key_and_a_dead_query(world: World) -> Diagnosis:
    await world.write(COFFEE, user_id="42")
    return await world.ask("what is it", allow_key_listing=True)


@scenario("key_mismatch")
async def the_wrong_key_and_a_fact_in_a_tool_result(world: World) -> Diagnosis:
    await world.write(COFFEE, make_tool_event({"order": 4417}), user_id="42")
    return await world.ask("4417", allow_key_listing=True)


@scenario("no_searchable_words")
async def a_dead_query_and_a_stale_session(world: World) -> Diagnosis:
    await world.write("Hello there")
    return await world.ask("what is it", session=make_session("Hello there", COFFEE))


@scenario("stale_session")
async def a_stale_session_and_a_typo(world: World) -> Diagnosis:
    await world.write("I drink cofee")
    return await world.ask("coffee", session=make_session("I drink cofee", COFFEE))


@scenario("stale_session")
async def a_stale_session_and_a_dropped_index(world: World) -> Diagnosis:
    await world.write("Hello there")
    world.raw.drop_index("app_user_keywords")
    diagnosis = await world.ask("coffee", session=make_session("Hello there", COFFEE))
    assert any("index is missing" in sentence for sentence in diagnosis.advice)
    return diagnosis


@scenario("forgotten")
async def forgotten_here_and_stored_under_a_near_key(world: World) -> Diagnosis:
    await world.write(COFFEE)
    await (await world.service()).delete_user_memory(app_name=APP, user_id=USER)
    await world.write(COFFEE, user_id="42")
    return await world.ask("coffee", allow_key_listing=True)


@scenario("expired")
async def expired_and_under_other_rules(world: World) -> Diagnosis:
    await world.write("The ticket is open", stop_words={"the", "ticket"})
    await world.write("Another ticket", session_id="s-2", ttl=SHORT)
    await expire()
    return await world.ask("ticket", expect="s-2-1")


@scenario("malformed")
async def damaged_and_beside_other_rules(world: World) -> Diagnosis:
    await world.write("The ticket is open", stop_words={"the", "ticket"})
    await world.write("A ticket again", session_id="s-2")
    await _damage(world, {"$set": {"content": []}}, "s-2-1")
    return await world.ask("ticket")


@scenario("not_indexed")
async def in_a_tool_result_with_dead_tokens_around_it(world: World) -> Diagnosis:
    session = await world.write(COFFEE, make_tool_event({"order": "4417"}))
    diagnosis = await world.ask("is it 4417 ?", session=session)
    assert diagnosis.query.dead_tokens == ("is", "it", "?")
    return diagnosis


@scenario("filtered")
async def filtered_and_far_below_the_limit(world: World) -> Diagnosis:
    await world.write(*(f"coffee {n}" for n in range(5)))
    return await world.ask("coffee", limit=1, author="agent", expect="s-1-1")


@scenario("no_shared_keyword")
async def a_typo_and_a_stranger_with_the_right_word(world: World) -> Diagnosis:
    await world.write(COFFEE)
    await world.write("espresso", user_id="u-43")
    return await world.ask("espresso", allow_key_listing=True)
