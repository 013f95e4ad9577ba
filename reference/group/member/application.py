"""What an application tells the member that it runs, and what the member tells it."""

from collections.abc import Hashable
from typing import TypeAlias

from msgspec import Struct

from kassay.reference.group.messages import Error

Items: TypeAlias = tuple[Hashable, ...]
"""What members of a group share out among them, such as partitions; each only once."""


class Started(Struct, frozen=True):
    """The application wants to be in the group from now on."""


class SubscriptionChanged(Struct, frozen=True):
    """The application wants to work on something else: the use says what a subscription is."""

    subscription: Hashable


class ClusterChanged(Struct, frozen=True):
    """The member learned of other metadata, such as topics: the use says what a cluster is."""

    cluster: Hashable


class Commit(Struct, frozen=True):
    """The application wants to commit how far it has come in these items."""

    items: Items


class Revoked(Struct, frozen=True):
    """The application no longer works on what :class:`Revoke` named; asked for only where the configuration waits for it."""

    items: Items


class Stalled(Struct, frozen=True):
    """The application does not poll any more: it calls nothing and is called by nothing until it resumes."""


class Resumed(Struct, frozen=True):
    """The application polls again."""


class Closed(Struct, frozen=True):
    """The application ends in an orderly way."""


class Revoke(Struct, frozen=True):
    """Stop working on these items, of which the member is still the owner, and commit first if you like."""

    items: Items


class Lose(Struct, frozen=True):
    """These items are gone already: another member may own them, and a commit would be refused."""

    items: Items


class Own(Struct, frozen=True):
    """Begin to work on these items."""

    items: Items


class Committed(Struct, frozen=True):
    """The coordinator has taken the commit of these items."""

    items: Items


class NotCommitted(Struct, frozen=True):
    """The commit of these items was refused, or could not be asked for."""

    items: Items
    error: Error


class Failed(Struct, frozen=True):
    """The member cannot go on; only closing it is left."""

    error: Error


FromApplication: TypeAlias = (
    Started | SubscriptionChanged | ClusterChanged | Commit | Revoked | Stalled | Resumed | Closed
)
ToApplication: TypeAlias = Revoke | Lose | Own | Committed | NotCommitted | Failed
