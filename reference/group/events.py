"""What a state machine of the group protocol is told and what it wants done; it has no clock, no socket and no thread.

A machine is a pure function `step(..., state, event) -> Step(state, effects)`. Whoever runs it keeps the clock, carries the messages, writes the log and
performs the effects in their order.
"""

from collections.abc import Hashable
from typing import Generic, TypeAlias, TypeVar

from msgspec import Struct

from kassay.reference.group.messages import Error, Request, Response


class Asked(Struct, frozen=True):
    """A coordinator received a request; `token` says where the answer goes."""

    token: Hashable
    request: Request


class Answered(Struct, frozen=True):
    """A member received the response to the request that it sent with this token."""

    token: Hashable
    response: Response


class NotAnswered(Struct, frozen=True):
    """A member's request is lost: its connection broke or no answer came in time."""

    token: Hashable


class Alarm(Struct, frozen=True):
    """A timer that the machine set has run out; setting a timer again replaces the one of that key."""

    key: Hashable


class Written(Struct, frozen=True):
    """The coordinator's log has committed the batch of this number."""

    batch: int


class Refused(Struct, frozen=True):
    """The log could not write the batch of this number."""

    batch: int
    error: Error


class TimedOut(Struct, frozen=True):
    """The log has not committed the batch of this number in time: who waits for it is refused, though it may yet be committed."""

    batch: int


class Reply(Struct, frozen=True):
    """Answer the request of this token."""

    token: Hashable
    response: Response


class Send(Struct, frozen=True):
    """Send a request to the coordinator that the member knows (`node`), or to any node of the cluster where it is None."""

    token: Hashable
    request: Request
    node: int | None


class SetTimer(Struct, frozen=True):
    """Tell the machine :class:`Alarm` after so many milliseconds, instead of the timer of this key that there may be."""

    key: Hashable
    delay_ms: int


class CancelTimer(Struct, frozen=True):
    """Forget the timer of this key, if there is one."""

    key: Hashable


class Write(Struct, frozen=True):
    """Append a batch of records to the coordinator's log; :class:`Written` or :class:`Refused` is to follow."""

    batch: int
    records: tuple[Hashable, ...]


S = TypeVar("S")
E = TypeVar("E")


class Step(Struct, Generic[S, E], frozen=True):
    """What a machine is after an event, and what it wants done, in order."""

    state: S
    effects: tuple[E, ...]


CoordinatorEvent: TypeAlias = Asked | Alarm | Written | Refused | TimedOut
CoordinatorEffect: TypeAlias = Reply | SetTimer | CancelTimer | Write
