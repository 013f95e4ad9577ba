"""Names as a picture has room for them."""

from collections.abc import Sequence

ROOM = 11
"""Letters of a member's name."""
SEPARATORS = ".-_/"


def shortened(text: str, room: int) -> str:
    """Cut a name to so many letters; what cannot be printed is a question mark."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text)
    return shown if len(shown) <= room else f"{shown[: room - 1]}…"


def short_names(names: Sequence[str], room: int = ROOM, kind: str = "member") -> dict[str, str]:
    """Cut names that are too long: without the beginning that all share, up to its last separator, else to their ends.

    They are numbered where they are alike then.
    """
    if all(len(name) <= room for name in names):
        return {name: shortened(name, room) for name in names}
    first, last = min(names), max(names)  # what these two share, all share
    alike = first[
        : next((n for n, letters in enumerate(zip(first, last, strict=False)) if len(set(letters)) > 1), 0)
    ]
    begin = max(alike.rfind(separator) for separator in SEPARATORS) + 1
    heads = {name: shortened(name[begin:], room) for name in names}
    ends = {name: f"…{shortened(name[1 - room :], room)}" if len(name) > room else name for name in names}
    for cut in (heads, ends):
        if len(set(cut.values())) == len(names):
            return cut
    return {name: f"{kind} {n}" for n, name in enumerate(names, 1)}
