"""What an analyzer is: text → keywords, and the fate of each token on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from mongorecall.analysis._limits import MAX_QUERY_KEYWORDS

Reason = Literal["stop_word", "no_word_characters", "over_cap"]
"""Why a raw token yields no keyword."""


@dataclass(frozen=True, slots=True)
class TokenFate:
    """What became of one raw token (a run between white space) of a text.

    Attributes:
        raw: the token as written, cut to 64 characters.
        keywords: the keywords it yields, in order of first appearance; empty for a dead token.
        reason: why it yields none; None when it yields some.
    """

    raw: str
    keywords: tuple[str, ...]
    reason: Reason | None


class Extraction(NamedTuple):
    """The keywords of one text. A tuple, since one is made for every text.

    Attributes:
        keywords: distinct keywords, at most the cap asked for, in ascending code point order.
        capped: whether keywords were left out because the text has more than the cap.
        shortened: number of words over 1,024 code points, which are indexed as a prefix and a hash.
        cut_marks: number of combining marks left out of runs longer than 30.
    """

    keywords: tuple[str, ...]
    capped: bool = False
    shortened: int = 0
    cut_marks: int = 0


@runtime_checkable
class Analyzer(Protocol):
    """Splits text into keywords. Pure: the same text always yields the same keywords.

    Bring your own by implementing these members; instances must be immutable and picklable.
    """

    @property
    def name(self) -> str:
        """Stable name, stored with each document that it wrote, such as ``"classic"``."""

    @property
    def version(self) -> str:
        """Changes whenever the keywords of any text may change; covers stop list and stemmer."""

    def keywords(self, text: str, *, cap: int) -> Extraction:
        """The distinct keywords of ``text``, at most ``cap``; the kept ones are the first in the text."""

    def fates(self, text: str, *, cap: int = MAX_QUERY_KEYWORDS) -> list[TokenFate]:
        """The fate of each raw token of ``text``, in order, by the same rules as `keywords`."""
