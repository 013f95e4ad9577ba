"""Compare settings of one group: make it with each value of a setting, and say which value to set and what it costs."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kassay.comparison.advice import Advice
from kassay.comparison.measured import Measured
from kassay.errors import InputError
from kassay.family import Family, Tunable
from kassay.sentences import listed
from kassay.shape import Json
from kassay.suggesting import meant

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
    values = _values(rest) if equals else []
    written = [value_text(value) for value in values]
    if len(values) < 2 or "" in written:
        raise InputError(f"--vary {text}: names fewer than two values; give {name}=A,B")
    if len(set(written)) < len(written):
        twice = next(value for n, value in enumerate(written) if value in written[:n])
        raise InputError(f"--vary {text}: names {twice} twice; name each value once")
    return Varied(name, tuple(values), family.tunable[name])


def _values(text: str) -> list[Json]:
    """Return values with commas between them: numbers, lists and null as JSON has them, everything else as words."""
    try:
        found: list[Json] = json.loads(f"[{text}]")
    except (ValueError, RecursionError):
        return [_value(word.strip()) for word in text.split(",")]
    return found


def _value(word: str) -> Json:
    try:
        return json.loads(word)
    except (ValueError, RecursionError):
        return word


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
    known = {value_text(value): value for value in (now, *setting.values)}
    return replace(setting, values=tuple(sorted(known.values(), key=_place)))


def _place(value: Json) -> tuple[bool, float, str]:
    """Return the sort key of a value: numbers by size, then everything else by its text."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return (not is_number, value if is_number else 0, value_text(value))


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
    trades = " ".join(_describe_trade(value, values[current], values[value]) for value in differ)
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


def _describe_trade(value: str, base: Mapping[str, int], other: Mapping[str, int]) -> str:
    """Return what is better and what is worse with a value than with the current one: *With 1: better: ...; worse: ...*."""
    parts = [
        f"{word}: {said}"
        for word, said in (
            ("better", _differs(base, other, better=True)),
            ("worse", _differs(base, other, worse=True)),
        )
        if said
    ]
    return f"With {value}, {'; '.join(parts)}."


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
