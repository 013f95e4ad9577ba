"""A member of a group as a state machine: `new` makes one, `step` tells it what happened.

It finds its coordinator, joins, synchronises, sends heartbeats and, as leader, assigns. What it owns and why is up to its use
(:mod:`kassay.reference.group.uses`).

>>> from kassay.reference.group.member.application import Started
>>> from kassay.reference.group.uses.single_writer import SINGLE_WRITER
>>> begun = step(new(SINGLE_WRITER, Config(), "writer-1", None), Started())
>>> [type(effect).__name__ for effect in begun.effects]
['Send']
"""

from kassay.reference.group.member.config import KAFKA, PROPOSAL, Config, Manner, patience_ms
from kassay.reference.group.member.machine import step
from kassay.reference.group.member.state import Member, new

__all__ = ["KAFKA", "PROPOSAL", "Config", "Manner", "Member", "new", "patience_ms", "step"]
