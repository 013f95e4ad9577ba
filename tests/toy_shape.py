"""A shape of its own, of a few lines: services and databases, which are placed on hosts; and a family of that shape.

A group is how many hosts, services and databases there are; an assignment is what each host runs, a pair of numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from kassay.errors import InputError
from kassay.families.family import Family
from kassay.families.shape import Assign, Shape, TextTable
from kassay.model import Assignor
from kassay.properties.laws import crash_free, deterministic


@dataclass(frozen=True, slots=True)
class Fleet:
    hosts: int = 1
    services: int = 0
    databases: int = 0


Placed = tuple[tuple[int, int], ...]


def all_placed(fleet: Fleet, placed: Placed) -> Iterator[str]:
    """Every service and every database runs on a host."""
    for kind, wanted, found in zip(
        ("services", "databases"),
        (fleet.services, fleet.databases),
        map(sum, zip(*placed, strict=True)),
        strict=True,
    ):
        if found != wanted:
            yield f"{found} of {wanted} {kind} run"


def apart(fleet: Fleet, placed: Placed) -> Iterator[str]:
    """No host runs two databases while another one runs none."""
    if any(databases > 1 for _, databases in placed) and any(not databases for _, databases in placed):
        yield f"{fleet.databases} databases run on {sum(databases > 0 for _, databases in placed)} of {fleet.hosts} hosts"


def growing(assign: Assign, fleet: Fleet) -> Iterator[str]:
    """A service more takes no database from any host."""
    more = assign(replace(fleet, services=fleet.services + 1))
    if any(after < before for (_, before), (_, after) in zip(assign(fleet), more, strict=False)):
        yield f"a host loses a database by service number {fleet.services + 1}"


def spread(_: Fleet, placed: Placed) -> int:
    """Most things on a host less fewest."""
    return max(map(sum, placed)) - min(map(sum, placed))


def smaller(fleet: Fleet) -> Iterator[Fleet]:
    yield from (replace(fleet, databases=number) for number in range(fleet.databases))
    yield from (replace(fleet, services=number) for number in range(fleet.services))
    yield from (replace(fleet, hosts=number) for number in range(1, fleet.hosts))


def read_fleet(data: Any) -> Fleet:
    numbers = [data.get(name) for name in ("hosts", "services", "databases")]
    if not all(isinstance(number, int) for number in numbers):
        raise InputError("hosts: give hosts, services and databases as numbers")
    return Fleet(*numbers)


def read_placed(data: Any) -> Placed:
    if not isinstance(data, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in data):
        raise InputError("give a list of pairs of numbers")
    return tuple((services, databases) for services, databases in data)


def show(fleet: Fleet, assignments: Any) -> TextTable:
    rows = [
        [
            f"host {n}",
            *(f"{placed[n][0]} services, {placed[n][1]} databases" for placed in assignments.values()),
        ]
        for n in range(fleet.hosts)
    ]
    return TextTable(["host", *assignments], rows)


def fleets() -> st.SearchStrategy[Fleet]:
    return st.builds(Fleet, st.integers(1, 20), st.integers(0, 50), st.integers(0, 20))


def _share(number: int, hosts: int) -> list[int]:
    return [number // hosts + (host < number % hosts) for host in range(hosts)]


def evenly(fleet: Fleet) -> Placed:
    return tuple(zip(_share(fleet.services, fleet.hosts), _share(fleet.databases, fleet.hosts), strict=True))


def greedily(fleet: Fleet) -> Placed:
    return ((fleet.services, fleet.databases), *[(0, 0)] * (fleet.hosts - 1))


HOSTS = Shape(
    name="hosts",
    groups=fleets,
    timelines=lambda: st.lists(fleets(), max_size=3),
    play=lambda _, timeline: iter(timeline),
    smaller=smaller,
    read_group=read_fleet,
    write_group=lambda fleet: {
        "hosts": fleet.hosts,
        "services": fleet.services,
        "databases": fleet.databases,
    },
    read_assignment=read_placed,
    write_assignment=lambda placed: list(map(list, placed)),
    show=show,
    sizes={"hosts": lambda fleet: fleet.hosts, "things": lambda fleet: fleet.services + fleet.databases},
)
FLEETS = Family(
    name="fleets",
    shape=HOSTS,
    invariants={"all_placed": all_placed, "apart": apart},
    laws={"crash_free": crash_free, "deterministic": deterministic, "growing": growing},
    measures={"spread": spread},
    situations={"more_hosts_than_databases": lambda fleet: fleet.hosts > fleet.databases},
    expected=frozenset({"all_placed", "crash_free"}),
    legal=frozenset({"all_placed"}),
)
EVENLY = Assignor(
    "fleets/evenly",
    evenly,
    frozenset({"all_placed", "apart", "growing", "crash_free", "deterministic"}),
    "here",
)
GREEDILY = Assignor("fleets/greedily", greedily, frozenset({"all_placed", "apart"}), "here")
