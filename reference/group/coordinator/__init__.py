"""The coordinator of a group: a state machine that members join, that a leader synchronises, and that outlives its node by a log.

>>> from kassay.reference.group.behaviour import PROPOSAL
>>> from kassay.reference.group.messages import Asked
>>> from kassay.reference.group.messages import JoinGroup, Protocol
>>> asked = Asked("a", JoinGroup(protocols=(Protocol("range", b""),)))
>>> joined = step(PROPOSAL, load(PROPOSAL, ()).state, asked)
>>> joined.state.state, [type(effect).__name__ for effect in joined.effects]
('AwaitSync', ['SetTimer', 'CancelTimer', 'Write'])

Chapters: `state.py` what there is between two steps, and the draft that one step changes; `requests.py` each request, and sessions that end;
`rebalance.py` the join phase and the protocol that members share; `step.py` the machine as a whole, the log and failovers.

Source: the client-side assignment proposal; org.apache.kafka.coordinator.group.GroupMetadataManager and classic.ClassicGroup 3.9.2, 4.1.2, 4.4.0.
"""

from kassay.reference.group.coordinator.state import (
    Choose,
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
