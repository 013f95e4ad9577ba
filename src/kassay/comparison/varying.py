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
    """Return a setting with the value that it has now among those that are compared."""
    known = [value_text(value) for value in setting.values]
    return setting if value_text(now) in known else replace(setting, values=(now, *setting.values))


def setting_advice(
    family: Family, target: str, setting: Varied, now: Json, row: Sequence[Measured]
) -> Advice:
    """Say which value to set and what that costs, of one answer for each value, with that which is set `now` among them.

    Of equals that which is set now stays, then Kafka's default; in which order values are named decides nothing.
    """
    name, known = setting.name, dict(zip(map(value_text, setting.values), row, strict=True))
    current, default = value_text(now), value_text(setting.tunable.default)
    if wrong := [value for value, one in known.items() if not one.legal]:
        return Advice(
            f"With {listed([f'{name}={value}' for value in wrong])} {target} gives a wrong answer, or none.",
            "Change nothing: not all values can be compared.",
        )
    values = {value: _measures(family, one) for value, one in known.items()}
    others = {value: said for value in known if (said := _differs(values[current], values[value]))}
    if not others:
        return Advice(
            f"{name} changes nothing here: {target} gives the same numbers with {listed([*known])}.",
            f"Leave it at {current}.",
        )
    measured = "; ".join(f"with {value}: {said}" for value, said in others.items())
    if setting.tunable.trade:
        return Advice(
            f"What {name} is worth no measure says: {setting.tunable.trade}.",
            f"Measured, {measured}. Leave it at {current} if in doubt.",
        )
    if not all(one.gaps for one in row):
        return Advice(
            f"With a value of {name} {target} gives no last answer, so the values cannot be compared.",
            f"Leave it at {current}. Measured, {measured}.",
        )
    best = min(known, key=lambda value: (_rank(known[value]), value != current, value != default, value))
    if best == current:
        return Advice(f"No value of {name} is better than {current}.", f"Leave it so. Measured, {measured}.")
    gains = _differs(values[current], values[best], better=True)
    price = _differs(values[current], values[best], worse=True) or "nothing that is measured"
    equals = [value for value in known if value != best and _rank(known[value]) == _rank(known[best])]
    line, also = f"{name}={best}", f" As good: {listed(sorted(equals))}." if equals else ""
    return Advice(
        f"With {line} instead of {current}: {gains}.",
        f"Set this on {setting.tunable.on}:",
        target,
        (line,),
        price=f"Its price: {price}.{also}",
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
