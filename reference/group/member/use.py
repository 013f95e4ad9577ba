"""What makes the generic member one of consumers, of Connect, of Kafka Streams or of anything else."""

from collections.abc import Callable, Hashable

from msgspec import Struct

from kassay.reference.group.member.application import Items
from kassay.reference.group.messages import JoinedMember, Protocol, State

States = tuple[tuple[str, State], ...]
"""Member id -> what the leader gives it."""


class Asking(Struct, frozen=True):
    """What a member's metadata are made of when it joins.

    `owned` is what it owns now, of `generation`, the one it was in last (-1: none). `had` is what it was last given and may have given up
    or lost since, in generation `had_in`.
    """

    subscription: Hashable
    cluster: Hashable
    owned: Items
    generation: int
    had: Items
    had_in: int


class Choosing(Struct, frozen=True):
    """What a leader assigns by; `before` are the states of this generation where it assigns again without a rejoin."""

    protocol: str
    leader: str
    members: tuple[JoinedMember, ...]
    subscription: Hashable
    cluster: Hashable
    before: States


def unwatched(_: Choosing) -> Hashable:
    """Let nothing that the leader learns make it assign anew."""
    return None


def keep_nothing(_subscription: Hashable, _cluster: Hashable, _owned: Items) -> Items:
    """Let an eager member give up all before it joins."""
    return ()


def fits_all(_subscription: Hashable, _cluster: Hashable, _items: Items) -> bool:
    """Let a member take up whatever it is given."""
    return True


class Use(Struct, frozen=True, kw_only=True):
    """A use of the group protocol.

    `cooperative` members keep what they own while they rejoin, and give up what they are no longer given (KIP-429). It holds for all
    protocols of a member: which of them the group will choose is not known while it still owns something.
    """

    protocol_type: str
    protocols: Callable[[Asking], tuple[Protocol, ...]]
    """What the member supports, in the order it prefers, with its metadata for each."""
    assign: Callable[[Choosing], States]
    """What the leader gives each member; raises :class:`kassay.model.AssignorError` where it cannot."""
    items: Callable[[State], Items]
    """What a member may work on by its state."""
    joined_as: Callable[[Hashable, Hashable], Hashable]
    """What of subscription and cluster makes a member rejoin when it changes."""
    watched: Callable[[Choosing], Hashable] = unwatched
    """What makes the leader assign anew when it changes, such as the topics that the group reads."""
    retained: Callable[[Hashable, Hashable, Items], Items] = keep_nothing
    """What of its items a cooperative member keeps by subscription and cluster while it rejoins."""
    fits: Callable[[Hashable, Hashable, Items], bool] = fits_all
    """Whether a member takes up what it is given; it does not where it no longer subscribes to that, and joins again instead."""
    cooperative: bool = False
    leased: bool = False
    """Whether a member works only as long as the coordinator is sure to count it in: it begins after a heartbeat and stops when
    none was answered for the session timeout, counted from sending."""
    static: bool = True
    """Whether members may be static: one takes the place of another that may still work."""
