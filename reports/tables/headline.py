"""The headline: one sentence on what came out, made of the numbers that the tables show."""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from kassay.family import Question
from kassay.reports.tables.table import share
from kassay.reports.target_labels import listed, target_labels

NAMED = 3
"""A sentence names no more targets than this."""

Counts = Mapping[str, Mapping[str, int]]


def headline(frame: pd.DataFrame, questions: Sequence[Question], targets: Sequence[str]) -> str:
    """Say who is right most often in each question, and who fails; of the columns of :func:`..questions.answers`."""
    known = target_labels(targets)
    right: Counts = {
        question.name: dict(zip(part["target"].map(known), part["right"].astype(int), strict=True))
        for question in questions
        for part in [frame[frame["question"] == question.name]]
    }
    of = {str(name): int(number) for name, number in frame.groupby("question")["of"].max().items()}
    safe = next(question.name for question in questions if not question.level)
    rest = [question.name for question in questions if question.level and of[question.name]]
    groups, names = of[safe], list(known.values())
    if not groups:
        return "Nothing can be told: no group was judged."
    failing = {name: groups - right[safe][name] for name in names if right[safe][name] < groups}
    if len(failing) == len(names) and not any(right[safe].values()):
        who = f"{names[0]} fails" if len(names) == 1 else f"All {len(names)} assignors fail"
        return f"{who} on {'all ' * (groups > 1)}{_groups(groups)}."
    if len(names) == 1:
        return _alone(
            names[0],
            groups,
            len(failing) and failing[names[0]],
            [(q, right[q][names[0]], of[q]) for q in rest],
        )
    best = list(_best(rest, right, of))
    winners = list(dict.fromkeys(name for who, _ in best for name in who))
    said = ", ".join(words for _, words in best)
    failed = _failed(failing, winners, len(names), groups)
    joined = ", but " if winners and set(winners) <= set(failing) else "; "
    text = f"{said}{joined}{failed}" if said else failed
    return f"{text[:1].upper() if text.startswith(('none', 'neither', 'all ')) else text[:1]}{text[1:]}."


def _alone(name: str, groups: int, failed: int, rest: Sequence[tuple[str, int, int]]) -> str:
    safe = f"fails on {f'{failed:,}' if failed else 'none'} of {_groups(groups)}"
    told = [f"{question} on {share(right / of)} of {of:,}" for question, right, of in rest]
    return f"{name} {safe}{f'; it is {listed(told)} where that can go wrong' if told else ''}."


def _best(rest: Sequence[str], right: Counts, of: Mapping[str, int]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield who is right most often, and in what, in words; questions with the same winners stand together."""
    found: dict[tuple[str, ...], list[str]] = {}
    for question in rest:
        most = max(right[question].values())
        who = tuple(name for name, number in right[question].items() if number == most)
        found.setdefault(who if most else (), []).append(
            f"{question} ({share(most / of[question])})" if most else question
        )
    for who, told in found.items():
        if not who:
            yield (), f"none is ever {' or '.join(told)}"
        elif len(who) == len(right[rest[0]]):
            yield (), f"all are equally often {listed(told)}"
        else:
            more = [f"{len(who) - NAMED + 1} more"] if len(who) > NAMED else []
            named = who[: NAMED - 1] if more else who
            yield (
                who,
                f"{listed([*named, *more])} {'is' if len(who) == 1 else 'are'} most often {listed(told)}",
            )


def _failed(failing: Mapping[str, int], winners: Sequence[str], targets: int, groups: int) -> str:
    if not failing:
        return f"{'neither' if targets == 2 else f'none of the {targets}'} fails on {'any of ' * (groups > 1)}{_groups(groups)}"
    if len(failing) > NAMED:
        worst = max(failing, key=lambda name: failing[name])
        return f"{len(failing)} of the {targets} fail, {worst} most often: on {failing[worst]:,} of {_groups(groups)}"
    named = list(failing)
    who = {1: "it", 2: "both"}.get(len(named)) if set(named) == set(winners) else None
    verb = "fails on" if len(named) == 1 else "fail: on"
    return f"{who or listed(named)} {verb} {listed([f'{failing[name]:,}' for name in named])} of {_groups(groups)}"


def _groups(number: int) -> str:
    return f"{number:,} group{'s' * (number != 1)}"
