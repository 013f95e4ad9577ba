"""A step that a machine took, as the world follows it."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace


class Taken(Struct, frozen=True):
    """What a machine is after a step and what it wants done, in order.

    `moves`: whether a member owns something else or is in another generation; `shows`: whether others see a difference, so that the group may have become stable by the step. `sent`
    is how many requests a member sent until it had none under way; it numbers the next from 0 again. `wrong` are the invariants that the machine breaks by the step.
    """

    state: Any
    effects: tuple[Any, ...]
    moves: bool
    shows: bool
    sent: int = 0
    wrong: tuple[tuple[str, str], ...] = ()


def of_member(before: Any, step: Any, wrong: Iterable[tuple[str, str]] = (), *, renumbers: bool) -> Taken:
    """Return the step of a member, which breaks these invariants.

    Members know requests by their numbers and never compare these but for being equal. So where no request is under way and no timer is named
    by one, a member that has sent some is as one that has sent none.
    """
    after = step.state
    moves = after.owned != before.owned or after.generation != before.generation
    sent = 0
    if (
        renumbers
        and after.asked is None
        and after.beat is None
        and not after.commits
        and not after.use.leased
    ):
        after, sent = replace(after, tokens=0), after.tokens
    return Taken(after, step.effects, moves, _seen(after) != _seen(before), sent, tuple(wrong))


def _seen(member: Any) -> tuple[Any, ...]:
    """Return what others see of a member, among that all by which a group is found stable."""
    return (
        member.phase, member.generation, member.owned, member.member_id, member.rejoins, member.node, member.cluster,
    )  # fmt: skip


def of_coordinator(before: Any, step: Any, wrong: Iterable[tuple[str, str]] = ()) -> Taken:
    """Return the step of a coordinator, which breaks these invariants; before it there may have been none."""
    after = step.state
    return Taken(
        after,
        step.effects,
        False,
        before is None or (before.state, before.roster) != (after.state, after.roster),
        wrong=tuple(wrong),
    )
