"""A page is full whatever is stored: duplicates and malformed documents use up no place."""

from __future__ import annotations

from typing import Any

import pytest

from mongorecall._ranking import PageBuilder, Ranked
from tests.ranking.test_overlap import document


def row(event_id: str, text: str = "kiln", **values: Any) -> Ranked:
    """A ranked turn."""
    return Ranked(document(event_id, text, **values), 1.0, ("kiln",))


def malformed(event_id: str) -> Ranked:
    """A ranked turn that cannot be read."""
    return row(event_id, content="walnut")


def ids(page: PageBuilder) -> list[str | None]:
    """The event ids of the page."""
    return [memory.id for memory in page.memories]


def test_each_memory_says_its_score_and_why() -> None:
    page = PageBuilder(5)
    page.take([Ranked(document("a", "kiln", "glaze"), 2.0, ("glaze", "kiln"))])
    assert page.memories[0].score == 2.0
    assert page.memories[0].matched_keywords == ["glaze", "kiln"]


def test_duplicates_are_removed_before_the_limit() -> None:
    page = PageBuilder(2)
    page.take([row("a"), row("b"), row("c"), row("d", "oven")])
    assert ids(page) == ["a", "d"]
    assert not page.more


def test_malformed_documents_are_skipped_before_the_limit_and_counted() -> None:
    page = PageBuilder(1)
    page.take([malformed("x"), malformed("y"), row("a"), malformed("z")])
    assert ids(page) == ["a"]
    assert (page.skipped, page.more) == (2, False)


@pytest.mark.parametrize(
    ("rest", "more"),
    [([], False), ([row("b")], False), ([malformed("b")], False), ([row("b", "oven")], True)],
)
def test_more_means_a_further_memory(rest: list[Ranked], more: bool) -> None:
    page = PageBuilder(1)
    page.take([row("a"), *rest])
    assert ids(page) == ["a"]
    assert page.more is more


def test_rows_may_come_in_batches() -> None:
    page = PageBuilder(2)
    for batch in ([row("a")], [row("b"), row("c", "oven")], [row("d", "glaze")]):
        page.take(batch)
    assert ids(page) == ["a", "c"]
    assert page.more


def test_nothing_is_read_beyond_the_row_that_shows_more() -> None:
    page = PageBuilder(1)
    rows = iter([row("a"), row("b", "oven"), malformed("c"), malformed("d")])
    page.take(rows)
    assert page.skipped == 0


def test_one_warning_a_page_with_the_key_and_no_text(caplog: pytest.LogCaptureFixture) -> None:
    broken = row("x", content="walnut", app_name="shop", user_id="u-42")
    PageBuilder(1).take([broken, broken])
    [message] = caplog.messages
    assert message == "memory.malformed key='shop/u-42' kind=content_unreadable"
