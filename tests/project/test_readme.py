"""The README tells the truth: its code runs, prints what it says, and its links lead somewhere."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import httpx
import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


def blocks() -> list[tuple[str, str, str]]:
    """Each Python block: a name, the code, and what it prints as the text block behind it says."""
    found = _BLOCK.findall(README)
    followed = zip(found, [*found[1:], ("", "")], strict=True)
    return [
        (f"block {place}", code, said if kind == "text" else "")
        for place, ((language, code), (kind, said)) in enumerate(followed, 1)
        if language == "python"
    ]


def on_server(code: str, uri: str, database: str) -> str:
    """The code with the server and database of the test in place of the printed ones."""
    return code.replace("mongodb://localhost:27017", uri).replace('"my_app"', f'"{database}"')


@pytest.mark.parametrize(("code", "said"), [pytest.param(c, s, id=n) for n, c, s in blocks()])
def test_a_block_runs_and_prints_what_stands_below_it(code: str, said: str, uri: str, database: str) -> None:
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(on_server(code, uri, database), "README.md", "exec"), {"__name__": "__main__"})

    assert printed.getvalue() == said


async def test_the_fastapi_block_remembers_and_recalls(uri: str, database: str) -> None:
    (code,) = [code for _, code, _ in blocks() if "FastAPI(" in code]
    names: dict[str, Any] = {}
    exec(compile(on_server(code, uri, database), "README.md", "exec"), names)
    app = names["app"]

    async with app.router.lifespan_context(app) as state:

        async def served(scope: Any, receive: Any, send: Any) -> None:
            await app({**scope, "state": dict(state)}, receive, send)

        transport = httpx.ASGITransport(served)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            first = await client.post("/say", params={"text": "My favourite coffee is a flat white."})
            second = await client.post("/say", params={"text": "Which coffee do I like?"})

    assert first.json() == []
    assert second.json() == ["My favourite coffee is a flat white."]


@pytest.mark.parametrize("page", sorted(p.relative_to(ROOT).as_posix() for p in ROOT.glob("docs/**/*.md")))
def test_every_link_of_a_page_leads_to_a_file(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")

    assert [link for link in _LINK.findall(text) if not (ROOT / page).parent.joinpath(link).exists()] == []


def test_every_link_of_the_readme_leads_to_a_file() -> None:
    assert [link for link in _LINK.findall(README) if not (ROOT / link).exists()] == []


def test_the_commands_of_the_readme_are_targets_of_make() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

    assert set(re.findall(r"make ([a-z0-9-]+)", README)) <= targets
