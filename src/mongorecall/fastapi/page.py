"""The inspector's files, read once: one page, and what it loads from its own origin."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING

from starlette.responses import Response

from mongorecall.fastapi._refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

PAGE = "index.html"

_TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "woff2": "font/woff2",
}


@cache
def static_files() -> Mapping[str, bytes]:
    """Every file of the page by its name; no other file can be asked for."""
    folder = files("mongorecall.fastapi") / "static"
    return MappingProxyType(
        {
            file.name: file.read_bytes()
            for file in folder.iterdir()
            if file.is_file() and file.name.rpartition(".")[2] in _TYPES
        }
    )


def file_response(name: str) -> Response:
    """One of the files; 404 for any other name."""
    content = static_files().get(name)
    if content is None:
        raise Refusal(404)
    return Response(content, media_type=_TYPES[name.rpartition(".")[2]])
