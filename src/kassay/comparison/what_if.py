"""What would come of a change: of what happens to a group before its rebalance, or of another value of a setting."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from kassay.comparison.advice import Advice
from kassay.comparison.facts import Facts, label_targets, resolve_assignor_name
from kassay.comparison.headline import COPIES
from kassay.comparison.measured import Measured, called, each, held, loads, roles
from kassay.comparison.ranking import find_candidates, rank
from kassay.comparison.strategies import moved
from kassay.errors import InputError
from kassay.family import Family, Tunable
from kassay.sentences import FEW, counted, counted_of, listed, meant, there_is_no
from kassay.shape import Json


@dataclass(frozen=True, slots=True)
class Change:
    """What happens: how many join, who leaves, and how many partitions there are then of what has some."""

    join: int = 0
    leave: tuple[str, ...] = ()
    partitions: Mapping[str, int] = field(default_factory=dict)

    def words(self, family: Family) -> str:
        """Return the change as text: 2 members join, m3 leaves and t has 12 partitions."""
        who = next(iter(family.shape.sizes))
        said = [f"{counted_of(self.join, who)} join{'s' * (self.join == 1)}"] if self.join else []
        if self.leave:
            names = listed(self.leave) if len(self.leave) <= FEW else counted_of(len(self.leave), who)
            said.append(f"{names} leave{'s' * (len(self.leave) == 1)}")
        of_tasks = "processes" in family.shape.sizes
        for name, number in self.partitions.items():
            has = f"subtopology {name} has" if of_tasks else f"{name} has"
            said.append(f"{has} {counted(number, 'task' if of_tasks else 'partition')}")
        return listed(said)


def resolved(family: Family, group: Any, change: Change) -> Change:
    """Return a change with whole ids of those who leave, whom a part of their id may name; raises InputError where it cannot happen."""
    who, written = next(iter(family.shape.sizes)), family.shape.write_group(group)
    owners = written[who]
    leave = tuple(dict.fromkeys(_one(name, owners, who) for name in change.leave))
    if len(leave) == len(owners) and not change.join:
        raise InputError(
            f"--leave: nobody of {len(owners)} {who} would be left; let one stay, or add --join N"
        )
    counted = {
        str(one.get("name", one.get("id"))): one["partitions"]
        for one in written.get("topics", written.get("subtopologies", ()))
    }
    for name, number in change.partitions.items():
        where = f"--add-partitions {name}:{number}"
        if not counted:
            raise InputError(f"{where}: what {who} run has no partitions; leave it out")
        if name not in counted:
            raise InputError(there_is_no(where, name, counted, "The group"))
        if number <= counted[name]:
            raise InputError(
                f"{where}: {name} has {counted[name]:,} already, and Kafka takes none away; give the number there are then, {counted[name] + 1:,} or more"
            )
    return Change(change.join, leave, change.partitions)


def _one(name: str, owners: Sequence[Mapping[str, Any]], who: str) -> str:
    """Return the id of who is meant by an id, an instance id, or a part of an id that no other has."""
    ids = [str(one["id"]) for one in owners]
    whole = [str(one["id"]) for one in owners if name in (one["id"], one.get("instance_id"))]
    alike = whole[:1] or [one for one in ids if name in one]
    if len(alike) > 1:
        raise InputError(
            f"--leave {name}: fits {len(alike)} {who} ({', '.join(alike[:FEW])}); give more of the id"
        )
    if not alike:
        raise InputError(there_is_no(f"--leave {name}", name, ids, "The group"))
    return alike[0]


def happened(family: Family, group: Any, change: Change) -> Any:
    """Return the group of the next rebalance, after a change; raises InputError where nobody knows what becomes of such a group."""
    if family.shape.changed is None:
        raise InputError(f"what-if: what becomes of groups of the {family.name} family is not known yet")
    return family.shape.changed(group, change.join, change.leave, change.partitions)


def still(family: Family, before: Any, one: Measured) -> int | None:
    """Count what was processed `before` and is not, until its new owner has it; None where nobody says how a strategy rebalances.

    Where all stop (eager), that is everything; else what changes hands, also of those who left.
    """
    setting = family.settable.get(resolve_assignor_name(one.target))
    if not one.legal or setting is None:
        return None
    had, then = _owners(family, before), _owners(family, one.settled)
    if not setting.cooperative:
        return len(had)
    return sum(not owners <= then.get(item, set()) for item, owners in had.items())


def processed(family: Family, before: Any) -> int:
    """Count what is processed."""
    return len(_owners(family, before))


def _owners(family: Family, answer: Any) -> dict[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for owner, by_role in held(family.shape, answer).items():
        for role, items in by_role.items():
            for item in items if role not in COPIES else ():
                found.setdefault((role, item), set()).add(owner)
    return found


def shown_first(known: Facts) -> Measured | None:
    """Return the answer that is told first: of what is in use, or else the best one; None where none is right."""
    right = [one for one in known.answers if one.legal]
    return next(
        (one for one in right if resolve_assignor_name(one.target) == known.in_use),
        next(
            iter(
                [*(one.answer for one in rank(known, find_candidates(known)) if one.answer in right), *right]
            ),
            None,
        ),
    )


def says(known: Facts, words: str, one: Measured | None, stops: int | None) -> str:
    """Say what happens with one strategy: who holds how much then, what moves, and what stands still."""
    begins = f"{known.name}, if {words}:"
    if one is None:
        return f"{begins} no strategy gives a right answer."
    shape = known.family.shape
    then = held(shape, one.settled)
    role = roles(then)[0]
    hold = f"{next(iter(shape.sizes))} hold {each(loads(then, [*then], role))} {called(shape, role)} each"
    moves = moved(one)
    told = [_counted(moves, "move")] if moves is not None else []
    told += [f"{_counted(stops, 'stand')} still meanwhile"] if stops is not None else []
    return f"{begins} with {label_targets(known)[one.target]} {hold}{f'; {listed(told)}' if told else ''}."


def _counted(number: int, does: str) -> str:
    return f"{number:,} {does}" if number > 1 else f"{'one' if number else 'nothing'} {does}s"


CONFIG = "config"
WORDS = {
    "active_imbalance": "active tasks apart", "total_imbalance": "tasks with standbys apart", "imbalance": "apart",
    "connector_imbalance": "connectors apart", "task_imbalance": "tasks apart", "moves": "moves",
    "cross_rack": "reads across racks", "cross_rack_standby": "reads across racks by standbys",
    "active_moves": "active tasks that move", "standby_moves": "standbys that move", "member_moves": "moves between members",
    "not_caught_up": "tasks to restore", "standbys_missing": "standbys missing", "warm_ups": "warm-ups",
    "tag_collisions": "copies where the tags are alike", "probing": "more rebalance to come", "rounds": "rebalances",
    "tasks_moved": "tasks moved until it comes to rest", "time_without_caught_up_active": "rebalances without a task that has caught up",
    "delay_ms": "ms of delay", "delays_ms": "ms of delay in all", "idle": "idle", "idle_ms": "ms idle", "total_moves": "moves until it comes to rest",
    "started": "started",
}  # fmt: skip
"""Measure -> what is counted, in words."""
IN_ALL = " in all"


@dataclass(frozen=True, slots=True)
class Varied:
    """A setting of a family's groups, and the values that are compared."""

    name: str
    values: tuple[Json, ...]
    tunable: Tunable


