"""Random texts that mix what trips tokenizers: scripts, marks, odd case pairs, controls, surrogates."""

from __future__ import annotations

from hypothesis import strategies as st

_POOLS = (
    st.characters(min_codepoint=0x20, max_codepoint=0x7E),
    st.characters(min_codepoint=0xA0, max_codepoint=0x24F),
    st.characters(min_codepoint=0x300, max_codepoint=0x345),
    st.characters(min_codepoint=0x370, max_codepoint=0x52F),
    st.characters(min_codepoint=0x0900, max_codepoint=0x0E7F),
    st.characters(min_codepoint=0x3040, max_codepoint=0x30FF),
    st.characters(min_codepoint=0x4E00, max_codepoint=0x4EFF),
    st.characters(min_codepoint=0xAC00, max_codepoint=0xADFF),
    st.characters(min_codepoint=0xFF00, max_codepoint=0xFFEF),
    st.sampled_from("İıΣςßſKﬁǅ\u200d\u00ad\u0f73\uff9e\ud800\x00\x1c_ -.@#+?\n\t"),
    st.characters(),
)

texts = st.text(st.one_of(*_POOLS), max_size=60)
"""Below the caps."""
