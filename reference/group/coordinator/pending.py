"""What a coordinator does once a batch is written: one kind for each reason to write."""

from collections.abc import Hashable
from typing import TypeAlias

from msgspec import Struct

from kassay.reference.group.coordinator.member import Member
from kassay.reference.group.messages import LeaveGroupResponse, State


class Created(Struct, frozen=True):
    """A JoinGroup made the group."""


class Joined(Struct, frozen=True):
    """The members of a generation are to be told."""

    generation: int


class Synced(Struct, frozen=True):
    """The members of a generation are to get their states."""

    generation: int
    states: tuple[tuple[str, State], ...]


class Replaced(Struct, frozen=True):
    """A static member came back under a new id into a stable group; `old` is what it was."""

    member_id: str
    old: Member
    leader: str | None
    skips_assignment: bool


class Emptied(Struct, frozen=True):
    """The last member is gone; where it left, `answer` is to follow."""

    answer: LeaveGroupResponse | None = None


class Committed(Struct, frozen=True):
    """A commit is to be answered; `created` tells whether it made the group, `had_offsets` whether there were offsets before."""

    created: bool
    had_offsets: bool


class Forgotten(Struct, frozen=True):
    """The group was cleaned up; the rest is what was known of it."""

    generation: int
    protocol_type: str | None
    member_added: bool
    pending: tuple[str, ...]


class GivenUp(Struct, frozen=True):
    """Whoever waited has been refused, as the log took too long."""


After: TypeAlias = Created | Joined | Synced | Replaced | Emptied | Committed | Forgotten | GivenUp


class Pending(Struct, frozen=True):
    """A batch that the log has not yet committed, what it was written for, and the request that wrote it until that is answered."""

    batch: int
    after: After
    token: Hashable = None
