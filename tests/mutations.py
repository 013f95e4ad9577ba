"""JSON that is nearly right: a value changed in one place, or its text in some bytes, tokens or lines."""

import json
from collections.abc import Sequence
from copy import deepcopy
from functools import reduce
from operator import getitem
from typing import Any

from hypothesis import strategies as st

SCRAPS = [
    b"", b"null", b"-1", b"1e999", b"99999999999999999999", b'""', b'"\xf0\x9f\x98\x80"', b"[", b"]", b"{", b"}", b",", b":", b"\n",
    b"\x00", b"\xff", b'"\\ud800"', b"true", b"NaN", b'{"a": 1}', b"[[]]", b"0.5", b'"racks"', b'"owned": [["t0", 0]],', b"[" * 2000,
]  # fmt: skip


def changed(value: Any, place: Sequence[str | int], new: object) -> Any:
    """Return a copy of a value with something new at one place, which is the keys and indexes that lead there."""
    found = deepcopy(value)
    reduce(getitem, place[:-1], found)[place[-1]] = new
    return found


@st.composite
def mutated(draw: st.DrawFn, value: object) -> bytes:
    """Change one to three stretches of a value's JSON: cut, doubled, or replaced by a scrap."""
    text = json.dumps(value, indent=draw(st.sampled_from([None, 1]))).encode()
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 12)))
        text = text[:start] + draw(st.sampled_from([*SCRAPS, text[start:end] * 2])) + text[end:]
    return text