def read_vary(text: str, family: Family) -> Varied:
    """Read ``SETTING=a,b``, values as JSON has them or plain words; raises InputError naming what is wrong."""
    name, equals, rest = text.partition("=")
    if not family.tunable:
        raise InputError(
            f"--vary {text}: groups of the {family.name} family have no settings; compare assignors instead"
        )
    if name not in family.tunable:
        raise InputError(
            f"--vary {name}: {family.name} assignors read no such setting; known are {', '.join(family.tunable)}"
            f"{meant(name, family.tunable)}"
        )
    values = _read_values(rest) if equals else []
    written = [value_text(value) for value in values]
    if len(values) < 2 or "" in written:
        raise InputError(f"--vary {text}: names fewer than two values; give {name}=A,B")
    if len(set(written)) < len(written):
        twice = next(value for n, value in enumerate(written) if value in written[:n])
        raise InputError(f"--vary {text}: names {twice} twice; name each value once")
    return Varied(name, tuple(values), family.tunable[name])


def _read_values(text: str) -> list[Json]:
    """Return values with commas between them: numbers, lists and null as JSON has them, everything else as words."""
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


def value_text(value: Json) -> str:
    """Write a value as Kafka's configuration has it; what is unset is ``null``."""
    if isinstance(value, list):
        return json.dumps(value)
    return value if isinstance(value, str) else json.dumps(value)


def varied(family: Family, group: Any, name: str, value: Json) -> Any:
    """Return a group in which a setting has a value, null for the default; raises InputError where it may not have that."""
    data = dict(family.shape.write_group(group))
    config = {key: of for key, of in data.pop(CONFIG, {}).items() if key != name}
    config |= {} if value is None else {name: value}
    try:
        return family.shape.read_group(data | ({CONFIG: config} if config else {}))
    except InputError as wrong:
        raise InputError(f"--vary {name}={value_text(value)}: {wrong}") from None


