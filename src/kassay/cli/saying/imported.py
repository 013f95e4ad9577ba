"""What `kassay import` reports of a group: what was made, what to check, and what was assumed."""

from collections.abc import Sequence
from typing import Any

from kassay.kafka_tools.import_groups import ORDERED
from kassay.kafka_tools.location import Assumed
from kassay.output.telling import tell_rows
from kassay.shape import Shape


def headline(name: str, shape: Shape, group: Any, folder: str | None) -> str:
    """Say what was made and where it goes."""
    sizes = ", ".join(_counted(size(group), what) for what, size in shape.sizes.items())
    return f"{name}: {sizes} -> {folder or 'standard output'}"


def report(name: str, shape: Shape, group: Any, warnings: Sequence[str], folder: str | None) -> str:
    """Say on standard error what was made, then what to look at, then what was assumed; return the first line of it."""
    says = headline(name, shape, group, folder)
    told = [said for said in warnings if said != ORDERED]
    rows = [("check", said) for said in told if not isinstance(said, Assumed)]
    rows += [("assumed", said) for said in told if isinstance(said, Assumed)]
    tell_rows(says, rows)
    return says


def _counted(number: int, what: str) -> str:
    """Count things whose name is a plural, as sizes of a shape are."""
    one = {"subtopologies": "subtopology", "processes": "process"}.get(what, what.removesuffix("s"))
    return f"{number:,} {one if number == 1 else what}"
