"""What `kassay import` reports of a group: what was made, what to check, and what was assumed."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from kassay.listings.import_groups import ORDERED
from kassay.listings.location import Assumed
from kassay.output.telling import tell_rows
from kassay.sentences import counted_of
from kassay.shape import Shape

Progress: TypeAlias = Mapping[str, Sequence[Sequence[int | None]]]
"""By topic what is committed of each partition, and where it ends."""
NONE: Progress = {}


def render_headline(name: str, shape: Shape, group: Any, folder: str | None) -> str:
    """Say what was made and where it goes."""
    sizes = ", ".join(counted_of(size(group), what) for what, size in shape.sizes.items())
    return f"{name}: {sizes} -> {folder or 'standard output'}"


def report_group(
    name: str,
    shape: Shape,
    group: Any,
    warnings: Sequence[str],
    folder: str | None,
    progress: Progress = NONE,
) -> str:
    """Say on standard error what was made, then how far it lags, what to look at, and what was assumed; return the first line of it."""
    says = render_headline(name, shape, group, folder)
    told = [said for said in warnings if said != ORDERED]
    rows = [("lag", describe_lag(progress))] if progress else []
    rows += [("check", said) for said in told if not isinstance(said, Assumed)]
    rows += [("assumed", said) for said in told if isinstance(said, Assumed)]
    tell_rows(says, rows)
    return says


def describe_lag(progress: Progress) -> str:
    """Say how many records are behind what is committed, and where most of them are."""
    behind = {
        f"{topic}-{number}": end - committed
        for topic, partitions in progress.items()
        for number, (committed, end) in enumerate(partitions)
        if committed is not None and end is not None
    }
    every = sum(map(len, progress.values()))
    unknown = f"; not known of {every - len(behind):,} of {every:,} partitions" if len(behind) < every else ""
    if not any(behind.values()):
        return f"none{unknown}" if behind else f"not known of any of {every:,} partitions"
    most = max(behind, key=lambda one: behind[one])
    return f"{sum(behind.values()):,} records, most at {most} ({behind[most]:,}){unknown}"
