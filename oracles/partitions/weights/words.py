"""Why no assignment is lighter, in sentences that anybody can check by counting; or that nothing proves it."""

from kassay.model import Group
from kassay.oracles.answers import Level
from kassay.oracles.partitions.levels import LEVELS
from kassay.oracles.partitions.weights.counting import Bound, within
from kassay.oracles.partitions.weights.instance import CAPACITY, Instance

NAMES = 5
"""How many names a sentence lists at most."""


def why(group: Group, instance: Instance, level: Level, of: Bound | None, plain: tuple[str, ...]) -> str:
    """Return a sentence on a level: its count where that proves it, else how far it is from that."""
    if of is None:
        said = f"{LEVELS[level.name].words.counted(level.value)}, which is proved"
        if level.name == plain[0] and LEVELS[level.name].words.counts == "loads":
            said = f"loads are {level.value} apart, which is proved"
        return f"{level.name}: {said if level.proved else _open(level)}"
    said = _count(group, instance, level.name, of)
    return f"{level.name}: {said if level.proved else _open(level)}"


def _open(level: Level) -> str:
    if level.agreed:
        return f"CP-SAT and HiGHS find nothing below; a count proves {level.least:,} at least"
    return f"open: a count proves {level.least:,} at least, and less than {level.value:,} may be possible"


def _count(group: Group, instance: Instance, level: str, of: Bound) -> str:
    inside = within(instance, of.members)
    every = len(of.members) == len({m for some in instance.readers for m in some})
    who = _who(group, of)
    whose = "all" if every else f"what only {who} may hold"
    if of.least == 0 and not inside:
        return "nothing is less than 0"
    if of.kind == "hall" and level == CAPACITY:
        room = sum(instance.capacities[m] or 0 for m in of.members)
        return f"{whose} weighs {sum(inside):,}, and {who} can bear {room:,}"
    if of.kind == "hall":
        return f"{whose} weighs {sum(inside):,}, so one of {who} holds {of.least:,} or more"
    k = of.count
    heavy = (
        f"the heaviest partition weighs {inside[0]:,}" if k == 0 and every
        else f"the heaviest partition that only {who} may hold weighs {inside[0]:,}" if k == 0
        else f"one of {who} holds {k + 1} of the {k * len(of.members) + 1} heaviest"
    )  # fmt: skip
    fewest = min(instance.windows[m][0] for m in of.members)
    others = fewest - k - 1
    if level == CAPACITY:
        return (
            f"{heavy}, and none can bear more than {max(instance.capacities[m] or 0 for m in of.members):,}"
        )
    if instance.counted and others > 0:
        return f"{heavy}, and who holds that holds {others} more: {of.least:,} at least"
    return heavy if k == 0 else f"{heavy}: {of.least:,} at least"


def _who(group: Group, of: Bound) -> str:
    names = [group.members[m].id for m in of.members[:NAMES]]
    more = len(of.members) - len(names)
    if more:
        return f"{len(of.members)} members"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
