"""Names as a picture has room for them."""

from collections.abc import Sequence
from os.path import commonprefix

ROOM = 13
"""Letters of a member's name."""


def shortened(text: str, room: int) -> str:
    """Cut a name to so many letters; what cannot be printed is a question mark."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text)
    return shown if len(shown) <= room else f"{shown[: room - 1]}…"


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Cut names that are too long: without the beginning that all share, up to its last hyphen, where they still differ."""
    if all(len(name) <= ROOM for name in names):
        return {name: shortened(name, ROOM) for name in names}
    alike = commonprefix(list(names)) if len(names) > 1 else ""
    begin = alike.rfind("-") + 1
    cut = {name: shortened(name[begin:], ROOM) for name in names}
    if len(set(cut.values())) == len(names):
        return cut
    return {name: f"member {n}" for n, name in enumerate(names, 1)}
