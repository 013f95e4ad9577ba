"""The headline: who is best and who fails, then who never fails, made of the numbers that the tables show; no sentence has shares of several questions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from kassay.comparison.headline import target_labels
from kassay.family import Question
from kassay.reports.tables.table import share
from kassay.sentences import listed

NAMED = 3
"""A sentence names no more targets than this."""
TWO = 2

Counts = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of the sentence, whether it begins with a name, which is never changed, and the targets that it calls best."""

    words: str
    named: bool = False
    best: Sequence[str] = ()


def render_headline(frame: pd.DataFrame, questions: Sequence[Question], targets: Sequence[str]) -> str:
    """Say who is right most often in each question, and who fails; of the columns of :func:`..questions.answers`."""
    known = target_labels(targets)
    right: Counts = {
        question.said: dict(zip(part["target"].map(known), part["right"].astype(int), strict=True))
        for question in questions
        for part in [frame[frame["question"] == question.name]]
    }
    counted = frame.groupby("question")["of"].max()
    of = {question.said: int(counted[question.name]) for question in questions}
    safe = next(question.said for question in questions if question.of_legality)
    rest = [question.said for question in questions if not question.of_legality and of[question.said]]
    groups, names = of[safe], list(known.values())
    if not groups:
        return "Nothing can be told: no group was tested."
    failing = {name: groups - right[safe][name] for name in names if right[safe][name] < groups}
    if not any(right[safe].values()):
        who = {1: f"{names[0]} fails", TWO: "Both assignors fail"}
        return f"{who.get(len(names), f'All {len(names)} assignors fail')} on {_on(groups, groups)}."
    if len(names) == 1:
        told = [(question, right[question][names[0]], of[question]) for question in rest]
        return _alone(names[0], failing.get(names[0], 0), groups, told)
    best = list(_best(rest, right))
    winners = list(dict.fromkeys(name for clause in best for name in clause.best))
    clauses = [*best, _failed(failing, winners, names, groups)]
    words = [clause.words for clause in clauses]
    if not clauses[0].named:
        words[0] = f"{words[0][:1].upper()}{words[0][1:]}"
    fails_too = bool(winners) and set(winners) <= set(failing)
    joined = ", but " if fails_too else "; "
    said = f"{', '.join(words[:-1])}{joined if best else ''}{words[-1]}."
    return said + (
        _sound([name for name in names if name not in failing], rest, right, of) if fails_too else ""
    )


def _sound(sound: Sequence[str], rest: Sequence[str], right: Counts, of: Mapping[str, int]) -> str:
    """Say who never fails where the best do, and what it costs in the first question."""
    if not sound:
        return ""
    if len(sound) > TWO:
        return f" {len(sound)} others never fail."
    shares = [share(right[rest[0]][name] / of[rest[0]]) for name in sound]
    what = f"{rest[0]} on {listed(shares)} of {of[rest[0]]:,}"
    return f" {listed(sound)} never fail{'s' * (len(sound) == 1)}, and {'is' if len(sound) == 1 else 'are'} {what}."


def _alone(name: str, failed: int, groups: int, told: Sequence[tuple[str, int, int]]) -> str:
    none = f"fails on none of {groups:,} groups" if groups > 1 else "does not fail on the one group"
    fails = f"fails on {_on(failed, groups)}" if failed else none
    parts = [f"{question} on {_share(right, of)}" for question, right, of in told]
    return f"{name} {fails}{f'; it is {listed(parts)} where that can go wrong' if parts else ''}."


def _share(right: int, of: int) -> str:
    """Say on how many of its groups one target is right."""
    if of == 1:
        return "the only one" if right else "none"
    return (
        f"none of {of:,}" if not right else f"all {of:,}" if right == of else f"{share(right / of)} of {of:,}"
    )


def _best(rest: Sequence[str], right: Counts) -> Iterator[Clause]:
    """Yield who is right most often, and in what; questions with the same winners stand together."""
    found: dict[tuple[str, ...], list[str]] = {}
    for question in rest:
        most = max(right[question].values())
        who = tuple(name for name, number in right[question].items() if number == most)
        found.setdefault(who if most else (), []).append(question)
    for who, told in found.items():
        targets = len(right[rest[0]])
        if not who:
            yield Clause(f"{'neither' if targets == TWO else 'none'} is ever {' or '.join(told)}")
        elif len(who) == targets:
            yield Clause(f"{'both' if targets == TWO else 'all'} are equally often {listed(told)}")
        else:
            named = [*who[: NAMED - 1], f"{len(who) - NAMED + 1} more"] if len(who) > NAMED else who
            verb = "is" if len(who) == 1 else "are"
            yield Clause(f"{listed(named)} {verb} most often {listed(told)}", named=True, best=who)


def _failed(failing: Mapping[str, int], winners: Sequence[str], names: Sequence[str], groups: int) -> Clause:
    """Say who fails, and on how many of the groups."""
    if not failing:
        who = "neither" if len(names) == TWO else f"none of the {len(names)}"
        return Clause(f"{who} fails on {f'any of {groups:,} groups' if groups > 1 else 'the one group'}")
    worst = max(failing.values())
    first = [name for name, number in failing.items() if number == worst]
    alike, on = len(first) == len(failing), _on(worst, groups)
    each = " each" if worst < groups else ""
    if len(failing) > NAMED:
        who = f"all {len(names)}" if len(failing) == len(names) else f"{len(failing)} of the {len(names)}"
        if alike:
            return Clause(f"{who} fail on {on}{each}")
        return Clause(
            f"{who} fail, {f'{first[0]} most often: on {on}' if len(first) == 1 else f'on at most {on}{each}'}"
        )
    said = {1: "it", TWO: "both"}.get(len(failing), "") if set(failing) == set(winners) else ""
    named = said or listed(list(failing))
    if len(failing) == 1:
        return Clause(f"{named} fails on {on}", named=not said)
    if alike:
        return Clause(f"{named} {'each ' if each else ''}fail on {on}", named=not said)
    numbers = listed([f"{number:,}" for number in failing.values()])
    return Clause(f"{named} fail on {numbers} of {groups:,} groups", named=not said)


def _on(number: int, groups: int) -> str:
    """Say how many of the groups, of which there is one at least."""
    if groups == 1:
        return "the one group"
    return f"all {groups:,} groups" if number == groups else f"{number:,} of {groups:,} groups"
