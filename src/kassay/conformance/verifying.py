"""Verifying the fixtures: every expectation held against what was chosen, its proof, the references and Kafka's own classes.

What changed between two versions of the fixtures, and which version number that asks for (fixtures/STABILITY.md).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kassay.conformance.case import Case, Fixtures, written
from kassay.conformance.form import Form, Proof
from kassay.conformance.making import TIME_LIMIT, is_large, kept, made
from kassay.errors import InputError, SkippedError
from kassay.families import family
from kassay.model import AssignorError
from kassay.targets import Options, open_target


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something in the fixtures that is not so: the case, "" where it is the whole file, and a sentence."""

    case: str
    says: str


def doubts(fixtures: Fixtures, proofs: Mapping[str, Sequence[Proof]]) -> Iterator[Doubt]:
    """Yield what does not hold: expectations that do not follow from what was chosen, values without proof, answers that are not the best."""
    if written(made(fixtures.form).fixtures) != written(fixtures):
        yield Doubt("", "is not what `kassay fixtures write` makes; write it again")
    for case in fixtures.cases:
        yield from (Doubt(case.id, said) for said in _of_case(case, fixtures.form, proofs.get(case.id, ())))
    for extra in proofs.keys() - {case.id for case in fixtures.cases}:
        yield Doubt(extra, "has a proof, but there is no such case")


def _of_case(case: Case, of: Form, proofs: Sequence[Proof]) -> Iterator[str]:
    whole = bool(case.better) or not is_large(case.group, of)
    if whole and not kept(case.group, case.better, of, of.declared_strictly):
        yield "better: breaks a must"
    proved: dict[str, Any] = {}
    for proof in proofs:
        yield from _unproved(case, of, proof)
        shape = family(of.family).shape
        values = of.values(case.group, shape.read_assignment(proof.answer["assignment"]))
        proved |= {aim: values[aim] for aim in proof.of}
    reached = of.values(case.group, case.better)
    for aim, value in case.should.items():
        if aim in of.proved_aims and proved.get(aim) != value:
            yield f"should: {aim}: is {value}, but its proof is of {proved.get(aim)}"
        if whole and aim in of.proved_aims and reached[aim] != value:
            yield f"better: has {aim} {reached[aim]}, and should is {value}"


def _unproved(case: Case, of: Form, proof: Proof) -> Iterator[str]:
    oracles = family(of.family).oracles
    if oracles is None:
        return
    try:
        holds, sentence = oracles.verify(of.proved_of(case.group), proof.answer)
    except InputError as wrong:
        holds, sentence = False, str(wrong)
    if not holds:
        yield f"proof of {', '.join(proof.of)}: {sentence}"


def by_classes(fixtures: Fixtures, options: Options) -> Iterator[Doubt]:
    """Yield where Kafka's own classes answer otherwise than `exact` says; raises TargetGoneError where one does not start."""
    of = fixtures.form
    for name, releases in of.exact.items():
        for release in releases:
            key = f"{name.partition('/')[2]}@{release}"
            with open_target(f"kafka:{release}#{name}", options) as target:
                for case in fixtures.cases:
                    if TIME_LIMIT in case.needs:  # it may not answer, and is not asked
                        continue
                    try:
                        answer = target.assign(case.group)
                    except (AssignorError, SkippedError):
                        answer = None
                    right = answer is not None and kept(case.group, answer, of, of.declared[name])
                    given = of.write_answer(answer) if right else None
                    wanted = of.write_answer(case.exact[key]) if key in case.exact else None
                    if given != wanted:
                        yield Doubt(
                            case.id, f"exact: {key}: Kafka's class gives {given}, the file has {wanted}"
                        )


EXPECTED = ("group", "twin", "owners", "should", "better", "exact", "needs", "flags")
WORDS = ("comment", "source", "since")


@dataclass(frozen=True, slots=True)
class Change:
    """A case that is new, gone or changed; `what` are the fields."""

    case: str
    kind: str
    what: tuple[str, ...] = ()


def changes(old: Fixtures, new: Fixtures) -> list[Change]:
    """Return what changed, in the order of ids."""
    before, now = ({case.id: case for case in each.cases} for each in (old, new))
    found = [Change(id_, "gone") for id_ in before.keys() - now.keys()]
    found += [Change(id_, "new") for id_ in now.keys() - before.keys()]
    for id_ in before.keys() & now.keys():
        fields = _fields(before[id_], now[id_], new.form)
        if fields:
            found.append(Change(id_, "corrected" if {*fields} & {*EXPECTED} else "reworded", fields))
    return sorted(found, key=lambda change: change.case)


def asks_for(found: list[Change]) -> str:
    """Return the part of the version number that has to count up: major, minor, patch, or "" where nothing changed."""
    kinds = {change.kind for change in found}
    if "gone" in kinds:
        return "major"
    return "minor" if "new" in kinds else "patch" if kinds else ""


def _fields(one: Case, other: Case, of: Form) -> tuple[str, ...]:
    return tuple(name for name in (*EXPECTED, *WORDS) if _plain(one, name, of) != _plain(other, name, of))


def _plain(case: Case, name: str, of: Form) -> object:
    value = getattr(case, name)
    if name == "group":
        return of.write_group(value)
    if name == "better":
        return of.write_answer(value)
    return {key: of.write_answer(each) for key, each in value.items()} if name == "exact" else value
