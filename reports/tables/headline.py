"""The sentences at the top of a report: which assignors are correct, which are best, what is broken, and what was tested."""

from collections.abc import Collection, Iterator, Mapping, Sequence

import pandas as pd

from kassay.comparison.headline import label_targets_uniquely
from kassay.families import family
from kassay.families.family import Question
from kassay.families.words import does, plainest_first, when, worst_first
from kassay.reports.sweep.rows import LEGAL
from kassay.reports.tables.rebalances import describe_slow
from kassay.reports.tables.table import Summaries, Table, format_share
from kassay.reports.tables.verdicts import (
    KINDS,
    NO_PROMISE,
    NONE,
    UNJUDGED,
    count_groups,
    select_compared,
    select_criteria,
)
from kassay.sentences import MOST_WORDS, capitalize, format_count, join_names

NAMED = 3
"""A sentence names at most this many targets."""


def render_headline(frame: pd.DataFrame, questions: Sequence[Question], targets: Sequence[str]) -> str:
    """Return the headline, made of the numbers in the columns of :func:`.verdicts.compute_answers`.

    The sentences on correctness come first, since the best assignor is not always correct.
    """
    labels = label_targets_uniquely(targets)
    of = frame.groupby("question")["of"].max()
    right = {
        question: dict(zip(part["target"].map(labels), part["right"].astype(int), strict=True))
        for question, part in frame.groupby("question", sort=False)
    }
    safe = next(question.name for question in questions if question.of_legality)
    groups, correct = int(of[safe]), right[safe]
    if not groups:
        return "No result: no group was tested."
    on_all = f"all {groups:,} groups" if groups > 1 else "the one group"
    if len(labels) == 1:
        ((name, number),) = correct.items()
        said = [f"{name} is {_describe_correctness(number, groups)}."]
    elif not any(correct.values()):
        on_any = f"any of the {groups:,} groups" if groups > 1 else "the one group"
        return f"No assignor is correct on {on_any}."
    else:
        said = [*_compare_correctness(correct, groups, on_all)]
    criteria = [q for q in questions if not q.of_legality and of[q.name]]
    if len(labels) == 1:
        numbers = [
            f"{q.criterion}: {_describe_share(right[q.name][name], int(of[q.name]))}" for q in criteria
        ]
        if numbers:
            said.append(f"{capitalize('; '.join(numbers))}.")
    else:
        # An assignor that never balances has few moves and few reads across racks. It wins nothing by that.
        first = next((q.name for q in questions if q.level), None)
        able = {name for name in labels.values() if first is None or not of[first] or right[first][name]}
        said += _list_best({q: (right[q.name], int(of[q.name])) for q in criteria}, groups, able)
    return " ".join(said)


def _describe_correctness(number: int, groups: int) -> str:
    if groups == 1:
        return "correct on the one group" if number else "incorrect on the one group"
    if number in (0, groups):
        return f"{'correct' if number else 'incorrect'} on all {groups:,} groups"
    return f"correct on {number:,} of {groups:,} groups ({format_share(number / groups)})"


def _describe_share(right: int, of: int) -> str:
    return f"{format_share(right / of)} of {of:,}"


def _compare_correctness(correct: Mapping[str, int], groups: int, on_all: str) -> Iterator[str]:
    """Yield the sentences on which targets are correct on all groups, and on how many groups the others are not."""
    failed = {name: groups - number for name, number in correct.items() if number < groups}
    sound = [name for name in correct if name not in failed]
    every = "Both" if len(correct) == 2 else f"All {len(correct)}"
    if not failed:
        yield f"{every} assignors are correct on {on_all}."
        return
    if sound:
        who = (
            f"Only {join_names(sound)}"
            if len(sound) <= NAMED
            else f"{len(sound)} of {len(correct)} assignors"
        )
        yield f"{who} {'is' if len(sound) == 1 else 'are'} correct on {on_all}."
    most = max(failed.values())
    worst = [name for name, number in failed.items() if number == most]
    if groups == 1:
        return  # "Only a is correct on the one group" says it all
    if len(failed) > NAMED:
        who = f" ({worst[0]})" if len(worst) == 1 else ""
        number = f"All {len(failed)}" if len(failed) == len(correct) else f"{len(failed)} of {len(correct)}"
        yield f"{number} assignors are incorrect on some groups, at most on {most:,} of {groups:,}{who}."
    elif len(worst) == len(correct):
        yield f"Each of the {len(correct)} assignors is incorrect on {most:,} of {groups:,} groups."
    else:
        ordered = sorted(failed.items(), key=lambda one: -one[1])
        numbers = ", ".join(f"{name} {number:,}" for name, number in ordered)
        yield f"Incorrect assignments: {numbers}{'' if sound else f' (of {groups:,} groups)'}."


def _list_best(
    found: Mapping[Question, tuple[Mapping[str, int], int]], groups: int, able: Collection[str]
) -> Iterator[str]:
    """Yield which targets are best for which criteria; criteria with the same winners share a sentence.

    A target that is not in `able` wins only in what no other one achieves.
    """
    by_winners: dict[tuple[str, ...], list[str]] = {}
    targets = 0
    for question, (right, of) in found.items():
        targets = len(right)
        numbers: Mapping[str, int] = {name: number for name, number in right.items() if name in able}
        numbers = numbers if any(numbers.values()) else right
        most = max(numbers.values())
        winners = tuple(name for name, number in numbers.items() if number == most) if most else ()
        each = {2: "both ", 3: "all "}.get(len(winners), "") if len(winners) < targets else ""
        # The share is of all groups, unless fewer than half of them can go wrong.
        part = f" of {of:,}" if 2 * of < groups else ""
        number = f" ({each}{format_share(most / of)}{part})" if most else ""
        by_winners.setdefault(winners, []).append(f"{question.criterion}{number}")
    for winners, criteria in by_winners.items():
        if not winners:
            yield from _split("No assignor ever achieves ", criteria, " or ")
        elif len(winners) == targets:
            every = "Both" if targets == 2 else f"All {targets}"
            yield from _split(f"{every} assignors have equal results for ", criteria)
        elif len(winners) > NAMED:
            yield from _split(f"{len(winners)} of {targets} assignors are best for ", criteria)
        else:
            yield from _split(
                f"{join_names(winners)} {'is' if len(winners) == 1 else 'are'} best for ", criteria
            )


