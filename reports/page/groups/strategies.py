"""The table of strategies on the page of one group: how full members are, what moves at the change, and in a rolling restart."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from kassay.comparison.advice import Known, named
from kassay.comparison.headline import distance, less_even, moves_beside_fewest
from kassay.comparison.holdings import held, loads, roles, sizes
from kassay.comparison.measured import Measured
from kassay.comparison.strategies import Restart, moved
from kassay.comparison.target_labels import target_labels
from kassay.family import Family
from kassay.reports.page.groups.columns import columns


@dataclass(frozen=True, slots=True)
class Cell:
    """A number with what it is of below, and whether it is worse than it could be."""

    value: str
    says: str = ""
    bad: bool = False


@dataclass(frozen=True, slots=True)
class Strategy:
    """A row: the name, tags, what is said of it, a small picture of its loads, and its numbers."""

    name: str
    picked: bool
    tags: Sequence[str]
    says: str
    picture: Markup | str
    cells: Sequence[Cell]


def heads(restarted: Restart | None, family: Family, owners: int) -> list[str]:
    """Return the heads of the number columns."""
    noun = next(iter(family.shape.sizes))
    found = [f"fullest and emptiest of the {noun}", "moves at the change"]
    return found + (
        [f"moves in a rolling restart of {'both' if owners == 2 else f'all {owners:,}'}"] if restarted else []
    )


def strategies(known: Known, pick: str, restarted: Restart | None) -> list[Strategy]:
    """List what was compared and what can be set besides: the pick first, what stands as the group does last."""
    labels = target_labels([one.target for one in [*known.answers, *known.others]])
    all_ = [*known.answers, *known.others]

    def order(one: Measured) -> tuple[object, ...]:
        return (named(one.target) != pick, not one.gaps, distance(one))

    most = max((_fullest(known.family, one) for one in all_ if one.failure is None), default=1)
    return [_row(known, one, labels[one.target], pick, restarted, most) for one in sorted(all_, key=order)]


def _fullest(family: Family, one: Measured) -> int:
    given = held(family.shape, one.settled)
    return max(loads(given, list(given), roles(given)[0]), default=0)


def _row(
    known: Known, one: Measured, label: str, pick: str, restarted: Restart | None, most: int
) -> Strategy:
    family = known.family
    setting = family.settable.get(named(one.target))
    tags = ["take this"] * (named(one.target) == pick)
    if known.now is not None and one.failure is None and family.shape.same(one.settled, known.now.assignment):
        tags.append("as now")
    elif known.in_use and named(one.target) == known.in_use:
        tags.append("in use")
    short = label.removeprefix(f"{family.name}/")
    if one.failure is not None:
        return Strategy(
            short, False, tags, "gives no answer", "", [Cell("\N{EN DASH}")] * (2 + (restarted is not None))
        )
    said = setting.note if setting else ""
    return Strategy(
        short, named(one.target) == pick, tags, said if one.legal else "its answer is wrong: something is lost, given twice or to the wrong one",
        _mini(family, known.now, one, most), [_loads(family, one), _moves(one), *([_restart(one, restarted)] if restarted else [])],
    )  # fmt: skip


def _loads(family: Family, one: Measured) -> Cell:
    given = sizes(family.shape, one.settled)
    found = []
    for role in roles(given):
        numbers = [own.get(role, 0) for own in given.values()] or [0]
        found.append(f"{max(numbers):,} · {min(numbers):,}")
    uneven = less_even(one)
    if not one.gaps:
        return Cell(", ".join(found), "not compared with the best")
    return Cell(", ".join(found), "less even than could be" if uneven else "as even as can be", uneven)


def _moves(one: Measured) -> Cell:
    gap, counted = moves_beside_fewest(one), moved(one)
    if gap is None:
        return Cell("\N{EN DASH}" if counted is None else f"{counted:,}")
    if gap.over > 0:
        return Cell(f"{gap.value:,}", f"{gap.optimum:,} would do", bad=True)
    return Cell(f"{gap.value:,}", "by staying uneven" if gap.over < 0 else "the fewest possible")


def _restart(one: Measured, restarted: Restart) -> Cell:
    own, total = restarted.moves.get(one.target), restarted.least
    least = total.least if total.proved else None
    if own is None:
        return Cell("\N{EN DASH}", "could not tell")
    if least is None:
        return Cell(f"{own:,}")
    if own <= least:
        return Cell(f"{own:,}", "the fewest possible")
    if not least:
        return Cell(f"{own:,}", "none is possible", bad=True)
    times = f"{own / least:.1f}".removesuffix(".0")
    return Cell(f"{own:,}", f"{least:,} would do" if times == "1" else f"{times} times the fewest", bad=True)


def _mini(family: Family, now: Measured | None, one: Measured, most: int) -> Markup:
    """Draw a column for each owner: what stays, and on top of it what arrives, of the first kind of thing."""
    after = held(family.shape, one.settled)
    before = held(family.shape, now.assignment) if now is not None else {}
    role = roles(after)[0]
    owners = list(after)
    full = loads(after, owners, role)
    stays = (
        [len({*after[o].get(role, ())} & {*before.get(o, {}).get(role, ())}) for o in owners]
        if before
        else full
    )
    return columns(stays, full, most)
