"""Single writers: of all members only the leader writes, and a writer stops before another one starts.

A member writes under a lease: it begins when a heartbeat shows that it is in the generation that it leads, and stops when the
coordinator has not answered for the session timeout, counted from the heartbeat that was answered last. This holds as long as clocks run
equally fast and no other coordinator serves the group too; who cannot rely on that fences writes by generation.

Source: use case 3 of the client-side assignment proposal, "Single-writer producer", which leaves open how a writer stops.
"""

from collections.abc import Hashable

from kassay.reference.group.member.application import Items
from kassay.reference.group.member.use import Asking, Choosing, States, Use
from kassay.reference.group.messages import Protocol, State

WRITER: Items = ("writer",)
"""The one item of a group: who owns it may write."""


def _protocols(asking: Asking) -> tuple[Protocol, ...]:
    return (Protocol("single-writer", asking.subscription),)


def _assign(choosing: Choosing) -> States:
    return tuple((member.member_id, member.member_id == choosing.leader) for member in choosing.members)


def _items(state: State) -> Items:
    return WRITER if state is True else ()


def _joined_as(subscription: Hashable, _: Hashable) -> Hashable:
    return subscription


SINGLE_WRITER = Use(
    protocol_type="producer",
    protocols=_protocols,
    assign=_assign,
    items=_items,
    joined_as=_joined_as,
    leased=True,
    static=False,
)
"""The use for producers of which one writes; a subscription is whatever a member wants to tell, the cluster is not looked at."""