def _split(begin: str, parts: Sequence[str], last: str = " and ") -> Iterator[str]:
    """Yield sentences that list all parts, as many in each as its words allow."""
    taken: list[str] = []
    for part in parts:
        if taken and len(f"{begin} {' '.join(taken)} and {part}".split()) > MOST_WORDS:
            yield f"{begin}{_join(taken, last)}."
            taken = []
        taken.append(part)
    yield f"{begin}{_join(taken, last)}."


def _join(parts: Sequence[str], last: str) -> str:
    return last.join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def describe_verdicts(summaries: Summaries, table: Table, answered: pd.DataFrame) -> list[str]:
    """Return the sentences on a sweep: headline, broken promises, failures, slow convergence, missing proofs, and what was tested."""
    run = summaries.run
    named = select_compared(run.names)
    known, groups = label_targets_uniquely(run.names), count_groups(summaries)
    said = [
        render_headline(answered[answered["target"].isin(named)], select_criteria(run), named),
        " ".join(_describe_promises(table.frame, run.family, summaries.excused)),
        *_describe_failures(summaries, known, groups),
        *describe_slow(summaries, groups),
    ]
    unproved = int(summaries.proofs[summaries.proofs["proved"].eq(other=False)]["rows"].sum())
    if unproved:
        said.append(
            f"{format_count(unproved, 'correct answer')} without a proven optimum count as not optimal."
        )
    rows, waves = int(summaries.statuses["rows"].sum()), len(summaries.waves)
    missing = "" if waves == run.waves else f"; {waves:,} of {run.waves:,} waves are complete"
    on_first = int(summaries.statuses[summaries.statuses["first"]]["rows"].sum())
    changes = " and the changes made to them" if rows > on_first else ""
    number = f"{len(run.names)} assignors" if len(run.names) > 1 else known[run.names[0]]
    said.append(
        f"Tested: {format_count(rows, 'answer')} of {number} to {format_count(groups, 'group')}{changes}{missing}."
    )
    return said


def _describe_promises(frame: pd.DataFrame, of_family: str, excused: pd.DataFrame) -> Iterator[str]:
    """Yield which promises are broken, the worst first, then the known defects, with a situation in which one occurred."""
    known, compared = label_targets_uniquely(list(frame["target"])), select_compared(list(frame["target"]))
    outcomes = dict(zip(frame["target"], frame["promises broken"], strict=True))
    breaking = {
        target: what.split(", ")
        for target, what in outcomes.items()
        if what not in (NONE, NO_PROMISE, UNJUDGED)
    }
    defects = {
        target: what.split(", ")
        for target, what in zip(frame["target"], frame["known defects"], strict=True)
        if what != NONE and target in compared
    }
    for target, names in [*breaking.items()][:NAMED]:
        yield f"Broken promise: {known[target]} {_describe_worst(names, of_family)}."
    if (rest := len(breaking) - NAMED) > 0:
        yield f"{format_count(rest, 'more assignor')} {'breaks a promise' if rest == 1 else 'break promises'}."
    if not breaking and NONE not in outcomes.values():
        yield "No promise was tested."
    elif not breaking:
        yield "No promise is broken, except for known defects." if defects else "No promise is broken."
    if defects:
        worst = worst_first({name for names in defects.values() for name in names})
        target = next(target for target, names in defects.items() if worst[0] in names)
        found = excused[(excused["target"] == target) & (excused["property"] == worst[0])]["situation"]
        with_ = (
            f", for example with {when(family(of_family), plainest_first(found)[0])}" if len(found) else ""
        )
        labels = [known[name] for name in defects]
        few = labels if len(labels) <= 2 * NAMED else [*labels[:NAMED], f"{len(labels) - NAMED} more"]
        who = "one of them" if len(defects) > 1 else "it"
        yield f"Known defects: {join_names(few)}. At worst, {who} {_describe_worst(worst[:1], of_family)}{with_}."


def _describe_worst(names: Sequence[str], of_family: str) -> str:
    """Return what an assignor does that breaks promises, the worst first."""
    return join_names([does(family(of_family), name) for name in worst_first(names)[:NAMED]])


def _describe_failures(summaries: Summaries, known: Mapping[str, str], groups: int) -> Iterator[str]:
    """Yield how often and how the targets fail that fail most on groups as drawn."""
    first = summaries.statuses[summaries.statuses["first"] & ~summaries.statuses["status"].isin(LEGAL)]
    counts = first.groupby("target")["rows"].sum().reindex(summaries.run.names).dropna().astype(int)
    for target in counts.sort_values(ascending=False, kind="stable").head(NAMED).index:
        kinds = first[first["target"] == target].groupby("status")["rows"].sum()
        parts = [f"{KINDS[str(status)]} on {int(rows):,}" for status, rows in kinds.items()]
        yield f"{known[str(target)]} {join_names(parts)} of {format_count(groups, 'group')}."
    if (rest := len(counts) - NAMED) > 0:
        yield f"{format_count(rest, 'more assignor')} {'fails' if rest == 1 else 'fail'} on some groups."
