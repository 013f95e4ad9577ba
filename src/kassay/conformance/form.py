"""The record of the fixtures of a family: their JSON, the musts of an answer, and its aims."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, TypeAlias

from kassay.errors import InputError
from kassay.families import family
from kassay.sentences import meant
from kassay.shape import Json

Value: TypeAlias = int | list[int]
"""The measure of an aim: a number, or the loads of all members, largest first."""


@dataclass(frozen=True, slots=True)
class Proof:
    """The proof of best values: the answer that `kassay optimum --json` prints to a question about a group."""

    of: tuple[str, ...]
    """The aims that its levels prove."""
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

    An aim may be worse than the best value if an aim before it is better than the case's `better` has it.
    """

    aims: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    cooperative: bool = False
    """True if it may hold back what a member has to give up first; it is then asked again until it holds nothing back."""
    copies: int = 1
    """The number of members to which it gives each partition."""


@dataclass(frozen=True, slots=True)
class Form:
    """The fixtures of one family: their JSON, what every answer must keep, and the best values."""

    family: str
    needs: Mapping[str, Callable[[Any], bool]]
    """Need of the code under test -> whether a group has it."""
    flags: Mapping[str, Callable[[Any], bool]]
    read_group: Callable[[Json], Any]
    write_group: Callable[[Any], Json]
    read_answer: Callable[[Json], Any]
    write_answer: Callable[[Any], Json]
    owners: Callable[[Any], Json]
    """The members that may keep what is claimed."""
    musts: tuple[str, ...]
    broken: Callable[[Any, Any, Declared], Mapping[str, str]]
    """The faults of a first answer, or of a later one before the group converges: by check, in the order of the checks."""
    values: Callable[[Any, Any], Mapping[str, Value]]
    """Measures of the converged answer to a group as it was asked about first, by aim."""
    best: Callable[[Any], Best]
    """Raises InputError if a group cannot be a fixture."""
    after: Callable[[Any, Any], Any]
    """The group when an answer has taken effect and nothing else happens."""
    renamed: Callable[[Any, Mapping[str, str], Mapping[str, str]], Any]
    """An answer with other names of topics and of members; a name that is not listed stays."""
    exact: Mapping[str, Sequence[str]]
    """Assignor -> the releases of Kafka whose answers are kept."""
    declared: Mapping[str, Declared]
    """The aims of kassay's own assignors."""
    proved_of: Callable[[Any], Any] = lambda group: group
    """The group as the oracles are asked about it: with only the claims that count."""
    even: tuple[str, ...] = ("loads",)
    conditional: frozenset[str] = frozenset()
    """The aims that count only if the best values of `even` are reached."""
    zeroes: Mapping[str, Callable[[Any, Any], Iterator[str]]] = field(default_factory=dict)
    """The aims that are counts of faults of one answer: 0 in a case in which an assignor without any is known."""
    laws: Mapping[str, Callable[[Callable[[Any], Any], Any], Iterator[str]]] = field(default_factory=dict)
    """The same of several rebalances, which are played with the assignor."""
    relations: tuple[str, ...] = ()
    """The aims of twins: pairs of groups of which the answers have to be the same."""
    proved_aims: tuple[str, ...] = ()
    """The aims whose best values are proved, and reached together by one answer."""
    declared_strictly: Declared = Declared()
    """The musts of an answer that is shown as a better one."""


def check_musts(
    musts: Mapping[str, Callable[[Any, Any], Iterator[str]]],
    group: Any,
    answer: Any,
    given: Mapping[str, bool],
    known: Collection[str],
    noun: str,
) -> dict[str, str]:
    """Return by must the first thing that an answer breaks, "" if it keeps it.

    `given` tells by id whether the answer gives something to it, and `known` has the ids of the group.
    """
    found = {name: next(must(group, answer), "") for name, must in musts.items()}
    strangers = [name for name, something in given.items() if something and name not in known]
    return found | ({"existing": f"{strangers[0]} is given something, but is no {noun}"} if strangers else {})


FORMS = {
    "consumer": "kassay.conformance.partitions:CONSUMER",
    "broker": "kassay.conformance.partitions:BROKER",
    "share": "kassay.conformance.partitions:SHARE",
    "connect": "kassay.conformance.workers:CONNECT",
    "streams": "kassay.conformance.tasks:STREAMS",
    "streams-group": "kassay.conformance.tasks:STREAMS_GROUP",
}
"""Family -> where the record of its fixtures stands."""
OF_NO_ASSIGNOR = {
    "group": "steps of coordinators and members, which are not given to an assignor; `kassay fixtures verify group` tests them, and `kassay fixtures run coordinator:HOST:PORT` asks a broker",
    "wire": "bytes for a codec, which are not given to an assignor; fixtures/README.md, Bytes, says how to read them",
}
"""The contents of the other files of the folder, and what to do with them."""


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
    """Return True if a group is so large that no exact answers to it are kept."""
    return size_of(group, of) > LARGE


def size_of(group: Any, of: Form) -> int:
    """Return how many pairs of members and partitions a group has, or of the like."""
    *_, second, first = sorted(size(group) for size in family(of.family).shape.sizes.values())
    return first * second
