"""What happens next: a group to which something happens before its rebalance, and what stands still while each strategy rebalances."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kassay.comparison.groups.facts import Facts, label_targets, resolve_assignor_name
from kassay.comparison.groups.ranking import find_candidates, rank
from kassay.comparison.measured import Measured, each, held, loads, roles
from kassay.comparison.measured import called as items_called
from kassay.comparison.strategies import moved
from kassay.errors import InputError
from kassay.family import Family
from kassay.sentences import counted, counted_of, listed
from kassay.suggesting import FEW, there_is_no

COPIES = {"standby", "warmup"}
"""Roles in which nothing is read: what stands still is what somebody processed."""


@dataclass(frozen=True, slots=True)
class Change:
    """What happens: how many join, who leaves, and how many partitions there are then of what has some."""

    join: int = 0
    leave: tuple[str, ...] = ()
    partitions: Mapping[str, int] = field(default_factory=dict)

    def words(self, family: Family) -> str:
        """Say it: 2 members join, m3 leaves and t has 12 partitions."""
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
    hold = (
        f"{next(iter(shape.sizes))} hold {each(loads(then, [*then], role))} {items_called(shape, role)} each"
    )
    moves = moved(one)
    told = [_counted(moves, "move")] if moves is not None else []
    told += [f"{_counted(stops, 'stand')} still meanwhile"] if stops is not None else []
    return f"{begins} with {label_targets(known)[one.target]} {hold}{f'; {listed(told)}' if told else ''}."


def _counted(number: int, does: str) -> str:
    return f"{number:,} {does}" if number > 1 else f"{'one' if number else 'nothing'} {does}s"
