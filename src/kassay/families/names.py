"""Names shortened to the part in which they differ."""

import itertools
import re
from collections.abc import Iterable, Mapping

PIECE = 4
"""The fewest characters shown of a part of an id without meaning."""
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
WORTH = 6
"""The fewest characters saved that justify a name that cannot be searched for."""


def cut(names: Iterable[str]) -> Mapping[str, str]:
    """Return name -> its shortest beginning, up to the end of a short word, with which the names still differ.

    For ``order-svc-0-4f1c...`` and ``order-svc-1-93aa...`` these are ``order-svc-0`` and ``order-svc-1``; a single name stays as it is.
    A UUID that remains is shortened to its beginning or its end.
    """
    begun = _find_beginnings(names)
    for shorten in (lambda uuid: uuid[0][:PIECE], lambda uuid: f"...{uuid[0][-PIECE:]}"):
        shorter = {name: UUID.sub(shorten, short) for name, short in begun.items()}
        if len({*shorter.values()}) == len(begun):
            return shorter
    return begun


def _find_beginnings(names: Iterable[str]) -> Mapping[str, str]:
    """Return name -> the beginning in which it differs from the others."""
    known = list(dict.fromkeys(names))
    if len(known) < 2:
        return {name: name for name in known}
    needed = 0  # One character more than the longest common beginning of two names.
    for one, other in itertools.pairwise(sorted(known)):
        pairs = enumerate(zip(one, other, strict=False), 1)
        needed = max(needed, next((n for n, (a, b) in pairs if a != b), len(one) + 1))
    ends = {}
    for name in known:  # Cut after the word in which the needed characters end, or after a part of it.
        start = max((m.end() for m in re.finditer(r"[^A-Za-z0-9]", name[: needed - 1])), default=0)
        word = re.match(r"[A-Za-z0-9]*", name[start:])
        behind = start + len(word[0]) if word else needed
        ends[name] = min(max(needed, behind), max(needed, start + PIECE), len(name))
    if max(len(name) - end for name, end in ends.items()) < WORTH:
        return {name: name for name in known}
    begun = {name: name[:end] for name, end in ends.items()}
    bare = {name: begins.rstrip("-_.:/ ") or begins for name, begins in begun.items()}
    return bare if len({*bare.values()}) == len(known) else begun


def natural_order(name: str) -> tuple[tuple[bool, int, str, str], ...]:
    """Return a sort key that orders names by the numbers in them: order-svc-2 before order-svc-10, numbers before words.

    Numbers are compared as digits, because a name may have more digits than Python converts.
    """
    parts = enumerate(re.split(r"([0-9]+)", name))
    return tuple(
        (n % 2 == 0, len(part.lstrip("0")) if n % 2 else 0, part.lstrip("0"), part) for n, part in parts
    )


def within(text: str, short: Mapping[str, str]) -> str:
    """Return a sentence with shortened names, also before the number of a partition: ``t-0``."""
    names = sorted((name for name in short if name and short[name] != name), key=len, reverse=True)
    if not names:
        return text
    whole = re.compile(rf"(?<![\w~-])({'|'.join(map(re.escape, names))})(?!\w|-(?!\d+(?![\w-])))")
    return whole.sub(lambda found: short[found[1]], text)
