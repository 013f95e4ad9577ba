"""A member of a group as a state machine: `new` makes one, `step` tells it what happened.

It finds its coordinator, joins, synchronises, sends heartbeats and, as leader, assigns. What it owns and why is up to its use
(:mod:`kassay.reference.group.uses`).

>>> from kassay.reference.group.member.state import Started
>>> from kassay.reference.group.uses.consumer import SINGLE_WRITER
>>> begun = step(new(SINGLE_WRITER, Config(), "writer-1", None), Started())
>>> [type(effect).__name__ for effect in begun.effects]
['Send']

Its chapters, in the order in which things happen: `application.py` what application and member tell each other; `use.py` what makes it a consumer or
anything else; `state.py` what there is; `machine.py` which event leads where; `asking.py` how it finds its coordinator, fails and leaves; `joining.py` JoinGroup and
the leader; `synchronising.py` SyncGroup and what is owned; `staying.py` heartbeats and commits.
"""

from kassay.reference.group.member.machine import step
from kassay.reference.group.member.state import KAFKA, PROPOSAL, Config, Manner, Member, new, patience_ms

__all__ = ["KAFKA", "PROPOSAL", "Config", "Manner", "Member", "new", "patience_ms", "step"]
