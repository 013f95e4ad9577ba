"""Whether a certificate proves its answer: found again from the group, the assignment and the prices alone."""

from collections import Counter

import numpy as np

from kassay.errors import InputError
from kassay.model import Assignment, Group, TopicPartition
from kassay.oracles.answers import Answer
from kassay.oracles.assignment.certificates.duals import Judged, Prices, bound
from kassay.oracles.assignment.certificates.exact_bound import exact_bound
from kassay.oracles.assignment.values import values
from kassay.oracles.failures import TooLargeError, UnsolvedError
from kassay.oracles.partitions.certificate import AnswerForm, PartForm
from kassay.oracles.partitions.encoding import Case, cases, owners_in
from kassay.oracles.partitions.optimum import answered
from kassay.oracles.partitions.question import Question, question
from kassay.properties.partitions.holdings import sharing

LARGEST = 10**300
"""Prices may leave 64 bits, but not every bound."""


class _RefutedError(Exception):
    """An answer says what is not so; the text names the field."""


def verified(group: Group, stated: AnswerForm) -> tuple[bool, str]:
    """Return whether an answer is proved to be the optimum of a group, and in a sentence what is or why it is not.

    Raises InputError naming the field where the question makes no sense, or a row has not one number per level.
    """
    asked = question(stated.question)
    for n, part in enumerate(stated.certificate.parts):
        rows = {"value": part.value, "least": part.least, "price": part.price}
        for name, row in [*rows.items(), *((f"except.{member}", row) for member, row in part.others.items())]:
            if len(row) != len(asked.levels) or any(abs(number) >= LARGEST for number in row):
                raise InputError(
                    f"certificate.parts[{n}].{name}: give a number of up to 300 digits for each of {', '.join(asked.levels)}"
                )
    try:
        found = _found_again(group, asked, stated)
        _compare(found, stated)
    except (_RefutedError, UnsolvedError) as refuted:
        return False, f"NOT proved: {refuted}"
    said = (
        ", ".join(
            f"{level.name} {level.value}" if level.proved else f"{level.name} {level.least} to {level.value}"
            for level in found.levels
        )
        or "no level"
    )
    if not found.proved:
        return False, f"NOT proved: what it states holds, but it does not prove an optimum: {said}"
    return True, f"proved: nothing is better in {stated.question}: {said}"


def _found_again(group: Group, asked: Question, stated: AnswerForm) -> Answer:
    """Make the answer of the assignment and the prices."""
    given = {
        member: [TopicPartition(*partition) for partition in partitions]
        for member, partitions in stated.assignment.items()
    }
    _refuse_illegal(group, asked, given)
    read = cases(group, asked)
    parts = stated.certificate.parts
    topics = [list(case.names) for case in read if case.problem.items]
    if [part.topics for part in parts] != topics:
        raise _RefutedError(
            f"certificate.parts: their topics are {[part.topics for part in parts]}, but those of the group are {topics}"
        )
    place = {topic: n for n, case in enumerate(read) for topic in case.names}
    shares: list[dict[str, list[TopicPartition]]] = [{} for _ in read]
    for member, partitions in given.items():
        for partition in partitions:
            shares[place[partition.topic]].setdefault(member, []).append(partition)
    left = iter(parts)
    best = [
        _judged(case, asked, share, next(left) if case.problem.items else None)
        for case, share in zip(read, shares, strict=True)
    ]
    return answered(group, asked, read, best, words=False)


def _refuse_illegal(group: Group, asked: Question, given: Assignment) -> None:
    """Refuse an assignment that does not give each partition that is read to as many different readers as are asked."""
    counts = {topic.name: topic.partitions for topic in group.topics}
    members = {member.id: set(member.topics) for member in group.members}
    for member in [*given, *members]:
        if member not in members or member not in given:
            where = "the group" if member in given else "it"
            raise _RefutedError(f"assignment: member {member!r} is not in {where}")
    held = Counter(partition for partitions in given.values() for partition in partitions)
    for member, partitions in given.items():
        if len(set(partitions)) != len(partitions):
            raise _RefutedError(f"assignment: gives member {member!r} a partition twice")
        for name, number in partitions:
            if name not in members[member] or not 0 <= number < counts.get(name, 0):
                raise _RefutedError(
                    f"assignment: gives member {member!r} {name}-{number}, which it cannot read"
                )
    read = set().union(*members.values())
    wanted = sharing(group) if asked.shared else {}
    for topic in group.topics:
        withheld = topic.unassignable if asked.shared else ()
        for partition in topic if topic.name in read else ():
            copies = 0 if partition.partition in withheld else wanted.get(topic.name, asked.copies)
            if held[partition] != copies:
                raise _RefutedError(
                    f"assignment: gives {partition} to {held[partition]} members; {copies} is asked"
                )


def _judged(case: Case, asked: Question, given: Assignment, part: PartForm | None) -> Judged:
    """Judge what a legal assignment gives of a case's topics by the prices of its part."""
    owners = owners_in(case, given)
    if owners is None:
        raise _RefutedError("assignment: parts partitions of one number, which the contract keeps together")
    prices = _prices(case, asked, part)
    try:
        checked = Prices(np.array(prices, np.int64).reshape(len(case.members), len(asked.levels)).T)
        least = bound(case.problem, asked.levels, checked)
    except (OverflowError, TooLargeError):
        checked = Prices(np.array(prices, object).T)
        least = exact_bound(case.problem, asked.levels, prices)
    return Judged(owners, checked, values(case.problem, asked.levels, owners), least)


def _prices(case: Case, asked: Question, part: PartForm | None) -> list[tuple[int, ...]]:
    """Return what each member asks: nothing where it reads none of the topics, as it can hold nothing."""
    read = np.isin(case.problem.subscription_of, case.problem.audience_subscription).tolist()
    readers = {member for member, reads in zip(case.members, read, strict=True) if reads}
    others = part.others if part else {}
    for member in others:
        if member not in readers:
            raise _RefutedError(f"certificate.parts: except: member {member!r} reads none of the topics")
    nothing = (0,) * len(asked.levels)
    usual = tuple(part.price) if part else nothing
    return [tuple(others.get(m, usual)) if m in readers else nothing for m in case.members]


def _compare(found: Answer, stated: AnswerForm) -> None:
    """Refuse what is stated otherwise than it was found."""
    again = found.certificate
    pairs: list[tuple[str, object, object]] = [
        ("certificate.loads", stated.certificate.loads, again["loads"])
    ]
    for n, (part, own) in enumerate(zip(stated.certificate.parts, again["parts"], strict=True)):
        for field, row in (("value", part.value), ("least", part.least)):
            pairs.append((f"certificate.parts[{n}].{field}", tuple(row), own[field]))
    levels = [(one.level, one.value, one.least, one.proved) for one in stated.levels]
    pairs += [
        ("levels", levels, [(one.name, one.value, one.least, one.proved) for one in found.levels]),
        ("certificate.proved", stated.certificate.proved, again["proved"]),
    ]
    for field, said, true in pairs:
        if said != true:
            raise _RefutedError(f"{field}: states {_short(said)}, but it is {_short(true)}")


def _short(said: object) -> str:
    return str(said) if len(str(said)) <= 200 else f"{str(said)[:200]}..."
