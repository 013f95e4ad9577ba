"""Making the fixtures: expectations of chosen groups by the oracles and the references, and the proofs that stand beside them.

Asking the oracles of a family for the best values of a group, with the proof that stands beside the fixtures.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kassay.conformance.case import Case, Fixtures
from kassay.conformance.chosen import VERSION, Chosen, chosen, group_of
from kassay.conformance.form import Declared, Form, Proof
from kassay.errors import InputError, SkippedError
from kassay.families import family
from kassay.model import AssignorError
from kassay.oracles.answers import Answer
from kassay.shape import Assign
from kassay.targets import Options, open_target

TIME_LIMIT = "time_limit"
"""What a case needs where an assignor may take for ever."""
NEVER = "no answer:"
"""How a reference begins to say that Kafka's class would not come to an end."""
LARGE = 5000
"""Cases with more pairs of members and partitions, or of the like, have no exact answers: they are there for the time that an answer takes."""


@dataclass(frozen=True, slots=True)
class Made:
    """The fixtures of a family and, by case, the proofs of its best values."""

    fixtures: Fixtures
    proofs: Mapping[str, tuple[Proof, ...]]


def made(of: Form) -> Made:
    """Make the fixtures of a family from what was chosen; raises InputError naming the case that cannot be one."""
    cases, proofs = [], {}
    for each in chosen(of):
        try:
            case, proofs[each.id] = _made(each, of)
        except InputError as wrong:
            raise InputError(f"{each.id}: {wrong}") from None
        cases.append(case)
    return Made(Fixtures(of, VERSION, tuple(cases)), proofs)


def _made(each: Chosen, of: Form) -> tuple[Case, tuple[Proof, ...]]:
    group = group_of(each, of)
    best = of.best(group)
    needs = dict.fromkeys([*(need for need, has in of.needs.items() if has(group)), *each.needs])
    if not is_large(group, of) and never_answered(group, of):
        needs[TIME_LIMIT] = None
    should = {**best.should, **dict.fromkeys(reached(group, best.better, of), 0)}
    case = Case(
        each.id, each.comment, tuple(flag for flag, has in of.flags.items() if has(group)), tuple(needs),
        each.source, each.since, group, each.twin, of.owners(group), should, shown(best.better, group, of), exact(group, of),
    )  # fmt: skip
    return case, best.proofs


def shown(better: Any, group: Any, of: Form) -> Any:
    """Return the better answer as a file has it: none of a large group's hundreds of members, which nobody looks at; its proof has it, too."""
    return {} if is_large(group, of) and isinstance(better, dict) else better


def reached(group: Any, better: Any, of: Form) -> list[str]:
    """Return the aims of counts and of laws that somebody is known to reach: the better answer, or an assignor of kassay's."""
    if is_large(group, of) or not (of.zeroes or of.laws):
        return []
    assigns = [open_target(name, Options()).assign for name in of.declared]
    answers = [better, *(answer for assign in assigns if (answer := _answered(assign, group)) is not None)]
    zeroes = [
        aim
        for aim, count in of.zeroes.items()
        if any(next(count(group, answer), None) is None for answer in answers)
    ]
    return zeroes + [
        aim for aim, law in of.laws.items() if any(_holds(law, assign, group) for assign in assigns)
    ]


def _holds(law: Any, assign: Assign, group: Any) -> bool:
    try:
        return next(law(assign, group), None) is None
    except AssignorError:
        return False


def _answered(assign: Assign, group: Any) -> Any:
    try:
        return assign(group)
    except (AssignorError, SkippedError):
        return None


def never_answered(group: Any, of: Form) -> bool:
    """Say whether one of Kafka's classes never answers a group, so that whoever asks it has to be able to stop it."""
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


def is_large(group: Any, of: Form) -> bool:
    """Say whether a group is so large that no exact answers to it are kept."""
    return size_of(group, of) > LARGE


def size_of(group: Any, of: Form) -> int:
    """Return how many pairs of members and partitions a group has, or of the like."""
    *_, second, first = sorted(size(group) for size in family(of.family).shape.sizes.values())
    return first * second


def exact(group: Any, of: Form) -> dict[str, Any]:
    """Return what Kafka's classes answer, by name and release, where their answer breaks no must."""
    found: dict[str, Any] = {}
    if is_large(group, of):
        return found
    for name, releases in of.exact.items():
        declared = of.declared[name]
        for release in releases:
            answer = _answer(f"{name}@{release}", group)
            if answer is not None and kept(group, answer, of, declared):
                found[f"{name.partition('/')[2]}@{release}"] = answer
    return found


def kept(group: Any, answer: Any, of: Form, declared: Declared) -> bool:
    """Say whether an answer keeps every must."""
    return not any(of.broken(group, answer, declared).values())


def _answer(name: str, group: Any) -> Any:
    with open_target(name, Options()) as target:
        return _answered(target.assign, group)


def proved(name: str, question: str, group: Any, of: tuple[str, ...]) -> tuple[Answer, Proof]:
    """Return the proved answer of a family to a question, and the proof of these aims as `kassay optimum --json` prints it.

    Raises InputError where the family has no oracles, or the answer is not proved.
    """
    of_family = family(name)
    if of_family.oracles is None:
        raise InputError(f"there are no oracles for the {name} family yet")
    found = of_family.oracles.optimum(question, group, None)
    if not found.proved:
        raise InputError(f"{question}: is not proved; take a smaller group")
    return found, Proof(of, found.record(of_family.shape.write_assignment(found.assignment)))
