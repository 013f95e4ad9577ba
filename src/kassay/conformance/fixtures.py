"""Fixtures: the record of each family, the cases in its file, the cases that were chosen for it, and the proofs."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module, resources
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgspec

import kassay
from kassay.errors import InputError
from kassay.families import family
from kassay.families.family import Family
from kassay.families.shape import Json
from kassay.files.texts import decode_value, read_text
from kassay.model.json_text import convert_json, decode_json
from kassay.sentences import suggest_name

Value: TypeAlias = int | list[int]
"""The measure of an aim: a number, or the loads of all members, largest first."""


class Proof(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The proof of best values: the output of `kassay optimum --json` for a group."""

    of: tuple[str, ...]
    """The aims whose best values it proves."""
    answer: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Best:
    """The best values of a group by aim, one answer that reaches all of them, and the proofs."""

    should: Mapping[str, Value]
    better: Any
    proofs: tuple[Proof, ...]


@dataclass(frozen=True, slots=True)
class Declared:
    """The declaration of an assignor.

    An aim may be worse than the best value if an earlier aim is better than in the case's `better`.
    """

    aims: tuple[str, ...] = ()
    """Its aims, most important first."""
    limits: tuple[str, ...] = ()
    """The flags of cases for which it has no aims."""
    cooperative: bool = False
    """True if it may leave a partition unassigned until its owner has revoked it; it is then asked again."""
    copies: int = 1
    """The number of members to which it assigns each partition."""


@dataclass(frozen=True, slots=True)
class Form:
    """The record of one family: the JSON of its fixtures, the musts of every answer, and the best values."""

    family: str
    needs: Mapping[str, Callable[[Any], bool]]
    """Need of the code under test -> predicate of the groups with that need."""
    flags: Mapping[str, Callable[[Any], bool]]
    read_group: Callable[[Json], Any]
    write_group: Callable[[Any], Json]
    read_answer: Callable[[Json], Any]
    write_answer: Callable[[Any], Json]
    owners: Callable[[Any], Json]
    """The members that may keep the partitions that they report as owned."""
    musts: tuple[str, ...]
    broken: Callable[[Any, Any, Declared], Mapping[str, str]]
    """The faults by check of an answer before the group has converged, in the order of the checks."""
    values: Callable[[Any, Any], Mapping[str, Value]]
    """The measures of the converged answer by aim, relative to the first group."""
    best: Callable[[Any], Best]
    """Raises InputError if a group cannot be a fixture."""
    after: Callable[[Any, Any], Any]
    """The group after an answer has taken effect, without other changes."""
    renamed: Callable[[Any, Mapping[str, str], Mapping[str, str]], Any]
    """An answer with new names of topics and of members; other names stay."""
    exact: Mapping[str, Sequence[str]]
    """Assignor -> the releases of Kafka whose answers are stored."""
    declared: Mapping[str, Declared]
    """The aims of kassay's own assignors."""
    proved_of: Callable[[Any], Any] = lambda group: group
    """The group for the oracles, with only the owned partitions that count."""
    even: tuple[str, ...] = ("loads",)
    conditional: frozenset[str] = frozenset()
    """The aims that count only if an answer has the best values of `even`."""
    zeroes: Mapping[str, Callable[[Any, Any], Iterator[str]]] = field(default_factory=dict)
    """The aims that count faults of one answer; a case expects 0 if an assignor without faults is known."""
    laws: Mapping[str, Callable[[Callable[[Any], Any], Any], Iterator[str]]] = field(default_factory=dict)
    """Likewise, faults over several rebalances that are played with the assignor."""
    relations: tuple[str, ...] = ()
    """The aims of twins, pairs of groups whose answers have to be equal."""
    proved_aims: tuple[str, ...] = ()
    """The aims with proven best values that one answer reaches together."""
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
    """Return the first violation of each must by an answer, "" if it keeps the must.

    `given` has the ids in the answer, True if something is assigned to them. `known` has the ids of the group.
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
"""Family -> module and name of its record."""
OF_NO_ASSIGNOR = {
    "group": "are steps of coordinators and members, which are not given to an assignor. Use another command: `kassay fixtures verify group` tests them, and `kassay fixtures run coordinator:HOST:PORT` asks a broker",
    "wire": "are bytes for a codec, which are not given to an assignor. Read the section Bytes of fixtures/README.md",
}
"""The contents and the use of the other files of the folder."""


def refuse_no_assignor(name: str) -> None:
    """Raise InputError for fixtures that are not for assignors."""
    if name in OF_NO_ASSIGNOR:
        raise InputError(f"fixtures {name!r}: {OF_NO_ASSIGNOR[name]}")


def load_form(name: str) -> Form:
    """Load the record of a family's fixtures; raise InputError if it has none."""
    refuse_no_assignor(name)
    if name not in FORMS:
        raise InputError(
            f"fixtures {name!r}: are unknown. Known are {', '.join(FORMS)}{suggest_name(name, FORMS)}"
        )
    module, _, attribute = FORMS[name].partition(":")
    found: Form = getattr(import_module(module), attribute)
    return found


