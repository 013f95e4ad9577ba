"""The headline of one group: the loads, the balanced loads, or the targets that reach the optimum; and the labels of targets."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kassay.comparison.measured import (
    Held,
    Measured,
    compute_holdings,
    compute_loads,
    format_load_range,
    iterate_roles,
    list_roles,
    name_role,
)
from kassay.families.family import Family
from kassay.families.shape import Shape
from kassay.families.words import PROMISES
from kassay.oracles.answers import Answer, Gap
from kassay.oracles.levels import LevelWords
from kassay.sentences import join_names

DISTRIBUTED_AS = {"kafka": "kafka-python"}
"""Package -> the name under which it is installed, if that is better known."""


def label_target(target: str) -> str:
    """Return the short name of a target: its class or function without scheme and path, or kassay's own name of an assignor."""
    scheme, colon, place = target.partition(":")
    if not colon:
        return target
    if scheme == "python":
        module, _, attribute = place.partition(":")
        package, dot, _ = module.partition(".")
        if dot and attribute[:1].isupper():
            return f"{DISTRIBUTED_AS.get(package, package)}'s {attribute}"
        return f"{module.rpartition('.')[2]}:{attribute}" if attribute else target
    before, hash_, name = place.rpartition("#")
    if scheme == "kafka" and hash_:
        return f"Kafka {before}'s {name.rpartition('/')[2]}"
    return name if hash_ else place or target


def label_targets_uniquely(targets: Sequence[str]) -> dict[str, str]:
    """Return the label of each target: its short name, without the family if all have the same; the full name if two would be equal."""
    families = {name.partition("/")[0] for name in targets if ":" not in name}
    short = {
        name: name.partition("/")[2]
        if "/" in name and ":" not in name and len(families) == 1
        else label_target(name)
        for name in targets
    }
    said = [*short.values()]
    return {name: label if said.count(label) == 1 else name for name, label in short.items()}


TWO, NAMED = 2, 3
"""A sentence names at most this number of targets."""
UNEVEN = "by less even loads"
"""The reason why a value is below the optimum, which is the optimum for balanced loads."""
COPIES = {"standby", "warmup"}
"""Roles of copies that process nothing."""


def list_gaps(one: Measured) -> list[str]:
    """Return the objectives in which an answer is above the optimum, each with both values."""
    return list(dict.fromkeys(gap.said.beside(gap.value, gap.optimum) for gap in one.gaps if gap.over > 0))


def is_unbalanced(one: Measured) -> bool:
    """Return True if an answer is less balanced than the optimum."""
    return any(gap.over > 0 for gap in one.gaps if gap.said.counts == "loads")


def find_moves_gap(one: Measured) -> Gap | None:
    """Return the gap of an answer in moves; None if moves are not compared."""
    return next((gap for gap in one.gaps if gap.said.counts == "moving"), None)


def _describe_ungraded(one: Measured) -> str:
    """Return a phrase for an answer that has no gaps to the optimum."""
    return "an answer that is not compared with the best possible" if one.legal else "a wrong answer, or none"


def compute_state_distance(one: Measured) -> tuple[int, ...]:
    """Return the distance of an assignment to the optimum in its primary state objectives."""
    return tuple(max(0, gap.over) for gap in one.gaps if gap.said.turn == 0)


def is_optimal_in_place(one: Measured) -> bool:
    """Return True if no objective of an assignment can be better, except the costs of a rebalance such as moves.

    Secondary objectives such as topic spread count, too: balanced totals alone are not optimal.
    """
    return bool(one.gaps) and all(gap.over <= 0 for gap in one.gaps if not gap.said.passing)


def compute_distance(one: Measured) -> tuple[int, ...]:
    """Return the distance of an answer to the optimum: state objectives, then costs of the rebalance, then secondary objectives."""
    return tuple(max(0, gap.over) for gap in sorted(one.gaps, key=lambda gap: gap.said.turn))


def build_objective_order(family: Family, compared: Iterable[str]) -> str:
    """Return the objectives of a family that answers are compared in, most important first as in :func:`compute_distance`."""
    levels = [level for level in (family.oracles.levels if family.oracles else ()) if level in compared]
    return ",".join(sorted(levels, key=lambda level: family.level(level).turn))


