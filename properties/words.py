"""Words that sentences about answers share: lists and numbers of things."""

from collections.abc import Iterable


def listed(items: Iterable[object] | None, between: str = ", ") -> str:
    """Write items one after the other; "nothing" where there are none, "no answer" for None."""
    return "no answer" if items is None else between.join(map(str, items)) or "nothing"


def counted(number: int, noun: str) -> str:
    """Write how many there are, as "1 partition" or "2 partitions"."""
    return f"{number} {noun}" + ("s" if number != 1 else "")
