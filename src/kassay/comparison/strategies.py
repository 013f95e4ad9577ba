"""The effect of each strategy on one group in the numbers that an operator needs, and the columns of their table.

The table and the advice use the same columns (:func:`choose_columns`), so strategies that differ in the table are never called equally good.
Assignors of several families can be compared if each takes the groups of the others (:func:`combine_families`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, permutations
from typing import Any

from kassay.comparison.headline import find_moves_gap
from kassay.comparison.measured import (
    Held,
    Measured,
    compute_holdings,
    compute_loads,
    list_roles,
    name_role,
    play_sequence,
)
from kassay.errors import InputError
from kassay.families import FAMILIES, family
from kassay.families.family import Family, Sequences
from kassay.oracles.answers import Answer, Total
from kassay.oracles.errors import OracleError, UnsolvedError
from kassay.targets.target import Target

WORK = 4_000
"""The largest product of members and partitions for which a rolling restart is played, in a few seconds at most."""
SECONDS = 5.0
"""The time limit for the minimum of a rolling restart."""
MOVES = ("moves", "active_moves", "standby_moves")
"""The measures of moves: one in total, or one for each role."""
READS = ("cross_rack",)
"""The measures of cross-rack reads."""
NUMBERS = 3
"""The table has room for this many number columns next to the loads."""
UNKNOWN = "-"
RESTART = "restart"


@dataclass(frozen=True, slots=True)
class Strategy:
    """The effect of one strategy; a number that is not known is None."""

    target: str
    """The target, or "" for the optimum."""
    loads: tuple[tuple[str, int, int], ...] = ()
    """For each role: its name, the maximum and the minimum load."""
    moves: int | None = None
    restart: int | None = None
    """Moves in a rolling restart of all members."""
    reads: int | None = None
    """Cross-rack reads."""
    restore: int | None = None
    """Tasks that a client has to restore."""
    trouble: str = ""
    """The reason why there are no numbers, or ""."""
    as_now: bool = False
    """True if the assignment stays as it is."""
    proved: bool = True
    """True if `restart` is the minimum, not only a bound."""
    others: tuple[tuple[str, int], ...] = ()
    """Other objectives that answers are compared in, such as the spread of connectors: name and value."""
    stops: bool | None = None
    """True if all members stop at each rebalance; None if that is not known."""


@dataclass(frozen=True, slots=True)
class Restart:
    """A rolling restart of all members."""

    moves: dict[str, int | None]
    """Moves by target; None if the target does not come through."""
    least: Total | None
    """The minimum, or None if it was not looked for."""
    unknown: str = ""
    """The reason why the minimum is unknown, or ""."""
    static: bool = False
    """True if all members are static and return in time, so that the group does not rebalance."""


def play_restart(
    family: Family, group: Any, targets: Sequence[Target], *, solve: bool = True, work: int = WORK
) -> Restart | None:
    """Play a rolling restart of all members, and with `solve` find its minimum.

    Return None if the group is larger than `work`, or if a restart makes no sense because there is one member.
    """
    sequences: Sequences | None = family.oracles.over_time if family.oracles else None
    sizes = [count(group) for count in family.shape.sizes.values()]
    if sequences is None or sizes[0] * max(sizes) > work or sizes[0] < 2:
        return None
    name = next(
        level for level in sequences.questions[0].split(",") if family.level(level).counts == "moving"
    )
    if is_static(group):
        return Restart({target.name: 0 for target in targets}, Total(name, 0, 0), static=True)
    timeline = sequences.kinds["restart"](group, sizes[0])
    sums = {target.name: play_sequence(target, family, sequences, timeline) for target in targets}
    least, unknown = None, ""
    if solve:
        try:
            least = sequences.optimum(sequences.questions[0], timeline, SECONDS).totals[0]
            if least.value is None and not least.least:  # the time limit was too short for any bound
                return None
        except UnsolvedError:  # likewise; `kassay over-time` has no time limit
            return None
        except OracleError as refused:  # more time would not help
            unknown = str(refused)
    moves = {key: None if one.trouble else one.totals[name] for key, one in sums.items()}
    return Restart(moves, least, unknown)


def is_static(group: Any) -> bool:
    """Return True if every member is static (KIP-345): a restart within its session timeout causes no rebalance."""
    members = getattr(group, "members", ())
    return bool(members) and all(getattr(one, "instance_id", None) is not None for one in members)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a strategy that the table shows and that advice compares."""

    name: str
    noun: str
    """The number in sentences: *moves in a rolling restart*."""
    value: Callable[[Strategy], int | None]
    more_is_better: bool = False

    def cost(self, row: Strategy) -> int | None:
        """Return the value, negated if more is better; None if it is not known."""
        value = self.value(row)
        return -value if self.more_is_better and value is not None else value


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table of strategies: its head, the text of a cell, and the quantities in it."""

    head: str
    cell: Callable[[Strategy], str]
    quantities: tuple[Quantity, ...]


def build_strategies(
    family: Family,
    row: Sequence[Measured],
    now: Measured | None,
    best: Answer | None,
    rolling: Restart | None,
) -> list[Strategy]:
    """Return a row for each answer, in their order, then one for the optimum if it is known."""
    has = compute_holdings(family.shape, now.assignment) if now else {}
    rows = [_build_row(family, one, has, rolling) for one in row]
    return [*rows, *([_build_best_row(family, best, has, rolling)] if best is not None else [])]


def choose_columns(
    family: Family, group: Any, now: Measured | None, rows: Sequence[Strategy], rolling: Restart | None
) -> list[Column]:
    """Return the number columns that the table of a group shows: loads, then at most NUMBERS others."""
    used = list(dict.fromkeys(role for row in rows for role, _, _ in row.loads))
    owner = next(iter(family.shape.sizes)).removesuffix("s")
    count = next(iter(family.shape.sizes.values()))(group)
    columns = []
    for role in used:
        named = name_role(family.shape, role)
        most, least = _load_quantities(role, named if len(used) > 1 else "", alone=count == 1)
        if count == 1:  # the maximum equals the minimum
            head = f"{named}:\nload" if len(used) > 1 else f"load of\nthe {owner}"
            columns.append(_build_column(head, most))
        elif len(used) > 1:
            columns.append(_build_column(f"{named}:\nmax, min", most, least))
        else:
            columns += [_build_column("max\nload", most), _build_column("min\nload", least)]
    found = []
    owned = (
        sum(sum(map(len, of.values())) for of in compute_holdings(family.shape, now.assignment).values())
        if now
        else 0
    )
    if owned:
        moves = Quantity("moves", "moves", lambda row: row.moves)
        found.append(
            _build_column(f"moves\n(of {owned:,})" if len(used) > 1 else f"moves\n({owned:,} owned)", moves)
        )
    if has_known_racks(family, group) and any(row.reads is not None for row in rows):
        reads = Quantity("reads", "cross-rack reads", lambda row: row.reads)
        found.append(_build_column("cross-rack\nreads", reads))
    if any(row.restore for row in rows):
        restore = Quantity("restore", "tasks to restore", lambda row: row.restore)
        found.append(_build_column("tasks to\nrestore", restore))
    for level in dict.fromkeys(name for row in rows for name, _ in row.others):
        if any(dict(row.others).get(level) for row in rows):
            words = family.level(level)
            other = Quantity(level, words.head, lambda row, level=level: dict(row.others).get(level))  # type: ignore[misc]
            found.append(_build_column(words.head.replace(" ", "\n", 1), other))
    if rolling is not None:
        restart = Quantity(RESTART, "moves in a rolling restart", lambda row: row.restart)
        wide = len(used) > 1 or len(found) > 2
        who = f"{count:,} {next(iter(family.shape.sizes))}"
        head = "rolling\nrestart" if wide else f"moves in a rolling\nrestart of {who}"
        found.append(_build_column(head, restart))
    return [*columns, *found[:NUMBERS]]


def _build_column(head: str, *quantities: Quantity) -> Column:
    """Return a column whose cells have the values of the quantities, separated by commas; a restart may have only a bound."""

    def cell(row: Strategy) -> str:
        values = [each.value(row) for each in quantities]
        text = UNKNOWN if values[0] is None else ", ".join(f"{value:,}" for value in values)
        return text if row.proved or quantities[0].name != RESTART else f"at least {text}"

    return Column(head, cell, quantities)


def _load_quantities(role: str, named: str, *, alone: bool) -> tuple[Quantity, Quantity]:
    """Return the maximum and the minimum load of a role; with one owner both are its load."""

    def loads_of(row: Strategy) -> tuple[int, int] | tuple[None, None]:
        return next(((most, least) for name, most, least in row.loads if name == role), (None, None))

    of = f" of {named}" if named else ""
    return (
        Quantity(f"max-load {role}".rstrip(), f"maximum load{of}" if not alone else f"load{of}", lambda row: loads_of(row)[0]),
        Quantity(f"min-load {role}".rstrip(), f"minimum load{of}", lambda row: loads_of(row)[1], more_is_better=True),
    )  # fmt: skip


def count_moves(one: Measured) -> int | None:
    """Return the number of moves of an answer, None if moves are not counted."""
    gap = find_moves_gap(one)
    if gap is not None:
        return gap.value
    counted = [one.measures[name] for name in MOVES if name in one.measures]
    return sum(counted) if counted else None


def has_known_racks(family: Family, group: Any) -> bool:
    """Return True if the racks of the group are known, so that reads can be cross-rack."""
    return "racks" in family.situations and bool(family.situations["racks"](group))


def _build_row(family: Family, one: Measured, has: Held, rolling: Restart | None) -> Strategy:
    if one.failure is not None:
        return Strategy(one.target, trouble=f"no answer: {one.failure.removeprefix('no answer: ')}")
    if not one.at_rest:
        return Strategy(one.target, trouble=f"does not converge within {one.rebalances} rebalances")
    if one.broken:
        return Strategy(one.target, trouble=f"a wrong answer, which breaks {', '.join(one.broken)}")
    then = compute_holdings(family.shape, one.settled)
    measures = one.measures
    setting = family.settable.get(one.target.rpartition("#")[2].partition("@")[0])
    return Strategy(
        one.target, _compute_loads(then), count_moves(one), rolling.moves.get(one.target) if rolling else None,
        next((measures[name] for name in READS if name in measures), None), measures.get("not_caught_up"),
        as_now=any(has.values()) and _is_same(has, then),
        others=tuple((gap.level, gap.value) for gap in one.gaps if gap.said.counts == "other"),
        stops=None if setting is None else not setting.cooperative,
    )  # fmt: skip


def _build_best_row(family: Family, best: Answer, has: Held, rolling: Restart | None) -> Strategy:
    then, values = compute_holdings(family.shape, best.assignment), best.values

    def number(counts: str) -> int | None:
        """Return the value of the objective that counts such things, in total if there are several roles."""
        found = [words for words in map(family.level, values) if words.counts == counts]
        return next((values[words.name] for words in sorted(found, key=lambda words: bool(words.by))), None)

    return Strategy(
        "", _compute_loads(then), number("moving"), rolling.least.least if rolling and rolling.least else None, number("reading"), number("restoring"),
        as_now=any(has.values()) and _is_same(has, then), proved=rolling.least.proved if rolling and rolling.least else True,
        others=tuple((name, value) for name, value in values.items() if family.level(name).counts == "other"),
    )  # fmt: skip


def _is_same(one: Held, other: Held) -> bool:
    """Return True if all owners have the same items."""
    return all(
        {*one.get(owner, {}).get(role, ())} == {*other.get(owner, {}).get(role, ())}
        for owner in {*one, *other}
        for role in list_roles(one, other)
    )


def _compute_loads(then: Held) -> tuple[tuple[str, int, int], ...]:
    numbers = [(role, compute_loads(then, [*then], role)) for role in list_roles(then)] if then else []
    return tuple((role, max(each, default=0), min(each, default=0)) for role, each in numbers)


def find_common_family(targets: Iterable[Target]) -> Family:
    """Return the common family of some targets (see :func:`combine_families`); raise InputError as :func:`combine_families` does."""
    return combine_families(dict.fromkeys(target.family for target in targets))


def combine_families(names: Iterable[str]) -> Family:
    """Return the common family of some families: the first one with the groups and the measures that all of them have.

    It has the invariants and metamorphic properties of all families, but each target is checked by its own family. Raises InputError if
    `names` is empty, or if a family does not take the groups of another one.
    """
    families = [family(name) for name in names]
    if not families:
        raise InputError("targets: the list is empty. Name at least one.")
    for one, other in permutations(families, 2):
        if other.name not in one.migrations:
            known = ", ".join(sorted(each.name for each in families))
            raise InputError(f"targets: are of several families ({known}). Compare targets of one family")
    first, *others = families
    if not others:
        return first

    def refused(group: Any) -> str | None:
        for one, other in permutations(families, 2):
            for said in one.migrations[other.name].refuses(group):
                return f"{said}, or compare without {one.name} assignors"
        return None

    def everything(tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the union of some tables; the first table has precedence and comes first."""
        return {**dict(chain.from_iterable(each.items() for each in tables)), **tables[0]}

    def common(tables: Sequence[Mapping[str, Callable[..., int]]]) -> dict[str, Callable[..., int]]:
        """Return the measures that are the same in all tables."""
        return {
            name: measure
            for name, measure in tables[0].items()
            if all(each.get(name) is measure for each in tables)
        }

    order = {name: n for n, name in enumerate(FAMILIES)}
    settable = {name: setting for each in families for name, setting in each.settable.items()}
    return replace(
        first,
        shape=replace(
            first.shape, groups=lambda: first.shape.groups().filter(lambda group: refused(group) is None)
        ),
        invariants=everything([each.invariants for each in families]),
        laws=everything([each.laws for each in families]),
        measures=common([each.measures for each in families]),
        situations=everything([each.situations for each in families]),
        run_measures=common([each.run_measures for each in families]),
        oracles=first.oracles
        if len({each.oracles and each.oracles.optima for each in families}) == 1
        else None,
        leader_order=next((each.leader_order for each in families if each.leader_order), None),
        # In the order of the families, which does not depend on the order of `names`.
        settable=dict(
            sorted(settable.items(), key=lambda one: order.get(one[0].partition("/")[0], len(order)))
        ),
        inside=[name for each in families for name in each.inside],
        refused=refused,
    )
