"""Bars in tables of text: what stays, leaves and arrives, in blocks where the terminal has them, else in signs that every one has."""

STAYS, LEAVES, ARRIVES = "#", "-", "+"
BLOCKS = str.maketrans({STAYS: "█", LEAVES: "░", ARRIVES: "▓"})
LEGEND = f"{STAYS} keeps   {LEAVES} loses   {ARRIVES} gains"
"""What the signs stand for, themselves a bar's text."""
ROOM = 40
"""Columns of the longest bar, where there is room for it."""


class Bar(str):
    """The text of a bar, one sign for each column; who writes it may make it shorter, and draw it in blocks."""

    __slots__ = ()


def bar(stays: int, leaves: int = 0, arrives: int = 0, *, longest: int = 0, room: int = ROOM) -> Bar:
    """Draw numbers as a bar: one column each where the longest bar has room, else in proportion, and none of them lost."""
    return Bar(
        "".join(
            sign * (number if longest <= room else -(-number * room // longest))
            for sign, number in ((STAYS, stays), (LEAVES, leaves), (ARRIVES, arrives))
        )
    )


def shorter(text: str, longest: int, room: int) -> str:
    """Return a bar as long as it is when the longest has so much room."""
    if longest <= room:
        return text
    kept = "".join(
        sign * -(-text.count(sign) * room // longest) for sign in (STAYS, LEAVES, ARRIVES) if sign in text
    )
    return kept[: max(room, 1)]


def drawn(text: str, encoding: str | None) -> str:
    """Return a bar in blocks where an encoding has them, else in its signs."""
    blocks = text.translate(BLOCKS)
    try:
        blocks.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return text
    return blocks
