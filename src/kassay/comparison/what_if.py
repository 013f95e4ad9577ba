"""The effect of a change: members that join or leave before a rebalance, new partitions, or another value of a setting."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from kassay.comparison.advice import Advice
from kassay.comparison.facts import Facts, label_targets, resolve_assignor_name
from kassay.comparison.headline import COPIES
from kassay.comparison.measured import (
    Measured,
    compute_holdings,
    compute_loads,
    format_load_range,
    list_roles,
    name_role,
)
from kassay.comparison.ranking import find_candidates, rank
from kassay.comparison.strategies import count_moves
from kassay.errors import InputError
from kassay.families.family import Family, Tunable
from kassay.families.shape import Json
from kassay.sentences import FEW, describe_unknown, format_count, format_size, join_names, suggest_name


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a group before its next rebalance."""

    join: int = 0
    """The number of new members."""
    leave: tuple[str, ...] = ()
    """The ids of the members that leave."""
    partitions: Mapping[str, int] = field(default_factory=dict)
    """Topic or subtopology -> its new number of partitions."""

    def words(self, family: Family) -> str:
        """Return the change as text: 2 members join, m3 leaves and t has 12 partitions."""
        who = next(iter(family.shape.sizes))
        said = [f"{format_size(self.join, who)} join{'s' * (self.join == 1)}"] if self.join else []
        if self.leave:
            names = join_names(self.leave) if len(self.leave) <= FEW else format_size(len(self.leave), who)
            said.append(f"{names} leave{'s' * (len(self.leave) == 1)}")
        of_tasks = "processes" in family.shape.sizes
        for name, number in self.partitions.items():
            has = f"subtopology {name} has" if of_tasks else f"{name} has"
            said.append(f"{has} {format_count(number, 'task' if of_tasks else 'partition')}")
        return join_names(said)


def resolve_members(family: Family, group: Any, change: Change) -> Change:
    """Return a change with the full ids of the members that leave, for which a part is enough; raise InputError if it is impossible."""
    who, written = next(iter(family.shape.sizes)), family.shape.write_group(group)
    owners = written[who]
    leave = tuple(dict.fromkeys(_find_id(name, owners, who) for name in change.leave))
    if len(leave) == len(owners) and not change.join:
        raise InputError(f"--leave: none of {len(owners)} {who} would be left. Let one stay, or add --join N")
    counted = {
        str(one.get("name", one.get("id"))): one["partitions"]
        for one in written.get("topics", written.get("subtopologies", ()))
    }
    for name, number in change.partitions.items():
        where = f"--add-partitions {name}:{number}"
        if not counted:
            raise InputError(f"{where}: {who} run nothing that has partitions. Leave the option out")
        if name not in counted:
            raise InputError(describe_unknown(where, name, counted, "The group"))
        if number <= counted[name]:
            raise InputError(
                f"{where}: {name} has {counted[name]:,} already, and Kafka cannot remove any. Give the new number, {counted[name] + 1:,} or more"
            )
    return Change(change.join, leave, change.partitions)


def _find_id(name: str, owners: Sequence[Mapping[str, Any]], who: str) -> str:
    """Return the id of the owner with an id, an instance id, or an unambiguous part of an id."""
    ids = [str(one["id"]) for one in owners]
    full = [str(one["id"]) for one in owners if name in (one["id"], one.get("instance_id"))]
    found = full[:1] or [one for one in ids if name in one]
    if len(found) > 1:
        raise InputError(
            f"--leave {name}: fits {len(found)} {who} ({', '.join(found[:FEW])}). Give more of the id"
        )
    if not found:
        raise InputError(describe_unknown(f"--leave {name}", name, ids, "The group"))
    return found[0]


def apply_change(family: Family, group: Any, change: Change) -> Any:
    """Return the group of the next rebalance, after a change; raise InputError if kassay cannot change groups of the family."""
    if family.shape.changed is None:
        raise InputError(
            f"what-if: groups of the {family.name} family cannot be changed yet. Use another family"
        )
    return family.shape.changed(group, change.join, change.leave, change.partitions)


def count_stopped(family: Family, before: Any, one: Measured) -> int | None:
    """Return the number of items whose processing stops during the rebalance; None if the rebalance protocol is unknown.

    If the strategy is eager, that is every item, or else every item with a new owner, also of members that left.
    """
    setting = family.settable.get(resolve_assignor_name(one.target))
    if not one.legal or setting is None:
        return None
    had, then = _find_owners(family, before), _find_owners(family, one.settled)
    if not setting.cooperative:
        return len(had)
    return sum(not owners <= then.get(item, set()) for item, owners in had.items())


def count_processed(family: Family, before: Any) -> int:
    """Return the number of processed items."""
    return len(_find_owners(family, before))


