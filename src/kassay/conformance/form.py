"""What the fixtures of a family look like and what is asked of an answer: the record that each shape fills in."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, TypeAlias

from kassay.errors import InputError
from kassay.families import family
from kassay.shape import Json
from kassay.suggesting import meant

Value: TypeAlias = int | list[int]
"""What an aim is measured in: a number, or all members' loads sorted downwards."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Why a best value is the best: a question about a group, and what `kassay optimum --json` prints for it.

    `of` are the aims that its levels prove.
    """

    of: tuple[str, ...]
    answer: Json


@dataclass(frozen=True, slots=True)
class Best:
    """The best values of a group by aim, one answer that has them together, and the proofs."""

    should: Mapping[str, Value]
    better: Any
    proofs: tuple[Proof, ...]


@dataclass(frozen=True, slots=True)
class Declared:
    """The aims of an assignor, most important first, and the flags under which it has no aims.

    An aim may be worse than the best value if an aim before it is better than the case's `better` has it. A `cooperative` one may hold back what somebody has to give up first, and is asked again until it holds nothing back. One that gives each
    partition to several members says to how many in `copies`.
    """

    aims: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    cooperative: bool = False
    copies: int = 1


@dataclass(frozen=True, slots=True)
class Form:
    """The fixtures of one family.

    `needs` and `flags` map each to whether a group has it; `broken` says what a first answer, or one on the way to rest, breaks, by check, in
    the order in which they are judged; `values` measures an answer at rest by the group as it was asked about first. `conditional` are the
    aims that count only where those of `even` are reached. `best` raises InputError where a group is none for a fixture. `after` is the group
    when an answer has taken effect and nothing else happens. `exact` names the releases whose answers are kept, `declared` what
    kassay's own assignors aim at.
    """

    family: str
    needs: Mapping[str, Callable[[Any], bool]]
    flags: Mapping[str, Callable[[Any], bool]]
    read_group: Callable[[Json], Any]
    write_group: Callable[[Any], Json]
    read_answer: Callable[[Json], Any]
    write_answer: Callable[[Any], Json]
    owners: Callable[[Any], Json]
    musts: tuple[str, ...]
    broken: Callable[[Any, Any, Declared], Mapping[str, str]]
    values: Callable[[Any, Any], Mapping[str, Value]]
    best: Callable[[Any], Best]
    after: Callable[[Any, Any], Any]
    renamed: Callable[[Any, Mapping[str, str], Mapping[str, str]], Any]
    exact: Mapping[str, Sequence[str]]
    declared: Mapping[str, Declared]
    proved_of: Callable[[Any], Any]
    """The group as the oracles are asked about it: with the claims alone that count."""
    even: tuple[str, ...] = ("loads",)
    conditional: frozenset[str] = frozenset()
    zeroes: Mapping[str, Callable[[Any, Any], Iterator[str]]] = field(default_factory=dict)
    """The aims that are counts of what is not as it should be in one answer: 0 in a case in which an assignor is known that has none."""
    laws: Mapping[str, Callable[[Callable[[Any], Any], Any], Iterator[str]]] = field(default_factory=dict)
    """The same of several rebalances, which are played with the assignor."""
    relations: tuple[str, ...] = ()
    """The aims of twins: pairs of groups of which the answers have to be the same."""
    proved_aims: tuple[str, ...] = ()
    """The aims whose best values are proved, and reached together by one answer."""
    declared_strictly: Declared = Declared()
    """What an answer has to keep that is shown as a better one."""


FORMS = {
    "consumer": "kassay.conformance.partitions.consumer:CONSUMER",
    "broker": "kassay.conformance.partitions.broker:BROKER",
    "share": "kassay.conformance.partitions.share:SHARE",
    "connect": "kassay.conformance.workers:CONNECT",
    "streams": "kassay.conformance.tasks:STREAMS",
    "streams-group": "kassay.conformance.streams_groups:STREAMS_GROUP",
}
"""Family -> where the record of its fixtures stands."""
OF_NO_ASSIGNOR = {
    "group": "steps of coordinators and members, which are not given to an assignor; `kassay fixtures verify group` tests them, and `kassay fixtures run coordinator:HOST:PORT` asks a broker",
    "wire": "bytes for a codec, which are not given to an assignor; fixtures/README.md, Bytes, says how to read them",
}
"""What the other files of the folder hold, and what to do with them."""


def refuse_no_assignor(name: str) -> None:
    """Raise InputError at fixtures that are given to no assignor."""
    if name in OF_NO_ASSIGNOR:
        raise InputError(f"the fixtures of {name!r} are {OF_NO_ASSIGNOR[name]}")


def form(name: str) -> Form:
    """Load the record of a family's fixtures; raises InputError where it has none."""
    refuse_no_assignor(name)
    if name not in FORMS:
        raise InputError(
            f"there are no fixtures of {name!r}; there are of {', '.join(FORMS)}{meant(name, FORMS)}"
        )
    module, _, attribute = FORMS[name].partition(":")
    found: Form = getattr(import_module(module), attribute)
    return found


LARGE = 5000
"""Cases with more pairs of members and partitions, or of the like, have no exact answers: they are there for the time that an answer takes."""


def is_large(group: Any, of: Form) -> bool:
    """Say whether a group is so large that no exact answers to it are kept."""
    return size_of(group, of) > LARGE


def size_of(group: Any, of: Form) -> int:
    """Return how many pairs of members and partitions a group has, or of the like."""
    *_, second, first = sorted(size(group) for size in family(of.family).shape.sizes.values())
    return first * second
