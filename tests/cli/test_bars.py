"""Bars: none of what stays, leaves and arrives is lost, none is wider than its room, and each terminal gets the signs that it has."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.families.shape import TextTable
from kassay.output import Block
from kassay.output.pretty import ARRIVES, LEAVES, STAYS, Bar, bar, draw_bar, write_pretty

NUMBERS = st.integers(0, 500)


@given(NUMBERS, NUMBERS, NUMBERS, st.integers(0, 40))
def test_what_is_not_nothing_is_seen_and_the_order_is_kept(stays, leaves, arrives, more):
    text = bar(stays, leaves, arrives, longest=stays + leaves + arrives + more)
    for sign, number in ((STAYS, stays), (LEAVES, leaves), (ARRIVES, arrives)):
        assert (sign in text) == (number > 0)
    assert list(text) == sorted(text, key=[STAYS, LEAVES, ARRIVES].index)
    if stays + leaves + arrives + more <= 40:
        assert len(text) == stays + leaves + arrives


def test_blocks_are_drawn_where_an_encoding_has_them():
    text = bar(2, 1, 3)
    assert draw_bar(text, "utf-8") == "██░▓▓▓"
    for other in ("ascii", "latin-1", None, "no-such-encoding"):
        assert draw_bar(text, other) == "##-+++"


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize(("encoding", "signs"), [("ascii", "#-+"), ("utf-8", "█░▓")])
def test_a_table_of_bars_is_no_wider_than_the_terminal(width, encoding, signs, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    rows = [[f"order-svc-{n}", f"{n * 9}", bar(n * 5, n, 40 - n, longest=70), "-4"] for n in range(6)]
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    write_pretty([Block(prose=True, grid=TextTable(["member", "now", "", "then"], rows, Bar("#-+")))], out)
    out.flush()
    lines = out.buffer.getvalue().decode(encoding).splitlines()
    assert max(map(len, lines)) <= width
    assert len(lines) == 8
    assert lines[-1] == signs
    drawn_ = "".join(lines[1:7]).replace("order-svc", "")
    assert all(sign in drawn_ for sign in signs)


def test_the_wider_table_is_taken_where_it_fits(monkeypatch):
    narrow, wider = TextTable(["a", "b"], [["1", "2"]]), TextTable(["a", "b", "c" * 60], [["1", "2", "3"]])
    for width, shown in ((60, False), (80, True)):
        monkeypatch.setenv("COLUMNS", str(width))
        out = io.StringIO()
        write_pretty([Block(prose=True, grid=narrow, wider=wider)], out)
        assert ("ccc" in out.getvalue()) == shown
