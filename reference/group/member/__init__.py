"""A member of a group as a state machine: `create_member` builds one, `step` passes it an event.

It finds its coordinator, joins, synchronizes, sends heartbeats and, as leader, assigns. Its use (:mod:`kassay.reference.group.uses`)
decides what it owns.

>>> from kassay.reference.group.member.state import Started
>>> from kassay.reference.group.uses.consumer import SINGLE_WRITER
>>> begun = step(create_member(SINGLE_WRITER, Config(), "writer-1", None), Started())
>>> [type(effect).__name__ for effect in begun.effects]
['Send']

Modules:

- `state.py`: the state, the events and the effects
- `joining.py`: FindCoordinator, JoinGroup and the leader
- `generation.py`: SyncGroup, heartbeats, commits and owned items
- `machine.py`: the transition of each event
"""

from kassay.reference.group.member.machine import step
from kassay.reference.group.member.state import (
    KAFKA,
    PROPOSAL,
    Config,
    Manner,
    Member,
    create_member,
    patience_ms,
)

__all__ = ["KAFKA", "PROPOSAL", "Config", "Manner", "Member", "create_member", "patience_ms", "step"]
