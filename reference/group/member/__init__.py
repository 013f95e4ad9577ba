"""A member of a group as a state machine: `new` makes one, `step` tells it what happened.

It finds its coordinator, joins, synchronises, sends heartbeats and, as leader, assigns. What it owns and why is up to its use
(:mod:`kassay.reference.group.uses`).

>>> from kassay.reference.group.member.state import Started
>>> from kassay.reference.group.uses.consumer import SINGLE_WRITER
>>> begun = step(new(SINGLE_WRITER, Config(), "writer-1", None), Started())
>>> [type(effect).__name__ for effect in begun.effects]
['Send']

Chapters: `state.py` what there is, and the events and effects; `joining.py` FindCoordinator, JoinGroup and the leader; `generation.py` SyncGroup,
heartbeats, commits and what is owned; `machine.py` which event leads where.
"""

from kassay.reference.group.member.machine import step
from kassay.reference.group.member.state import KAFKA, PROPOSAL, Config, Manner, Member, new, patience_ms

__all__ = ["KAFKA", "PROPOSAL", "Config", "Manner", "Member", "new", "patience_ms", "step"]
