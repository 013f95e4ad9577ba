"""How good answers are, whatever the family: how even, how many needless moves and reads, in shares of the groups."""

from collections.abc import Sequence
from fractions import Fraction

from kassay.engine.distance import Distance
from kassay.sentences import counted
from kassay.shape import TextTable


def share(part: int, whole: int) -> str:
    """Write a share in per cent, rounded up: what is seen is never shown as 0."""
    if not whole:
        return "-"
    tenths = -(-1000 * part // whole)
    return "0" if not tenths else f"{tenths // 10}.{tenths % 10}"


def quality(distances: Sequence[Distance]) -> TextTable:
    """Show in which share of its answers one target is worse than possible, and how much at worst."""
    compared = {one.compared for one in distances}
    head = f"How good its answers are ({counted(max(compared), 'group')})"
    rows = [[one.said.missed, _percent(one), worst(one)] for one in distances]
    return TextTable([head, "", "at worst"], rows)


def _percent(one: Distance) -> str:
    agreed = f", of {one.agreed} two solvers agree" if one.agreed else ""
    unsure = f"of {one.unsure} not proved{agreed}" if one.unsure else ""
    if one.compared:
        return f"{share(one.above, one.compared)} %{unsure and f' ({unsure})'}"
    if unsure:
        return unsure
    return "none proved" if one.unproved else "no right answer"


def worst(one: Distance) -> str:
    """Say how far from the best possible an answer is at worst: 115 apart, where 1 is possible."""
    value, optimum = one.worst
    if not one.above:
        return ""
    if one.said.counts == "loads":
        return f"{value:,} apart, where {optimum:,} is possible"
    short = one.said.counted(value).partition(" across racks")[0].partition(" to restore")[0]
    return f"{short}, where {optimum:,} would do"


def wrong(distances: Sequence[Distance]) -> str:
    """Return the share of groups without a right answer, in per cent: lost, doubled, given to the wrong member, none at all, or none at rest."""
    most = max(distances, key=lambda one: one.groups, default=None)
    return "-" if most is None else share(most.wrong, most.groups)


def mean(distances: Sequence[Distance]) -> str:
    """Return the share of answers that are worse than possible in some of several levels with one name: that of the worst."""
    shares = [(Fraction(one.above, one.compared), one) for one in distances if one.compared]
    if not shares:
        return "-"
    one = max(shares, key=lambda each: each[0])[1]
    return share(one.above, one.compared)
