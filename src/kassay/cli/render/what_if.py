"""What `kassay what-if` shows besides what `compare` does: what stands still, and what is taken to be so of what happens."""

from collections.abc import Iterator, Mapping
from typing import Any

from kassay.comparison.strategies import Column, Strategy, racks_known
from kassay.comparison.what_if import Change, processed
from kassay.family import Family
from kassay.listings.location import Assumed

STILL = (
    "What stands still is with nobody from when the rebalance begins until its new owner has it: everything where all stop (eager), else "
    "what changes hands, also of those who left."
)


def column(family: Family, before: Any, stops: Mapping[str, int | None]) -> Column | None:
    """Return the column of what stands still, its name and what stands in a row; None where nothing was processed before."""
    number = processed(family, before)

    def cell(row: Strategy) -> str:
        stop = stops.get(row.target)
        return "-" if stop is None else f"{stop:,}"

    return Column(f"stand still,\nof {number:,}", cell, ()) if number else None


def assumed_of(family: Family, group: Any, change: Change) -> Iterator[str]:
    """Say what is taken to be so of what happens to a group."""
    who = next(iter(family.shape.sizes))
    if change.join and "workers" not in family.shape.sizes:
        one = change.join == 1
        alike = f"the group's first {who.removesuffix('s') if one else who}"
        yield Assumed(
            f"who joins reads what {alike} read{'s' * one}, stands in the same rack and has no state"
        )
    if change.partitions:
        if racks_known(family, group):
            yield Assumed("new partitions have their replicas in the racks of the first ones, in turn")
        if family.shape.items == "tasks":
            yield Assumed("somebody adds as many partitions to changelogs, until when Kafka Streams stops")