def reaches_optimum(one: Measured, together: Mapping[str, int] | None = None) -> bool:
    """Return True if an answer is optimal in every proven objective, or has the values of `together`.

    If no assignment is optimal in every objective, `together` has the values of the lexicographic optimum.
    """
    if not one.gaps or not list_gaps(one):
        return bool(one.gaps)
    known = together or {}
    return all(gap.value <= known[gap.level] if gap.level in known else gap.over <= 0 for gap in one.gaps)


def render_headline(
    answers: Sequence[tuple[str, Measured]], together: Mapping[str, int] | None = None
) -> str:
    """Return the answers that reach the optimum, with the gaps of the others; if none does, the closest ones."""
    reach = [label for label, one in answers if reaches_optimum(one, together)]
    rest = [(label, one) for label, one in answers if label not in reach]
    none = "Neither assignor" if len(rest) == TWO else f"None of the {len(rest)} assignors"
    if len(rest) > 1 and not any(one.legal for _, one in answers):
        return f"{none} gives a right answer."
    if not any(one.gaps for _, one in answers):  # no optimum is known
        told = [
            f"{label} gives a {'right' if one.legal else 'wrong'} answer{'' if one.legal else ', or none'}"
            for label, one in rest[:NAMED]
        ]
        more = len(rest) - NAMED
        return f"{'; '.join(told)}{f'; the numbers of {more} more stand below' if more > 0 else ''}."
    if not reach and len(rest) > 1 and (legal := [(label, one) for label, one in rest if one.gaps]):
        least = min(compute_distance(one) for _, one in legal)
        near = [label for label, one in legal if compute_distance(one) == least]
        best = next(one for label, one in legal if label == near[0])
        comes = "comes" if len(near) == 1 else "come"
        return f"{none} reaches the best possible; {_list_few(near)} {comes} nearest: {'; '.join(list_gaps(best))}."
    told = (
        [f"{_list_few(reach)} {'reaches' if len(reach) == 1 else 'reach'} the best possible"] if reach else []
    )
    told += [
        f"{label} {f'does not: {join_names(list_gaps(one))}' if reach else f'does not reach the best possible: {join_names(list_gaps(one))}'}"
        if one.gaps
        else f"{label} gives {_describe_ungraded(one)}"
        for label, one in rest[:NAMED]
    ]
    more = len(rest) - NAMED
    if more > 0:
        told.append(f"nor {'does' if more == 1 else 'do'} {more} more")
    return f"{'; '.join(told)}."


def describe_other_targets(answers: Sequence[tuple[str, Measured]]) -> str:
    """Describe the answers of the targets that are not drawn, in a sentence or two."""
    reach = [label for label, one in answers if reaches_optimum(one)]
    told = [f"{join_names(reach)} {'reaches' if len(reach) == 1 else 'reach'} the best"] if reach else []
    for label, one in answers:
        if label not in reach:
            told.append(f"{label}: {'; '.join(list_gaps(one)) or _describe_ungraded(one)}")
    return f"{'; '.join(told)}." if told else ""


