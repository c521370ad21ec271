"""People look at their memories, find out why a search misses, and forget."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import FilePayload, expect

from tests.e2e.conftest import Inspector, Visit
from tests.e2e.world import BIDI, PAYLOADS

OpenPage = Callable[..., Visit]


def test_a_wrong_token_does_not_let_in(open_page: OpenPage) -> None:
    visit = open_page()
    visit.page.fill("#token", "not the token")
    visit.page.click("#login button")
    expect(visit.page.locator("#login-error")).to_have_text("This is not the token.")
    assert visit.page.locator("#panes").is_hidden()


def test_the_forgotten_coffee_order_is_found(open_page: OpenPage) -> None:
    visit = open_page().log_in().open_scope("support", "u-42").show_content()
    visit.ask("What coffee do I usually get?")
    first = visit.page.locator(".hit-card", has_text="flat white").first
    expect(first.locator("mark")).to_have_text("coffee")
    expect(first.locator(".score-parts li")).to_have_text("+1coffee")
    tokens = visit.page.locator("#reading .token")
    expect(tokens.filter(has_text="coffee")).to_contain_text("in 4 turns")
    expect(tokens.filter(has_text="What")).to_contain_text("stop word")
    expect(tokens.filter(has_text="usually")).to_contain_text("in no turn")
    first.locator(".hit-open").click()
    expect(visit.page.locator("#turns-head h2")).to_have_text("monday")
    expect(visit.page.locator(".turn.hit", has_text="flat white").first).to_be_in_viewport()


def test_a_score_by_context_is_taken_apart(open_page: OpenPage, by_context: Inspector) -> None:
    visit = open_page(at=by_context).log_in().open_scope("support", "u-42").show_content()
    visit.ask("Which hazelnuts allergic user")
    fact = visit.page.locator(".hit-card", has_text="And no praline")
    own = fact.locator(".score-parts li:not(.lent, .factor)")
    expect(own).to_have_text([re.compile(r"^\+\d+\.\d\dallergic$"), re.compile(r"^\+\d+\.\d\dhazelnuts$")])
    expect(fact.locator(".score-parts .factor")).to_contain_text("named author× 1.30")
    reply = visit.page.locator(".hit-card", has_text="Understood")
    lent = reply.locator(".score-parts .lent")
    expect(lent).to_contain_text("allergic")
    expect(lent).to_contain_text("× 0.70, lent from 1 turn before: monday-3")
    for card in visit.page.locator(".hit-card").all():
        parts = card.locator(".score-parts b").all()
        total = float(card.locator(".score-head b").inner_text())
        assert sum(float(str(part.get_attribute("title"))) for part in parts) == pytest.approx(
            total, abs=0.005
        )


def test_a_dead_query_says_why(open_page: OpenPage) -> None:
    visit = open_page().log_in().open_scope("support", "u-42").ask("what is it?")
    expect(visit.page.locator("#reading .token.dead")).to_have_count(3)
    expect(visit.page.locator("#checks .cause")).to_have_text("no_searchable_words")
    failed = visit.page.locator(".check.fail")
    expect(failed).to_have_attribute("data-check", "MATCH_RULES")
    expect(failed.locator(".next")).to_contain_text("Ask with words")


def test_another_key_is_found(open_page: OpenPage) -> None:
    visit = open_page().log_in().open_scope("support", "U-42").ask("coffee")
    expect(visit.page.locator("#checks .cause")).to_have_text("key_mismatch")
    key = visit.page.locator("[data-check=KEY]")
    expect(key.locator(".evidence")).to_contain_text("support/u-42")
    expect(key.locator(".next")).to_contain_text("shared function")


def test_a_turn_below_the_line_says_why(open_page: OpenPage) -> None:
    visit = open_page().log_in().open_scope("pottery", "u-7").show_content()
    visit.page.select_option("#limit", "3")
    visit.ask("kiln cone")
    expect(visit.page.locator(".cut-line")).to_have_text("the page of 3 ends here")
    expect(visit.page.locator("#hits > li").nth(3)).to_have_class("cut-line")
    turn = visit.page.locator(".turn", has_text="Kiln note 1:")
    turn.get_by_role("button", name=re.compile("Why|How")).click()
    fate = visit.page.locator(".fate")
    expect(fate.locator(".journey .stopped")).to_have_text("on the page")
    expect(fate).to_contain_text("ranked 9")
    expect(fate.locator(".next")).to_contain_text("Raise max_results")


def test_a_turn_that_shares_no_word_says_why(open_page: OpenPage) -> None:
    visit = open_page().log_in().open_scope("support", "u-42").ask("hazelnut praline")
    visit.page.locator("[data-session=lisbon]").click()
    expect(visit.page.locator("#turns-head h2")).to_have_text("lisbon")
    visit.page.get_by_role("button", name="Why not this one?").first.click()
    expect(visit.page.locator(".fate .journey .stopped")).to_have_text("shares a word")


def test_content_is_hidden_until_it_is_asked_for(open_page: OpenPage) -> None:
    visit = open_page().log_in().open_scope("support", "u-42").ask("favourites coffee")
    visit.page.locator("[data-session=monday]").click()
    expect(visit.page.locator(".turn .redacted")).to_have_count(4)
    shown = visit.page.locator("body").inner_text()
    assert "flat white" not in shown
    assert "hazelnuts" not in shown
    assert "•••••" in shown
    visit.show_content()
    expect(visit.page.locator(".turn-text").first).to_be_visible()
    assert "flat white" in visit.page.locator("body").inner_text()


def test_the_url_holds_no_id_and_no_text(open_page: OpenPage) -> None:
    visit = open_page().log_in().open_scope("support", "u-42").ask("coffee lisbon")
    visit.page.select_option("#limit", "10")
    visit.page.locator("[data-session=monday]").click()
    address = visit.page.url
    assert "page=10" in address
    for word in ("u-42", "support", "coffee", "monday", visit.inspector.token):
        assert word not in address
    visit.page.reload()
    visit.page.wait_for_selector("[data-session]")
    assert visit.page.locator("#limit").input_value() == "10"


def test_a_session_file_shows_what_was_skipped(open_page: OpenPage) -> None:
    visit = open_page().log_in().open_scope("support", "u-42")
    visit.page.locator("[data-session=monday]").click()
    expect(visit.page.locator("#turns-head h2")).to_have_text("monday")
    file = b"""{"id": "monday", "appName": "support", "userId": "u-42", "events": [
      {"id": "monday-1", "author": "user", "timestamp": 1772442035,
       "content": {"role": "user",
                   "parts": [{"text": "My favourite coffee is a flat white, with oat milk."}]}},
      {"id": "call", "author": "agent", "timestamp": 1772442040,
       "content": {"parts": [{"functionCall": {"name": "order_status", "args": {}}}]}},
      {"id": "late", "author": "user", "timestamp": 1772442999,
       "content": {"parts": [{"text": "And a bun."}]}}
    ]}"""
    chosen = FilePayload(name="monday.json", mimeType="application/json", buffer=file)
    visit.page.set_input_files("input[type=file]", files=chosen)
    ghosts = visit.page.locator(".turn.ghost")
    expect(ghosts).to_have_count(2)
    expect(ghosts.nth(0)).to_contain_text("skipped: no text in it")
    expect(ghosts.nth(0)).to_contain_text("a call of order_status")
    expect(ghosts.nth(1)).to_contain_text("not stored")


def test_a_user_is_forgotten_after_a_count_and_the_typed_id(
    open_page: OpenPage, inspector: Inspector
) -> None:
    stored = inspector.client[inspector.database]["memories"]
    mine = {"user_id": "u-99", "keywords": {"$exists": True}}
    assert stored.count_documents(mine) == 4
    visit = open_page().log_in().open_scope("support", "u-99")
    visit.page.click("#forget-user")
    dialog = visit.page.locator("#dialog")
    expect(dialog).to_contain_text("4 memories in 1 session")
    go = dialog.get_by_role("button", name="Forget 4 memories")
    expect(go).to_be_disabled()
    visit.page.fill("#confirm", "U-99")
    expect(go).to_be_disabled()
    assert stored.count_documents(mine) == 4
    visit.page.fill("#confirm", "u-99")
    go.click()
    expect(visit.page.locator(".toast")).to_have_text("4 memories forgotten.")
    expect(visit.page.locator("#turns")).to_contain_text("Nothing is remembered under this key")
    assert stored.count_documents(mine) == 0


def test_thirty_payloads_stay_text(open_page: OpenPage) -> None:
    assert len(PAYLOADS) == 30
    visit = open_page().log_in().open_scope("hostile", "u-x").show_content()
    visit.page.locator("[data-session=payloads]").click()
    turns = visit.page.locator(".turn .turn-text")
    expect(turns).to_have_count(30)
    assert turns.all_inner_texts() == [f"x {text}" for text in PAYLOADS]
    visit.page.select_option("#limit", "50")
    visit.ask("x script window onerror")
    expect(visit.page.locator(".hit-card").first).to_be_visible()
    for payload in PAYLOADS[:6]:
        visit.page.fill("#query", payload)
        visit.page.wait_for_timeout(250)
        visit.page.click("#run-checks")
    visit.page.locator("[data-session^='<b']").click()
    expect(visit.page.locator("#turns-head h2")).to_have_text("<b onclick=alert(1)>")
    expect(visit.page.locator(".turn-author")).to_have_text("<i>agent</i>")
    assert visit.page.evaluate("window.__xss") is None
    tags = "#turns a, #turns img, #turns script, #turns iframe, #results img, #results script"
    assert visit.page.locator(tags).count() == 0
    assert visit.violations() == []


def test_the_counter_of_violations_counts(open_page: OpenPage) -> None:
    visit = open_page()
    visit.page.evaluate("document.body.append(Object.assign(new Image(), {src: 'http://127.0.0.2:9/x'}))")
    visit.page.wait_for_function("window.__violations.length > 0")
    with pytest.raises(Exception, match="TrustedHTML"):
        visit.page.evaluate("document.body.innerHTML = '<b>x</b>'")
    visit.page.evaluate("window.__violations = []")
    visit.requests.clear()


def test_characters_that_deceive_are_shown(open_page: OpenPage) -> None:
    visit = open_page().log_in().open_scope("hostile", "u-x").show_content()
    visit.page.locator("[data-session^='<b']").click()
    text = visit.page.locator(".turn .turn-text")
    expect(text).to_contain_text("U+202E")
    expect(text).to_contain_text("U+200B")
    assert not set(text.inner_text()) & set(BIDI[4] + BIDI[-2])


def test_the_timeline_shows_what_was_done(open_page: OpenPage) -> None:
    visit = open_page().log_in().open_scope("support", "u-42").ask("zebra")
    visit.page.click("#timeline-handle")
    row = visit.page.locator(".operations tbody tr", has_text="hits 0").first
    expect(row).to_contain_text("search")
    expect(row).to_contain_text("support/u-42")
    assert "zebra" not in visit.page.locator(".operations").inner_text()


def test_everything_can_be_done_with_keys(open_page: OpenPage) -> None:
    visit = open_page().log_in().open_scope("support", "u-42")
    page = visit.page
    page.locator("#open-key button").focus()
    page.keyboard.press("/")
    expect(page.locator("#query")).to_be_focused()
    page.keyboard.type("coffee beans")
    expect(page.locator(".hit-card").first).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("d")
    expect(page.locator(".check")).to_have_count(4)
    page.keyboard.press("c")
    expect(page.locator(".turn-text").first).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.tagName") == "BUTTON"
    page.locator("[data-session]").nth(0).focus()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    name = page.locator("[data-session]").nth(1).get_attribute("data-session")
    expect(page.locator("#turns-head h2")).to_have_text(str(name))
    page.keyboard.press("t")
    expect(page.locator(".operations")).to_be_visible()
    page.keyboard.press("?")
    expect(page.locator("#dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#dialog")).to_be_hidden()


def test_leaving_ends_the_visit(open_page: OpenPage) -> None:
    visit = open_page().log_in()
    visit.page.click("#leave")
    visit.page.wait_for_selector("#token")
    assert visit.page.locator("#panes").is_hidden()
