"""The writer of fixtures: builds them from the chosen cases, verifies them, and compares two versions."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from kassay.conformance.fixtures import (
    FORMAT,
    VERSION,
    Case,
    Chosen,
    Declared,
    Fixtures,
    Form,
    Proof,
    is_large,
    read_chosen_cases,
    read_chosen_group,
    write_fixtures,
)
from kassay.errors import InputError, SkippedError
from kassay.families import family
from kassay.families.shape import Assign
from kassay.model import AssignorError
from kassay.oracles.answers import Answer
from kassay.targets import Options, open_target

TIME_LIMIT = "time_limit"
"""The need of a case on which an assignor may loop forever."""
NEVER = "no answer:"
"""The beginning of a reference's message if the Kafka class would loop forever."""


@dataclass(frozen=True, slots=True)
class BuiltFixtures:
    """The fixtures of a family, and the proofs of its best values by case."""

    fixtures: Fixtures
    proofs: Mapping[str, tuple[Proof, ...]]


def build_fixtures(of: Form) -> BuiltFixtures:
    """Build the fixtures of a family from the chosen cases; raise InputError with the case that cannot be one."""
    cases, proofs = [], {}
    for each in read_chosen_cases(of):
        try:
            case, proofs[each.id] = _make_case(each, of)
        except InputError as wrong:
            raise InputError(f"{each.id}: {wrong}") from None
        cases.append(case)
    return BuiltFixtures(Fixtures(of, VERSION, tuple(cases)), proofs)


def _make_case(each: Chosen, of: Form) -> tuple[Case, tuple[Proof, ...]]:
    group = read_chosen_group(each, of)
    best = of.best(group)
    needs = dict.fromkeys([*(need for need, has in of.needs.items() if has(group)), *each.needs])
    should, better, answers = best.should, best.better, {}
    if not is_large(group, of):
        if is_never_answered(group, of):
            needs[TIME_LIMIT] = None
        should = {**should, **dict.fromkeys(find_reached_aims(group, better, of), 0)}
        answers = find_exact_answers(group, of)
    elif isinstance(better, dict):
        better = {}  # hundreds of members, which are in the proof
    case = Case(
        each.id, each.comment, tuple(flag for flag, has in of.flags.items() if has(group)), tuple(needs),
        each.source, each.since, group, each.twin, of.owners(group), dict(should), better, answers,
    )  # fmt: skip
    return case, best.proofs


def find_reached_aims(group: Any, better: Any, of: Form) -> list[str]:
    """Return the aims in `zeroes` and `laws` that `better` or one of kassay's assignors reaches."""
    if not (of.zeroes or of.laws):
        return []
    assigns = [open_target(name, Options()).assign for name in of.declared]
    answers = [better, *(answer for assign in assigns if (answer := _ask(assign, group)) is not None)]
    zeroes = [
        aim
        for aim, count in of.zeroes.items()
        if any(next(count(group, answer), None) is None for answer in answers)
    ]
    return zeroes + [
        aim for aim, law in of.laws.items() if any(_keeps_law(law, assign, group) for assign in assigns)
    ]


def _keeps_law(law: Any, assign: Assign, group: Any) -> bool:
    try:
        return next(law(assign, group), None) is None
    except AssignorError:
        return False


def _ask(assign: Assign, group: Any) -> Any:
    try:
        return assign(group)
    except (AssignorError, SkippedError):
        return None


def is_never_answered(group: Any, of: Form) -> bool:
    """Return True if one of Kafka's classes loops forever on a group, so that a harness must be able to stop it."""
    for name in of.declared:
        for target in [f"{name}@{release}" for release in of.exact.get(name, ())] or [name]:
            try:
                open_target(target, Options()).assign(group)
            except AssignorError as failure:
                if str(failure).startswith(NEVER):
                    return True
            except SkippedError:
                continue
    return False


def find_exact_answers(group: Any, of: Form) -> dict[str, Any]:
    """Return the answers of Kafka's classes that keep every must, by name and release."""
    found: dict[str, Any] = {}
    for name, releases in of.exact.items():
        declared = of.declared[name]
        for release in releases:
            with open_target(f"{name}@{release}", Options()) as target:
                answer = _ask(target.assign, group)
            if answer is not None and keeps_musts(group, answer, of, declared):
                found[f"{name.partition('/')[2]}@{release}"] = answer
    return found


def keeps_musts(group: Any, answer: Any, of: Form, declared: Declared) -> bool:
    """Return True if an answer keeps every must."""
    return not any(of.broken(group, answer, declared).values())


def find_proven_answer(name: str, question: str, group: Any, of: tuple[str, ...]) -> tuple[Answer, Proof]:
    """Return the proven optimum of a group for an objective order, and its proof of the aims `of`.

    Raises InputError if the family has no oracles, or if the optimum is not proven.
    """
    of_family = family(name)
    if of_family.oracles is None:
        raise InputError(f"family: there is no oracle for {name} groups. Use groups of another family")
    found = of_family.oracles.optimum(question, group, None)
    if not found.proved:
        raise InputError(f"{question}: is not proved. Take a smaller group")
    return found, Proof(of, found.record(of_family.shape.write_assignment(found.assignment)))