def present_value(family: Family, group: Any, setting: Varied) -> Json:
    """Return the value that a setting of a group has now."""
    config: Mapping[str, Json] = family.shape.write_group(group).get(CONFIG, {})
    return config.get(setting.name, setting.tunable.default)


def beside(setting: Varied, now: Json) -> Varied:
    """Return a setting with its current value among those that are compared, in an order that does not depend on the arguments."""

    def key(value: Json) -> tuple[bool, float, str]:  # numbers by size, then everything else by its text
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return (not is_number, value if is_number else 0, value_text(value))

    known = {value_text(value): value for value in (now, *setting.values)}
    return replace(setting, values=tuple(sorted(known.values(), key=key)))


def setting_advice(
    family: Family, target: str, setting: Varied, now: Json, row: Sequence[Measured]
) -> Advice:
    """Return which value to set, from the numbers of one answer for each value, the current value among them.

    Of equal values the current one stays, then Kafka's default. If the best value is worse in a number, its price says so; if the
    current value is best, the trade-offs of the others are stated. What no number measures is named, and decides nothing.
    """
    name, known = setting.name, dict(zip(map(value_text, setting.values), row, strict=True))
    current, default = value_text(now), value_text(setting.tunable.default)
    if wrong := [value for value, one in known.items() if not one.legal]:
        return Advice(
            f"With {listed([f'{name}={value}' for value in wrong])} {target} gives no correct assignment.",
            "Change nothing: not all values can be compared.",
        )
    values = {value: _measures(family, one) for value, one in known.items()}
    differ = [value for value in known if _differs(values[current], values[value])]
    unmeasured = f" Not measured: {setting.tunable.trade}." if setting.tunable.trade else ""
    if not differ:
        return Advice(
            f"{name} changes nothing here: {target} has the same numbers with {listed([*known])}.",
            f"Leave it at {current}.{unmeasured}",
        )
    base, said = values[current], []
    for value in differ:  # With 1, better: ...; worse: ...
        better = _differs(base, values[value], better=True)
        worse = _differs(base, values[value], worse=True)
        parts = [f"better: {better}"] * bool(better) + [f"worse: {worse}"] * bool(worse)
        said.append(f"With {value}, {'; '.join(parts)}.")
    trades = " ".join(said)
    if not all(one.gaps for one in row):
        return Advice(
            f"{target} gives no final answer with some values of {name}, so they cannot be compared.",
            f"Leave it at {current}. {trades}{unmeasured}",
        )
    best = min(known, key=lambda value: (_rank(known[value]), value != current, value != default, value))
    free = [value for value in differ if not _differs(values[current], values[value], worse=True)]
    if best == current and free:  # equal in the objectives, better in another number and worse in none
        best = min(free, key=lambda value: (_rank(known[value]), [*known].index(value)))
    if best == current:
        return Advice(
            f"No value of {name} is better than {current}.", f"Leave it at {current}. {trades}{unmeasured}"
        )
    gains = _differs(values[current], values[best], better=True)
    price = _differs(values[current], values[best], worse=True) or "nothing that is measured"
    equals = [value for value in known if value != best and _rank(known[value]) == _rank(known[best])]
    if unmeasured:  # the numbers miss what the setting is for, so nothing is recommended
        return Advice(
            f"The numbers favour {name}={best} over {current}: {gains}.",
            f"Leave it at {current}, unless only the numbers matter. {trades}{unmeasured}",
        )
    line, also = f"{name}={best}", f" Equally good: {listed(sorted(equals))}." if equals else ""
    return Advice(
        f"With {line} instead of {current}: {gains}.",
        f"Set this on {setting.tunable.on}:",
        target,
        (line,),
        price=f"The price: {price}.{also}",
        shown=known[best],
    )


def _rank(one: Measured) -> tuple[int, ...]:
    """Return the values of the levels, those that last first; the least is best."""
    return tuple(gap.value for gap in sorted(one.gaps, key=lambda gap: gap.said.turn))


def _measures(family: Family, one: Measured) -> dict[str, int]:
    """Return the measures of an answer, and the values of lasting levels that are none of these, by what is counted."""
    measured = family.oracles.measures if family.oracles else {}
    more = [gap for gap in one.gaps if not gap.said.passing and gap.level not in measured]
    return {
        **{WORDS.get(name, name): value for name, value in one.measures.items()},
        **{f"{gap.said.unit[1]}{'' if gap.said.by else IN_ALL}": gap.value for gap in more},
    }


def _differs(
    base: Mapping[str, int], other: Mapping[str, int], *, better: bool = False, worse: bool = False
) -> str:
    """Write the measures that differ, those only that are better or worse where asked: ``4 reads across racks instead of 12``."""
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
