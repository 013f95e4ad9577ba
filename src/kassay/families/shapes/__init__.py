"""Shapes: what groups of one kind of input look like, for all families that share it; and how their tables write changes."""

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

T = TypeVar("T")


def write_signed(sign: str, items: Sequence[T], runs: Callable[[Sequence[T]], str]) -> str:
    """Write items as `runs` does, each run with a sign; nothing for none."""
    return " ".join(f"{sign}{part}" for part in runs(items).split()) if items else ""


def write_changes(
    before: Collection[T], after: Sequence[T], runs: Callable[[Sequence[T]], str], *, lost: bool = True
) -> str:
    """Write the items that an owner keeps, with + those that it gains, and with - those that it loses, if these are wanted."""
    had, has = set(before), set(after)
    parts = [
        write_signed("", [one for one in after if one in had], runs),
        write_signed("+", [one for one in after if one not in had], runs),
        write_signed("-", [one for one in before if one not in has] if lost else [], runs),
    ]
    return " ".join(filter(None, parts))