def write_files(made: BuiltFixtures) -> dict[str, str]:
    """Return the texts of a family's files by their names in the folder."""
    of = made.fixtures.form
    line = partial(json.dumps, ensure_ascii=True)
    proofs = ",\n".join(
        f"{line(case)}: {line(msgspec.to_builtins(proofs))}" for case, proofs in made.proofs.items()
    )
    head = line({"format": FORMAT, "family": of.family})[:-1]
    return {
        f"{of.family}.json": write_fixtures(made.fixtures),
        f"proofs/{of.family}.json": f'{head}, "proofs": {{\n{proofs}\n}}}}\n',
    }


@dataclass(frozen=True, slots=True)
class Doubt:
    """A problem of the fixtures: the case ("" for the whole file) and a sentence."""

    case: str
    says: str


def find_problems(fixtures: Fixtures, proofs: Mapping[str, Sequence[Proof]]) -> Iterator[Doubt]:
    """Yield the problems: expectations that differ from the chosen cases, values without proof, answers below the best."""
    if write_fixtures(build_fixtures(fixtures.form).fixtures) != write_fixtures(fixtures):
        yield Doubt("", "is not what `kassay fixtures write` makes. Write it again")
    for case in fixtures.cases:
        yield from (
            Doubt(case.id, said) for said in _check_case(case, fixtures.form, proofs.get(case.id, ()))
        )
    for extra in proofs.keys() - {case.id for case in fixtures.cases}:
        yield Doubt(extra, "has a proof, but there is no such case")


def _check_case(case: Case, of: Form, proofs: Sequence[Proof]) -> Iterator[str]:
    whole = bool(case.better) or not is_large(case.group, of)
    if whole and not keeps_musts(case.group, case.better, of, of.declared_strictly):
        yield "better: breaks a must"
    proved: dict[str, Any] = {}
    shape, oracles = family(of.family).shape, family(of.family).oracles
    for proof in proofs:
        if oracles is not None:
            try:
                holds, sentence = oracles.verify(of.proved_of(case.group), proof.answer)
            except InputError as wrong:
                holds, sentence = False, str(wrong)
            if not holds:
                yield f"proof of {', '.join(proof.of)}: {sentence}"
        values = of.values(case.group, shape.read_assignment(proof.answer["assignment"]))
        proved |= {aim: values[aim] for aim in proof.of}
    reached = of.values(case.group, case.better)
    for aim, value in case.should.items():
        if aim in of.proved_aims and proved.get(aim) != value:
            yield f"should: {aim}: is {value}, but its proof is of {proved.get(aim)}"
        if whole and aim in of.proved_aims and reached[aim] != value:
            yield f"better: has {aim} {reached[aim]}, and should is {value}"


def compare_with_classes(fixtures: Fixtures, options: Options) -> Iterator[Doubt]:
    """Yield the differences between the answers of Kafka's own classes and `exact`; raise TargetGoneError if a class does not start."""
    of = fixtures.form
    for name, releases in of.exact.items():
        for release in releases:
            key = f"{name.partition('/')[2]}@{release}"
            with open_target(f"kafka:{release}#{name}", options) as target:
                for case in fixtures.cases:
                    # On the first the class may loop forever; of large groups no answers are stored.
                    if TIME_LIMIT in case.needs or is_large(case.group, of):
                        continue
                    try:
                        answer = target.assign(case.group)
                    except (AssignorError, SkippedError):
                        answer = None
                    right = answer is not None and keeps_musts(case.group, answer, of, of.declared[name])
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
    """A new, removed or changed case."""

    case: str
    kind: str
    what: tuple[str, ...] = ()
    """The changed fields."""


def compute_changes(old: Fixtures, new: Fixtures) -> list[Change]:
    """Return the changes in the order of case ids."""
    before, now = ({case.id: case for case in each.cases} for each in (old, new))
    found = [Change(id_, "gone") for id_ in before.keys() - now.keys()]
    found += [Change(id_, "new") for id_ in now.keys() - before.keys()]
    for id_ in before.keys() & now.keys():
        old_texts, new_texts = (_write_expected(each[id_], new.form) for each in (before, now))
        fields = tuple(name for name in (*EXPECTED, *WORDS) if old_texts[name] != new_texts[name])
        if fields:
            found.append(Change(id_, "corrected" if {*fields} & {*EXPECTED} else "reworded", fields))
    return sorted(found, key=lambda change: change.case)


def _write_expected(case: Case, of: Form) -> dict[str, object]:
    """Return the fields of a case by name, with groups and answers as JSON."""
    return {name: getattr(case, name) for name in (*EXPECTED, *WORDS)} | {
        "group": of.write_group(case.group),
        "better": of.write_answer(case.better),
        "exact": {key: of.write_answer(each) for key, each in case.exact.items()},
    }


def find_version_part(found: list[Change]) -> str:
    """Return the part of the version number to count up: major, minor, patch, or "" if nothing changed."""
    kinds = {change.kind for change in found}
    if "gone" in kinds:
        return "major"
    return "minor" if "new" in kinds else "patch" if kinds else ""
