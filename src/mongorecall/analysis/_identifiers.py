"""Names that people write in several ways: camel case, snake case, hyphens, dots, versions, addresses."""

from __future__ import annotations

import re

CONNECTORS = "-.@\u2010"
"""What holds the pieces of an identifier together, beside the underscore."""

MAX_NAME = 256
"""Longer tokens are searched by their pieces alone."""

_CAMEL = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SEPARATOR = re.compile(f"[{CONNECTORS}_]+")
_VERSION = re.compile(r"[vV]?(\d+(?:\.\d+)+)")
_SIGNED = re.compile(r"[^+#]+(?=[+#])")


def pieces(token: str) -> list[str]:
    """The pieces of a token, in its own case; one piece for a plain word."""
    return [piece for part in _SEPARATOR.split(token) for piece in _CAMEL.split(part) if piece]


def spelling(token: str, found: list[str]) -> str:
    """One spelling of an identifier for all ways to write it: ``GLAZE_API_KEY`` is ``glazeapikey``.

    An address keeps its signs and a version its dots, without the ``v``.
    """
    if version := _VERSION.fullmatch(token):
        return version[1]
    if "@" in token:
        return token.casefold()
    return "".join(found).casefold()


def unsigned(token: str) -> str:
    """A token without the signs that end it and tell it from others: ``C`` for ``C++`` and ``C#``."""
    signed = _SIGNED.match(token)
    return signed[0] if signed else token
