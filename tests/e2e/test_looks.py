"""Screenshots that are looked at, and the accessibility rules that a program can check."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.conftest import ARTIFACTS, DESKTOP, PHONE, Inspector, Visit

OpenPage = Callable[..., Visit]

AXE = ARTIFACTS / "npm" / "node_modules" / "axe-core" / "axe.min.js"
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}
SERIOUS = {"serious", "critical"}


def faults(visit: Visit) -> list[str]:
    """Serious accessibility faults of the page as it is now."""
    visit.page.evaluate(AXE.read_text())
    found: dict[str, Any] = visit.page.evaluate(f"axe.run(document, {json.dumps(RULES)})")
    return [
        f"{fault['id']}: {node['html'][:200]}"
        for fault in found["violations"]
        if fault["impact"] in SERIOUS
        for node in fault["nodes"]
    ]


@pytest.fixture(autouse=True, scope="module")
def only_harmless_sessions(inspector: Inspector) -> None:
    """The screenshots go into the documentation; the payloads have had their test."""
    inspector.client[inspector.database]["memories"].delete_many({"app_name": "hostile"})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_on_a_desk(open_page: OpenPage, scheme: str) -> None:
    visit = open_page(color_scheme=scheme, bypass_csp=True)
    assert faults(visit) == []
    visit.shoot(f"login-{scheme}")
    visit.log_in().open_scope("support", "u-42")
    visit.page.locator("[data-session=thursday]").click()
    visit.page.select_option("#limit", "3")
    visit.ask("Which coffee beans came from Lisbon last year?")
    visit.page.wait_for_selector(".cut-line")
    visit.shoot(f"hidden-{scheme}")
    assert faults(visit) == []
    visit.show_content()
    visit.page.wait_for_selector(".turn.hit mark")
    visit.shoot(f"desktop-{scheme}")
    assert faults(visit) == []
    visit.page.locator("[data-session=lisbon]").click()
    visit.ask("favourites hazelnut")
    visit.page.wait_for_selector(".check.fail")
    visit.page.get_by_role("button", name="Why not this one?").first.click()
    visit.page.wait_for_selector(".fate")
    visit.page.click("#timeline-handle")
    visit.page.wait_for_selector(".operations")
    visit.shoot(f"why-{scheme}")
    assert faults(visit) == []
    visit.page.click("#timeline-handle")
    visit.open_scope("support", "U-42").ask("coffee")
    visit.page.wait_for_selector(".check.fail")
    visit.shoot(f"checks-{scheme}")
    assert faults(visit) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_scores_taken_apart(open_page: OpenPage, by_context: Inspector, scheme: str) -> None:
    for name, size in (("desk", DESKTOP), ("phone", PHONE)):
        visit = open_page(at=by_context, viewport=size, color_scheme=scheme, bypass_csp=True)
        visit.log_in().open_scope("support", "u-42")
        visit.page.locator("[data-session=monday]").click()
        if size is PHONE:
            visit.page.click("#tabs [data-pane=turns]")
        visit.show_content()
        if size is PHONE:
            visit.page.click("#tabs [data-pane=recall]")
        visit.ask("Which hazelnuts allergic user")
        visit.page.wait_for_selector(".score-parts .lent")
        visit.shoot(f"scores-{name}-{scheme}")
        assert faults(visit) == []
        assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_dialog(open_page: OpenPage) -> None:
    visit = open_page(bypass_csp=True).log_in().open_scope("support", "u-42")
    visit.page.click("#forget-user")
    visit.page.wait_for_selector("#confirm")
    visit.shoot("forget-light")
    assert faults(visit) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_on_a_phone(open_page: OpenPage, scheme: str) -> None:
    visit = open_page(
        viewport=PHONE,
        device_scale_factor=2,
        is_mobile=True,
        has_touch=True,
        color_scheme=scheme,
        bypass_csp=True,
    )
    visit.log_in().open_scope("support", "u-42")
    visit.page.locator("[data-session=monday]").click()
    visit.shoot(f"phone-sessions-{scheme}")
    for pane in ("turns", "recall", "timeline"):
        visit.page.click(f"#tabs [data-pane={pane}]")
        if pane == "turns":
            visit.show_content()
        if pane == "recall":
            visit.ask("What coffee do I usually get?")
            visit.page.wait_for_selector(".hit-card")
        if pane == "timeline":
            visit.page.wait_for_selector(".operations")
        visit.shoot(f"phone-{pane}-{scheme}")
        assert faults(visit) == []
        assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
            "no sideways scrolling"
        )
