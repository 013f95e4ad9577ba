"""What a coordinator is between two steps: the group with its members, what is parked, and what is being written."""

from typing import Literal, TypeAlias

from msgspec import Struct

from kassay.reference.group.coordinator.member import Member
from kassay.reference.group.coordinator.pending import Pending
from kassay.reference.group.messages import Error

StateName: TypeAlias = Literal["Down", "Initialize", "Stable", "Joining", "AwaitSync"]


class Coordinator(Struct, frozen=True):
    """The coordinator of one group; states are those of the proposal.

    "Down": there is no group (or, if not `serving`, this is not its coordinator). "Stable" with `empty`: there are no members.
    """

    state: StateName = "Down"
    generation: int = 0
    protocol_type: str | None = None
    protocol: str | None = None
    leader: str | None = None
    empty: bool = True
    """Whether the group had no members when it came into its state, and so none are revoked anything by its next rebalance."""
    roster: tuple[Member, ...] = ()
    """The members, in the order in which they came."""
    pending: tuple[str, ...] = ()
    """Ids given to members that have not yet joined with them."""
    unsynced: tuple[str, ...] = ()
    """Members that were told of the generation and have not sent SyncGroup, where that has a timeout."""
    is_initial: bool = False
    """Joining: whether the group was empty before."""
    delay_ms: int = 0
    """Joining: the delay that the running timer has if it is that of an initial rebalance."""
    remaining_ms: int | None = None
    """Joining: by how much an initial rebalance may still be delayed; None: it is not delayed."""
    member_added: bool = False
    """Whether a member came while an initial rebalance was delayed."""
    failure: tuple[int, Error] | None = None
    """The generation that the leader ended by an error, and that error."""
    has_offsets: bool = False
    waiting: tuple[Pending, ...] = ()
    """What is done when a batch is written, in the order of batches."""
    next_member: int = 0
    next_batch: int = 0
    serving: bool = True

    @property
    def members(self) -> dict[str, Member]:
        """Return the members by id."""
        return {member.member_id: member for member in self.roster}