LARGE = 5000
"""Cases with more pairs of members and partitions, or tasks, have no exact answers: they test the time of an answer."""


def is_large(group: Any, of: Form) -> bool:
    """Return True if a group is too large to store exact answers."""
    return count_pairs(group, of) > LARGE


def count_pairs(group: Any, of: Form) -> int:
    """Return the number of pairs of members and partitions, or tasks, of a group."""
    *_, second, first = sorted(size(group) for size in family(of.family).shape.sizes.values())
    return first * second


FORMAT = 1
"""The only known format; files of other formats are refused."""
T = TypeVar("T")


class Twin(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An earlier case whose answer has to be equal after a renaming, and the aim that tests this."""

    case: str
    aim: str
    topics: dict[str, str]
    members: dict[str, str]


class Case(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One case: a group, the best values, and the answers of Kafka's classes."""

    id: str
    comment: str
    flags: tuple[str, ...]
    needs: tuple[str, ...]
    source: str
    since: str
    group: Any
    twin: Twin | None
    owners: list[dict[str, Any]]
    """The members that may keep the partitions that they report as owned."""
    should: dict[str, Value]
    better: Any
    exact: dict[str, Any]
    """ASSIGNOR@RELEASE -> the answer of that class."""


@dataclass(frozen=True, slots=True)
class Fixtures:
    """All cases of a family with the version of the fixtures."""

    form: Form
    version: str
    cases: tuple[Case, ...]


class _FileForm(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    version: str
    family: str
    count: int
    cases: list[dict[str, Any]]


def read_fixtures(path: str) -> Fixtures:
    """Read a fixtures file; raise InputError with file, case and field, also for another format."""
    data = decode_value(path, read_text(path), 1)
    stated = data.get("format") if isinstance(data, dict) else None
    if stated != FORMAT:
        raise InputError(
            f"{path}: format: is {json.dumps(stated)}, but this kassay reads format {FORMAT}. "
            "Take fixtures of that format, or the kassay that came with these"
        )
    if "family" not in data:
        _read_at(path, partial(refuse_no_assignor, Path(path).stem))
    whole = _read_at(path, partial(convert_json, data, _FileForm))
    of_family = _read_at(f"{path}: family", partial(load_form, whole.family))
    if whole.count != len(whole.cases):
        raise InputError(
            f"{path}: count: is {whole.count}, but there are {len(whole.cases)} cases. Take the whole file again"
        )
    cases: dict[str, Case] = {}
    for number, each in enumerate(whole.cases):
        name = each.get("id")
        place = f"{path}: {name}" if isinstance(name, str) else f"{path}: cases[{number}]"
        case = _read_case(place, each, of_family)
        if case.id in cases:
            raise InputError(f"{place}: id: stands twice. Give each case its own")
        if case.twin and case.twin.case not in cases:
            raise InputError(
                f"{place}: twin: case: there is no {case.twin.case!r} before it. Name an earlier case"
            )
        cases[case.id] = case
    return Fixtures(of_family, whole.version, tuple(cases.values()))


def _read_case(place: str, data: Json, of: Form) -> Case:
    read: Case = _read_at(place, partial(convert_json, data, Case))
    if not read.id.startswith(f"{of.family}-"):
        raise InputError(f"{place}: id: has a wrong start. Write one such as {of.family}-0001")
    group = _read_at(f"{place}: group", partial(of.read_group, read.group))
    better = _read_at(f"{place}: better", partial(of.read_answer, read.better))
    exact = {
        name: _read_at(f"{place}: exact: {name}", partial(of.read_answer, answer))
        for name, answer in read.exact.items()
    }
    if read.twin and read.twin.aim not in of.relations:
        raise InputError(f"{place}: twin: aim: is {read.twin.aim!r}. Give one of {', '.join(of.relations)}")
    return msgspec.structs.replace(read, group=group, better=better, exact=exact)


def _read_at(place: str, read: Any) -> Any:
    """Call the reader of a part; raise its InputError with the place."""
    try:
        return read()
    except InputError as wrong:
        raise InputError(f"{place}: {wrong}") from None


def write_fixtures(fixtures: Fixtures) -> str:
    """Return the text of a fixtures file, with a line for each part; equal cases give equal bytes."""
    of = fixtures.form
    head = {"format": FORMAT, "version": fixtures.version, "family": of.family, "count": len(fixtures.cases)}
    cases = ",\n".join(_write_case(case, of) for case in fixtures.cases)
    return f'{_write_line(head)[:-1]}, "cases": [\n{cases}\n]}}\n'


def _write_case(case: Case, of: Form) -> str:
    exact = {name: _write_line(of.write_answer(answer)) for name, answer in case.exact.items()}
    group = {}
    for key, value in of.write_group(case.group).items():
        has_objects = isinstance(value, list) and value and isinstance(value[0], dict)
        group[key] = f"[\n    {_join(map(_write_line, value), 4)}]" if has_objects else _write_line(value)
    fields = {
        "id": _write_line(case.id), "comment": _write_line(case.comment), "flags": _write_line(case.flags), "needs": _write_line(case.needs),
        "source": _write_line(case.source), "since": _write_line(case.since), "group": f"{{{_join(_write_pairs(group), 4)}}}",
        "twin": _write_line(None if case.twin is None else msgspec.to_builtins(case.twin)),
        "owners": _write_line(case.owners), "should": _write_line(case.should), "better": _write_line(of.write_answer(case.better)),
        "exact": f"{{\n    {_join(_write_pairs(exact), 4)}}}" if exact else "{}",
    }  # fmt: skip
    return f"{{{_join(_write_pairs(fields), 2)}}}"


def _write_pairs(texts: Mapping[str, str]) -> Iterator[str]:
    return (f"{_write_line(key)}: {text}" for key, text in texts.items())


def _join(parts: Iterable[str], indent: int) -> str:
    return f",\n{' ' * indent}".join(parts)


def _write_line(value: Json | Sequence[str]) -> str:
    return json.dumps(value, ensure_ascii=True)


VERSION = "0.2.0"
"""The version of the fixtures, independent of the version of kassay; see fixtures/STABILITY.md."""

FIRST = "0.1.0"
"""The version since which a case exists if it states no other."""


class Chosen(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A chosen case, from which all expectations are computed."""

    id: str
    comment: str
    source: str
    group: dict[str, Any]
    """The JSON of the group, as in a fixture."""
    since: str = FIRST
    needs: tuple[str, ...] = ()
    """Needs that are not visible in the group."""
    twin: Twin | None = None
    """Names that stay equal may be left out."""
    stays: str = ""
    """The reason why it stays although other cases kill all of its mutants."""


def read_chosen_cases(of: Form) -> tuple[Chosen, ...]:
    """Read the chosen cases of a family; raise InputError with the place of an error."""
    name = f"chosen/{of.family}.json"
    text = resources.files("kassay.conformance").joinpath(name).read_text("utf-8")
    try:
        cases: list[Chosen] = decode_json(text, list[Chosen])
    except msgspec.ValidationError as wrong:
        raise InputError(f"{name}: {wrong}") from None
    ids = [case.id for case in cases]
    twice = next((id_ for n, id_ in enumerate(ids) if id_ in ids[:n]), None)
    if twice:
        raise InputError(f"{name}: the id {twice} occurs twice. Use a new id")
    return tuple(cases)


def read_chosen_group(case: Chosen, of: Form) -> Any:
    """Read the group of a chosen case; raise InputError with case and field."""
    return _read_at(f"chosen/{of.family}.json: {case.id}: group", partial(of.read_group, case.group))


OURS = Path(kassay.__file__).parent / "fixtures"
"""The folder of the fixtures that are part of kassay."""


class _ProofsForm(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    family: str
    proofs: dict[str, list[Proof]]


def read_family_fixtures(family: str, folder: Path = OURS) -> Fixtures:
    """Read the fixtures of a family; raise InputError if they are missing or wrong."""
    load_form(family)
    path = folder / f"{family}.json"
    read = read_fixtures(str(path))
    if read.form.family != family:
        raise InputError(f"{path}: family: is {read.form.family}. Give the file the name of its family")
    return read


def read_proofs(of: Form, folder: Path = OURS) -> Mapping[str, Sequence[Proof]]:
    """Return the proofs of the best values of a family's fixtures by case; raise InputError if they are wrong."""
    return read_record(folder / "proofs" / f"{of.family}.json", _ProofsForm).proofs


def read_record(path: Path, kind: type[T], check: Callable[[T], object] = lambda _: None) -> T:
    """Read a JSON file into a struct; raise InputError with file and field, also for an InputError of `check`."""
    place = str(path)
    try:
        read = convert_json(decode_value(place, read_text(place), 1), kind)
        check(read)
    except InputError as wrong:
        said = str(wrong)
        raise InputError(said if said.startswith(place) else f"{place}: {said}") from None
    return read


def refuse_other_format(path: Path, number: int) -> None:
    """Raise InputError if a stored run has another format."""
    if number != FORMAT:
        raise InputError(
            f"{path}: format: is {number}, but this kassay reads format {FORMAT}. Store the run again"
        )


def list_groups(family: Family) -> Sequence[Any]:
    """Return the groups of a family's fixtures, which are checked before generated groups; none if it has no fixtures.

    Leave out large groups, which test the time of an answer, and groups that the family refuses.
    """
    if family.name not in FORMS or not (OURS / f"{family.name}.json").exists():
        return ()
    return [group for group in _read_small_groups(family.name) if family.refused(group) is None]


@cache
def _read_small_groups(name: str) -> tuple[Any, ...]:
    fixtures = read_family_fixtures(name)
    return tuple(case.group for case in fixtures.cases if not is_large(case.group, fixtures.form))
