"""The coordinator of a group: a state machine that members join, that a leader synchronises, and that outlives its node by a log.

>>> from kassay.reference.group.behaviour import PROPOSAL
>>> from kassay.reference.group.messages import Asked
>>> from kassay.reference.group.messages import JoinGroup, Protocol
>>> asked = Asked("a", JoinGroup(protocols=(Protocol("range", b""),)))
>>> joined = step(PROPOSAL, load(PROPOSAL, ()).state, asked)
>>> joined.state.state, [type(effect).__name__ for effect in joined.effects]
('AwaitSync', ['SetTimer', 'CancelTimer', 'Write'])

Its chapters, in the order in which things happen: `state.py` what there is; `join.py` JoinGroup; `protocols.py` the protocol that members share; `rebalance.py` the
join phase; `generation.py` SyncGroup, heartbeats, commits, LeaveGroup and silence; `log.py` what follows when something is written; `step.py` the
machine as a whole, and failovers. `draft.py` is the coordinator while it is changed.

Source: the client-side assignment proposal; org.apache.kafka.coordinator.group.GroupMetadataManager and classic.ClassicGroup 3.9.2, 4.1.2, 4.4.0.
"""

from kassay.reference.group.coordinator.draft import Choose
from kassay.reference.group.coordinator.state import (
    Coordinator,
    GroupForgotten,
    GroupWritten,
    ItemsCommitted,
    Member,
    Record,
)
from kassay.reference.group.coordinator.step import LOADING, first, load, step, unload

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
