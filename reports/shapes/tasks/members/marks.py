"""What the picture of a streams group marks: each role of each task at each member, and what stands on a process twice."""

from collections.abc import Sequence

from kassay.model.streams_group import StreamsAssignment, StreamsGroup
from kassay.reports.shapes.items.marks import ACTIVE, STANDBY, WARM_UP, Marks, Roles, Words, compared
from kassay.reports.shapes.names import short_names
from kassay.reports.shapes.tasks.marks import COUNTED, marked

WORDS = Words("member", "subtopology", COUNTED)
PROCESS = 4
"""Letters of a process's name that there is room for."""


def marks(group: StreamsGroup, assignment: StreamsAssignment) -> Marks:
    """Compare what members have with what they get; a process has room for one copy of a task."""
    held = {member.id: _roles(member.active, member.standby, member.warmup) for member in group.members}
    given = {name: _roles(*roles) for name, roles in assignment.items()}
    stateful = {task: task.subtopology in group.stateful for task in group.tasks()}
    process = {member.id: member.process_id for member in group.members}
    at = compared(held, given, stateful, place=lambda name: process.get(name, name))
    short = short_names(list(group.processes), PROCESS, "process")
    notes = {name: f"process {short[of].removeprefix('process ')}" for name, of in process.items()}
    return marked(WORDS, held, given, stateful, at, notes)


def _roles(active: Sequence[object], standby: Sequence[object], warmup: Sequence[object]) -> Roles:
    return {ACTIVE: active, STANDBY: standby, WARM_UP: warmup}
