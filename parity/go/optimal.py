"""Hold the sticky balancers of franz-go against the exact optimum, on groups of grids/franz-go.toml, all or as many as are asked for.

    python parity/go/optimal.py PROGRAM [--groups N] [--jobs N] [--grid FILE] [--state FILE] [--stamp COMMIT] [--smallest] [--status] [--write]

PROGRAM is the adapter as built from adapters/go. Broken off, it goes on from its state; --status prints that and does nothing,
--smallest makes the smallest groups found so far smaller still, and prints them; --write keeps what was found for docs/results/scoreboard.md.
Exit status 1: some answer is not the best although no two members claim one partition.
"""

import argparse
import json
import os
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any

import msgspec
from ordering import FAILED, KAFKA, LOADS, ORDERS, UNPROVED, Tally, as_asked, claims_of, judged

from kassay.defaults import cache_folder
from kassay.errors import InputError
from kassay.families.consumer import CONSUMER
from kassay.families.shape import Assign
from kassay.files.output import write_whole
from kassay.model import Group
from kassay.properties.minimise import minimise
from kassay.reports.sweep.grid import read_grid
from kassay.reports.sweep.manifest import Cell, draw_timeline, seed_of, start_timeline
from kassay.targets import Options, Target, open_target

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "scripts"))

from figures import keep, today

ROOT = Path(__file__).parents[2]

GRID = ROOT / "grids" / "franz-go.toml"
PARTS = 1_000
"""Into how many parts the grid is cut; each has some of every cell."""
AGAIN = 5
"""How often a smaller group must be answered no better: the same group is not always answered alike."""


CLAIMS = {
    "nobody": "nobody or one member claims each partition", "one": "nobody or one member claims each partition",
    "one generation twice": "two or more claim one, of one generation", "several generations": "of several generations",
}  # fmt: skip
"""Who claims a partition at most -> the column of the page."""
REASONS = (FAILED, UNPROVED, "balance", "cross-rack", "moves")


