"""The coordinator of a group: a state machine that members join, that a leader synchronises, and that outlives its node by a log.

>>> from kassay.reference.group.behaviour import PROPOSAL
>>> from kassay.reference.group.events import Asked
>>> from kassay.reference.group.messages import JoinGroup, Protocol
>>> asked = Asked("a", JoinGroup(protocols=(Protocol("range", b""),)))
>>> joined = step(PROPOSAL, load(PROPOSAL, ()).state, asked)
>>> joined.state.state, [type(effect).__name__ for effect in joined.effects]
('AwaitSync', ['SetTimer', 'CancelTimer', 'Write'])

Source: the client-side assignment proposal; org.apache.kafka.coordinator.group.GroupMetadataManager and classic.ClassicGroup 3.9.2, 4.1.2, 4.4.0.
"""

from kassay.reference.group.coordinator.draft import Choose
from kassay.reference.group.coordinator.failover import LOADING, first, load, unload
from kassay.reference.group.coordinator.member import Member
from kassay.reference.group.coordinator.records import GroupForgotten, GroupWritten, ItemsCommitted, Record
from kassay.reference.group.coordinator.state import Coordinator
from kassay.reference.group.coordinator.step import step

__all__ = [
    "LOADING",
    "Choose",
    "Coordinator",
    "GroupForgotten",
    "GroupWritten",
    "ItemsCommitted",
    "Member",
    "Record",
    "first",
    "load",
    "step",
    "unload",
]