def describe_loads(family: Family, now: Measured, best: Answer) -> str:
    """Return the current loads and the balanced loads in one to three sentences."""
    shape = family.shape
    has, then = compute_holdings(shape, now.assignment), compute_holdings(shape, best.assignment)
    owners = list(dict.fromkeys([*then, *has]))
    who = next(iter(shape.sizes))
    used = list_roles(has, then)

    def spread(whose: Held, role: str) -> int:
        numbers = compute_loads(whose, owners, role)
        return max(numbers, default=0) - min(numbers, default=0)

    differs = {role: spread(has, role) - spread(then, role) for role in used}
    # The first role that is less balanced than it can be is described, for example connectors before tasks.
    role = next((role for role in used if differs[role] > 0), used[0])
    numbers, possible = compute_loads(has, owners, role), compute_loads(then, owners, role)
    what = name_role(shape, role)
    said = [_describe_numbers(numbers, what, who, possible)]
    runs = [each for each in used if each not in COPIES]  # standby copies have no owner to lose
    lost = {
        each: max(0, sum(compute_loads(then, owners, each)) - sum(compute_loads(has, owners, each)))
        for each in runs
    }
    unowned = sum(lost.values())
    wrong = [PROMISES[name].seen for name in now.broken if name in PROMISES and PROMISES[name].seen]
    if unowned > 0 and "complete" in now.broken:
        total = sum(sum(compute_loads(then, owners, each)) for each in runs)
        unit = name_role(shape, runs[0]) if len(runs) == 1 else shape.items
        said.append(f"{unowned:,} of {total:,} {unit} {'has' if unowned == 1 else 'have'} no owner.")
    elif wrong or now.broken:
        said.append(f"The assignment is not valid: {join_names(wrong or sorted(now.broken))}.")
    if differs[role] > 0 and not unowned:
        said.append(f"Balanced is {format_load_range(possible)}{f' {what}' if len(used) > 1 else ''}.")
    elif differs[role] <= 0 and not now.broken:
        worse = [gap for gap in now.gaps if gap.over > 0 and not gap.said.passing]
        if worse:
            values = [f"{gap.said.counted(gap.value)} (best {gap.optimum:,})" for gap in worse]
            said.append(
                f"The loads are balanced, but the assignment has {join_names(list(dict.fromkeys(values)))}."
            )
            said += [_describe_clumps(shape, now, gap.said) for gap in worse if gap.said.each != ("", "")]
        elif len(owners) > 1:
            said.append("The assignment is optimal." if now.gaps else "The loads are balanced.")
    return " ".join(said)


def _describe_clumps(shape: Shape, now: Measured, words: LevelWords) -> str:
    """Return the number of kinds whose items have one owner: *3 of 3 connectors have all their tasks on one worker*."""
    owners: dict[Any, set[str]] = {}
    items: Counter[Any] = Counter()
    for owner, given in shape.write_assignment(now.assignment).items():
        for _, role_items in iterate_roles(given):
            for item in role_items:
                if isinstance(item, list | tuple):
                    owners.setdefault(item[0], set()).add(owner)
                    items[item[0]] += 1
    several = [kind for kind, number in items.items() if number > 1]
    clumped = [kind for kind in several if len(owners[kind]) == 1]
    _, many = words.each
    who = next(iter(shape.sizes)).removesuffix("s")
    what = "tasks" if shape.items != "partitions" else "partitions"
    return (
        f"{len(clumped):,} of {len(several):,} {many} have all their {what} on one {who}." if clumped else ""
    )


def _describe_numbers(numbers: Sequence[int], what: str, who: str, possible: Sequence[int]) -> str:
    """Return the distribution of loads in one sentence, such as *3 of 9 members own 36 partitions, 6 own 24*."""
    counts, one, n = Counter(numbers), who.removesuffix("s"), len(numbers)

    def unit(number: int) -> str:
        return what.removesuffix("s") if number == 1 else what

    if n == 1:
        return f"its only {one} owns {numbers[0]:,} {unit(numbers[0])}."
    if len(counts) == 1:
        all_of = f"both {who}" if n == TWO else f"all {n:,} {who}"
        return f"{all_of} own {numbers[0]:,} {unit(numbers[0])} each."
    if counts[0] and min(possible, default=0):
        return (
            f"{counts[0]:,} of {n:,} {who} {'has' if counts[0] == 1 else 'have'} no {what.removesuffix('s')}."
        )
    if len(counts) == TWO:
        (most, first), (least, rest) = max(counts.items()), min(counts.items())
        owns = "owns" if first == 1 else "own"
        return f"{first:,} of {n:,} {who} {owns} {most:,} {unit(most)}, {rest:,} {'owns' if rest == 1 else 'own'} {f'{least:,}' if least else 'none'}."
    return f"{n:,} {who} own {min(numbers):,} to {max(numbers):,} {what} each."


def _list_few(names: Sequence[str]) -> str:
    return join_names(
        names if len(names) <= NAMED else [*names[: NAMED - 1], f"{len(names) - NAMED + 1} more"]
    )