def _find_owners(family: Family, answer: Any) -> dict[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for owner, by_role in compute_holdings(family.shape, answer).items():
        for role, items in by_role.items():
            for item in items if role not in COPIES else ():
                found.setdefault((role, item), set()).add(owner)
    return found


def find_first_answer(known: Facts) -> Measured | None:
    """Return the answer that is described first: the strategy in use, or else the best one; None if no answer is correct."""
    right = [one for one in known.answers if one.legal]
    in_use = [one for one in right if resolve_assignor_name(one.target) == known.in_use]
    ranking = [one.answer for one in rank(known, find_candidates(known))]
    return next(iter([*in_use, *(one for one in ranking if one in right), *right]), None)


def describe_change(known: Facts, words: str, one: Measured | None, stops: int | None) -> str:
    """Describe the effect of a change with one strategy: the loads, the moves, and what stops meanwhile."""
    begins = f"{known.name}, if {words}:"
    if one is None:
        return f"{begins} no strategy gives a correct answer."
    shape = known.family.shape
    then = compute_holdings(shape, one.settled)
    role = list_roles(then)[0]
    hold = f"{next(iter(shape.sizes))} hold {format_load_range(compute_loads(then, [*then], role))} {name_role(shape, role)} each"
    moves = count_moves(one)
    told = [_count_verb(moves, "move")] if moves is not None else []
    told += [f"{_count_verb(stops, 'stand')} still meanwhile"] if stops is not None else []
    return (
        f"{begins} with {label_targets(known)[one.target]} {hold}{f'; {join_names(told)}' if told else ''}."
    )


def _count_verb(number: int, does: str) -> str:
    return f"{number:,} {does}" if number > 1 else f"{'one' if number else 'nothing'} {does}s"


CONFIG = "config"
WORDS = {
    "active_imbalance": "active tasks apart", "total_imbalance": "tasks with standbys apart", "imbalance": "apart",
    "connector_imbalance": "connectors apart", "task_imbalance": "tasks apart", "moves": "moves",
    "cross_rack": "reads across racks", "cross_rack_standby": "reads across racks by standbys",
    "active_moves": "active tasks that move", "standby_moves": "standbys that move", "member_moves": "moves between members",
    "not_caught_up": "tasks to restore", "standbys_missing": "standbys missing", "warm_ups": "warm-ups",
    "tag_collisions": "copies where the tags are alike", "probing": "more rebalance to come", "rounds": "rebalances",
    "tasks_moved": "tasks moved until it converges", "time_without_caught_up_active": "rebalances without a task that has caught up",
    "delay_ms": "ms of delay", "delays_ms": "ms of delay in all", "idle": "idle", "idle_ms": "ms idle", "total_moves": "moves until it converges",
    "started": "started",
}  # fmt: skip
"""Measure -> the counted things in words."""
IN_ALL = " in all"


@dataclass(frozen=True, slots=True)
class Varied:
    """A setting of a family's groups, and the values that are compared."""

    name: str
    values: tuple[Json, ...]
    tunable: Tunable


def read_vary(text: str, family: Family) -> Varied:
    """Read ``SETTING=a,b`` with values in JSON or as plain words; raise InputError with the problem."""
    name, equals, rest = text.partition("=")
    if not family.tunable:
        raise InputError(
            f"--vary {text}: groups of the {family.name} family have no settings. Compare assignors instead"
        )
    if name not in family.tunable:
        raise InputError(
            f"--vary {name}: {family.name} assignors read no such setting. Known are {', '.join(family.tunable)}"
            f"{suggest_name(name, family.tunable)}"
        )
    values = _read_values(rest) if equals else []
    written = [format_value(value) for value in values]
    if len(values) < 2 or "" in written:
        raise InputError(f"--vary {text}: names fewer than two values. Give {name}=A,B")
    if len(set(written)) < len(written):
        twice = next(value for n, value in enumerate(written) if value in written[:n])
        raise InputError(f"--vary {text}: names {twice} twice. Name each value once")
    return Varied(name, tuple(values), family.tunable[name])


def _read_values(text: str) -> list[Json]:
    """Return the values of a comma-separated list: JSON if possible, or else words."""
    with suppress(ValueError, RecursionError):
        found: list[Json] = json.loads(f"[{text}]")
        return found
    values: list[Json] = []
    for word in map(str.strip, text.split(",")):
        try:
            values.append(json.loads(word))
        except (ValueError, RecursionError):
            values.append(word)
    return values


def format_value(value: Json) -> str:
    """Write a value as in Kafka's configuration; an unset value is ``null``."""
    return value if isinstance(value, str) else json.dumps(value)


def apply_setting(family: Family, group: Any, name: str, value: Json) -> Any:
    """Return a group with another value of a setting, null for the default; raise InputError if the value is invalid."""
    data = dict(family.shape.write_group(group))
    config = {key: of for key, of in data.pop(CONFIG, {}).items() if key != name}
    config |= {} if value is None else {name: value}
    try:
        return family.shape.read_group(data | ({CONFIG: config} if config else {}))
    except InputError as wrong:
        raise InputError(f"--vary {name}={format_value(value)}: {wrong}") from None


def read_present_value(family: Family, group: Any, setting: Varied) -> Json:
    """Return the current value of a setting of a group."""
    config: Mapping[str, Json] = family.shape.write_group(group).get(CONFIG, {})
    return config.get(setting.name, setting.tunable.default)


def add_present_value(setting: Varied, now: Json) -> Varied:
    """Return a setting whose compared values include the current one, in an order that does not depend on the arguments."""

    def key(value: Json) -> tuple[bool, float, str]:  # numbers by size, then everything else by its text
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return (not is_number, value if is_number else 0, format_value(value))

    known = {format_value(value): value for value in (now, *setting.values)}
    return replace(setting, values=tuple(sorted(known.values(), key=key)))


def advise_setting(
    family: Family, target: str, setting: Varied, now: Json, row: Sequence[Measured]
) -> Advice:
    """Return the recommended value of a setting, from one answer for each value, including the current one.

    Among equal values the current one is best, then Kafka's default. The price has the numbers in which the best value is worse. If the
    current value is best, the trade-offs of the others are stated. Effects that no number measures are named, but decide nothing.
    """
    name, known = setting.name, dict(zip(map(format_value, setting.values), row, strict=True))
    current, default = format_value(now), format_value(setting.tunable.default)
    if wrong := [value for value, one in known.items() if not one.legal]:
        return Advice(
            f"With {join_names([f'{name}={value}' for value in wrong])} {target} gives no correct assignment.",
            "Change nothing: not all values can be compared.",
        )
    values = {value: _list_measures(family, one) for value, one in known.items()}
    differ = [value for value in known if _describe_changes(values[current], values[value])]
    unmeasured = f" Not measured: {setting.tunable.trade}." if setting.tunable.trade else ""
    if not differ:
        return Advice(
            f"{name} changes nothing here: {target} has the same numbers with {join_names([*known])}.",
            f"Leave it at {current}.{unmeasured}",
        )
    base, said = values[current], []
    for value in differ:  # With 1, better: ...; worse: ...
        better = _describe_changes(base, values[value], better=True)
        worse = _describe_changes(base, values[value], worse=True)
        parts = [f"better: {better}"] * bool(better) + [f"worse: {worse}"] * bool(worse)
        said.append(f"With {value}, {'; '.join(parts)}.")
    trades = " ".join(said)
    if not all(one.gaps for one in row):
        return Advice(
            f"{target} gives no final answer with some values of {name}, so they cannot be compared.",
            f"Leave it at {current}. {trades}{unmeasured}",
        )
    best = min(
        known, key=lambda value: (_build_sort_key(known[value]), value != current, value != default, value)
    )
    free = [value for value in differ if not _describe_changes(values[current], values[value], worse=True)]
    if best == current and free:  # equal in the objectives, better in another number and worse in none
        best = min(free, key=lambda value: (_build_sort_key(known[value]), [*known].index(value)))
    if best == current:
        return Advice(
            f"No value of {name} is better than {current}.", f"Leave it at {current}. {trades}{unmeasured}"
        )
    gains = _describe_changes(values[current], values[best], better=True)
    price = _describe_changes(values[current], values[best], worse=True) or "nothing that is measured"
    equals = [
        value
        for value in known
        if value != best and _build_sort_key(known[value]) == _build_sort_key(known[best])
    ]
    if unmeasured:  # the numbers miss what the setting is for, so nothing is recommended
        return Advice(
            f"The numbers favour {name}={best} over {current}: {gains}.",
            f"Leave it at {current}, unless only the numbers matter. {trades}{unmeasured}",
        )
    line, also = f"{name}={best}", f" Equally good: {join_names(sorted(equals))}." if equals else ""
    return Advice(
        f"With {line} instead of {current}: {gains}.",
        f"Set this on {setting.tunable.on}:",
        target,
        (line,),
        price=f"The price: {price}.{also}",
        shown=known[best],
    )


def _build_sort_key(one: Measured) -> tuple[int, ...]:
    """Return the objective values, state objectives first; the minimum is best."""
    return tuple(gap.value for gap in sorted(one.gaps, key=lambda gap: gap.said.turn))


def _list_measures(family: Family, one: Measured) -> dict[str, int]:
    """Return the measures of an answer and the values of further state objectives, by the counted things in words."""
    measured = family.oracles.measures if family.oracles else {}
    more = [gap for gap in one.gaps if not gap.said.passing and gap.level not in measured]
    return {
        **{WORDS.get(name, name): value for name, value in one.measures.items()},
        **{f"{gap.said.unit[1]}{'' if gap.said.by else IN_ALL}": gap.value for gap in more},
    }


def _describe_changes(
    base: Mapping[str, int], other: Mapping[str, int], *, better: bool = False, worse: bool = False
) -> str:
    """Describe the measures that differ, or only the better or worse ones: ``4 reads across racks instead of 12``."""
    changed = [
        f"{other[name]:,} {name} instead of {value:,}"
        for name, value in base.items()
        if name in other
        and other[name] != value
        and not (
            name.endswith(IN_ALL)
            and all(of[name] == of.get(name.removesuffix(IN_ALL)) for of in (base, other))
        )
        and (not better or other[name] < value)
        and (not worse or other[name] > value)
    ]
    return ", ".join(changed)