class State(msgspec.Struct):
    """How far the comparison has come: parts done, a tally and the smallest groups by target, cell, claims."""

    stamp: str
    parts: int = 0
    tallies: dict[str, Tally] = {}
    smallest: dict[str, msgspec.Raw] = {}

    def add(self, part: "State") -> None:
        """Add what came of a further part."""
        self.parts += part.parts
        for name, tally in part.tallies.items():
            self.tallies.setdefault(name, Tally()).merge(tally)
        for name, group in part.smallest.items():
            if name not in self.smallest or len(group) < len(self.smallest[name]):
                self.smallest[name] = group


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program", help="the adapter, built")
    parser.add_argument("--groups", type=int, default=sys.maxsize, help="all of the grid by default")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--grid", type=Path, default=GRID)
    parser.add_argument("--state", type=Path, default=cache_folder() / "franz-go.json")
    parser.add_argument("--stamp", default="", help="what a state must rest on to be gone on from")
    parser.add_argument("--smallest", action="store_true")
    parser.add_argument("--status", action="store_true")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args(arguments)
    state = _resumed(asked.state, asked.stamp)
    if asked.smallest:
        _print_smallest(asked.program, state)
    elif not asked.status:
        wanted = min(-(-asked.groups * PARTS // sum(cell.groups for cell in _cells(asked.grid))), PARTS)
        with ProcessPoolExecutor(asked.jobs) as processes:
            for part in processes.map(partial(_part, asked.program, asked.grid), range(state.parts, wanted)):
                state.add(part)
                write_whole(asked.state, msgspec.json.encode(state).decode() + "\n")
    print("\n".join(_lines(state)))
    if asked.write:
        keep("franz-go", "nox -s parity -- go --groups 100000 --write", today(), shown(state))
    return int(any(tally.reasons for name, tally in state.tallies.items() if _claimed_best(name)))


@cache
def _cells(grid: Path) -> tuple[Cell, ...]:
    return read_grid(grid).cells


def _part(program: str, grid: Path, number: int) -> State:
    """Judge one part of the grid with every target."""
    part = State("", 1)
    for cell in _cells(grid):
        for at in range(number, cell.groups, PARTS):
            drawn_group = start_timeline(CONSUMER, draw_timeline(CONSUMER, cell, seed_of(0, cell, at)))
            for name, order in (ORDERS | KAFKA).items():
                group = as_asked(drawn_group, order)
                reason, over = judged(_target(program, name).assign, group, order)
                place = f"{name} | {order} | {cell.name} | {claims_of(group)}"
                part.tallies.setdefault(place, Tally()).note(reason, over)
                if reason is not None:
                    _keep(part, f"{name} | {claims_of(group)} | {reason}", group)
    return part


def _claimed_best(name: str) -> bool:
    target, *_, claims = name.split(" | ")
    return target in ORDERS and claims in ("nobody", "one")


def _keep(part: State, name: str, group: Group) -> None:
    written = msgspec.Raw(msgspec.json.encode(CONSUMER.write_group(group)))
    if name not in part.smallest or len(written) < len(part.smallest[name]):
        part.smallest[name] = written


def _spec(program: str, name: str) -> str:
    return name if name in KAFKA else f"exec:{shlex.quote(program)} {name}"


@cache
def _target(program: str, name: str) -> Target:
    """Open a target once for this process; it ends with it."""
    return open_target(_spec(program, name), Options(timeout_s=60))


def _print_smallest(program: str, state: State) -> None:
    for name, written in sorted(state.smallest.items()):
        target, claims, reason = name.split(" | ")
        order = (ORDERS | KAFKA)[target]
        group = CONSUMER.shape.read_group(msgspec.json.decode(written))
        assign = _target(program, target).assign
        if not _still(assign, claims, reason, order, group):
            print(f"{name}: not each time: {written!r}")
            continue
        least = minimise(group, partial(_still, assign, claims, reason, order), CONSUMER.shape.smaller)
        print(f"{name}: {json.dumps(CONSUMER.write_group(least.group))}")


def _still(assign: Assign, claims: str, reason: str, order: str, group: Group) -> bool:
    asked = as_asked(group, order)
    return claims_of(asked) == claims and all(judged(assign, asked, order)[0] == reason for _ in range(AGAIN))


def _resumed(path: Path, stamp: str) -> State:
    if not path.exists():
        return State(stamp)
    try:
        state = msgspec.json.decode(path.read_bytes(), type=State)
    except (msgspec.DecodeError, UnicodeDecodeError) as wrong:
        raise InputError(f"{path}: holds no state of this comparison ({wrong}); remove it") from None
    if state.stamp != stamp:
        raise InputError(f"{path}: rests on {state.stamp!r}, not on {stamp!r}; remove it, or name another")
    return state


def _lines(state: State) -> Iterator[str]:
    """Say what came of each target: by cell and claims, then in all."""
    for name, tally in sorted(state.tallies.items()):
        reasons = ", ".join(
            f"{reason} {n} (most {most})" for reason, (n, most) in sorted(tally.reasons.items())
        )
        yield f"{name}: {tally.groups} groups, {reasons or 'all best'}"


def shown(state: State) -> dict[str, Any]:
    """Return what the page says: of each assignor the groups above an optimum, by who claims what, and how many there are of each kind."""
    totals: dict[str, dict[str, Tally]] = {}
    kinds: Counter[str] = Counter()
    for name, tally in state.tallies.items():
        target, order, cell, claims = name.split(" | ")
        label = f"Kafka 4.4.0's `{target.partition('/')[2]}`" if target in KAFKA else f"`{target}`"
        levels = order.replace("cross-rack", "racks").replace(",", ", ")
        totals.setdefault(f"{label}: {levels}", {}).setdefault(CLAIMS[claims], Tally()).merge(tally)
        if target == "sticky" and CLAIMS[claims] == CLAIMS["nobody"]:
            kinds[cell] += tally.groups
    rows = {row: {claims: _above(of[claims]) for claims in of} for row, of in totals.items()}
    groups = {
        claims: tally.groups for claims, tally in totals[f"`sticky`: {LOADS.replace(',', ', ')}"].items()
    }
    return {
        "groups": sum(groups.values()),
        "groups in which several claim one partition": sum(groups.values()) - groups[CLAIMS["nobody"]],
        "groups above an optimum": {"groups": groups, **rows},
        "kinds of those in which no two members claim one partition": dict(kinds),
    }


def _above(tally: Tally) -> str:
    words = {FAILED: "no legal answer", UNPROVED: "no proved optimum", "cross-rack": "racks"}
    found = (
        f"{words.get(reason, reason)} {n:,}{f' (by up to {most})' * (reason == 'moves')}"
        for reason, (n, most) in sorted(tally.reasons.items(), key=lambda one: REASONS.index(one[0]))
    )
    return ", ".join(found) or "none"


if __name__ == "__main__":
    sys.exit(main())
