"""Why an assignment of a consumer group cannot be better, by counting: sentences that a reader can check without a solver."""

from collections.abc import Callable, Collection, Mapping, Sequence

from kassay.model import TopicPartition

Readers = Mapping[TopicPartition, Sequence[str]]
Held = Mapping[str, set[TopicPartition]]
NO_CHAIN = "no chain of hand-overs does with fewer and worsens nothing that comes first"


def why_no_more_even(readers: Readers, held: Held) -> list[str]:
    """Count the partitions for all members or, where loads differ by more, what the fullest have for themselves and the emptiest can read."""
    if not held:
        return ["nobody reads anything"]
    loads = {m: len(of) for m, of in held.items()}
    most, least = max(loads.values()), min(loads.values())
    if most - least <= 1:
        each = f"{most}" if most == least else f"{least} or {most}"
        return [f"{count(len(readers))} for {len(held)} member{'s' * (len(held) > 1)} are {each} each"]
    full = {m for m in held if loads[m] == most}
    while more := {able for m in full for p in held[m] for able in readers[p]} - full:
        full |= more  # whoever could take something from the fullest, at once or along a chain
    poor = {m for m in held if loads[m] == least}
    while more := {m for m in held if any(not poor.isdisjoint(readers[p]) for p in held[m])} - poor:
        poor |= more
    only = sum(loads[m] for m in full)
    can = sum(not poor.isdisjoint(able) for able in readers.values())
    return [
        f"{count(only)} can be read by {_names(full)} alone, so one of them holds {most} or more",
        f"{_names(poor)} can read only {can} in all, so one of them holds {least} or fewer",
    ]


def why_no_fewer(
    readers: Readers,
    held: Held,
    owned: Mapping[TopicPartition, set[str]],
    moves: int,
    most_held: Callable[[Collection[str]], int],
) -> str:
    """Name members that own more than they can keep; `most_held` says how much members together can have where loads are most even."""
    keepers = {p: {m for m in by if m in readers.get(p, ())} for p, by in owned.items()}
    homeless = sum(not able for able in keepers.values())
    told = [f"{count(homeless)} that no owner reads any more must move"] * bool(homeless)
    if moves == homeless:
        return told[0]
    losing = {m for p, able in keepers.items() for m in able if not any(p in held[k] for k in able)}
    behind = set(losing)
    new = {m: [p for p in of if m not in keepers.get(p, ())] for m, of in held.items()}
    while more := {k for m in behind for p in new[m] for k in readers[p]} - behind:
        behind |= more  # whoever could give them room
    for who in (losing, behind):
        have = sum(bool(able) and able <= who for able in keepers.values())
        room = most_held(who)
        if have - room == moves - homeless:
            owns, can = ("owns", "can") if len(who) == 1 else ("own", "can together")
            even = f"{can} keep {room} where loads are most even"
            return "; ".join([*told, f"{_names(who)} {owns} {have} and {even}, so {have - room} must move"])
    return f"{count(moves)} move: {NO_CHAIN}"


def _names(who: Collection[str]) -> str:
    names = sorted(who)
    shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def count(number: int) -> str:
    """Write a number of partitions."""
    return f"{number:,} partition{'s' * (number != 1)}"
