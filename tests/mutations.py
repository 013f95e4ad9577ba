"""Texts that are nearly right: valid JSON with bytes, tokens or lines changed."""

import json

from hypothesis import strategies as st

SCRAPS = [
    b"", b"null", b"-1", b"1e999", b"99999999999999999999", b'""', b'"\xf0\x9f\x98\x80"', b"[", b"]", b"{", b"}", b",", b":", b"\n",
    b"\x00", b"\xff", b'"\\ud800"', b"true", b"NaN", b'{"a": 1}', b"[[]]", b"0.5", b'"racks"', b'"owned": [["t0", 0]],', b"[" * 2000,
]  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn, value: object) -> bytes:
    """Change one to three stretches of a value's JSON: cut, doubled, or replaced by a scrap."""
    text = json.dumps(value, indent=draw(st.sampled_from([None, 1]))).encode()
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 12)))
        text = text[:start] + draw(st.sampled_from([*SCRAPS, text[start:end] * 2])) + text[end:]
    return text
