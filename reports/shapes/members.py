"""What the picture of a streams group marks: each role of each task at each member, and what stands on a process twice.

The picture of the shape of streams groups.
"""

from collections.abc import Sequence

from markupsafe import Markup

from kassay.model.streams_group import StreamsAssignment, StreamsGroup
from kassay.properties.tasks.members.processes import after
from kassay.reports.shapes.items import ACTIVE, STANDBY, WARM_UP, Marks, Roles, Words, compared, panel
from kassay.reports.shapes.layout import Picture, short_names, style_of
from kassay.reports.shapes.tasks import COUNTED, marked

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


def _html(title: str, group: StreamsGroup, assignment: StreamsAssignment) -> Markup:
    return panel(title, marks(group, assignment))


STREAMS_GROUPS = Picture(
    html=_html,
    most={"members": 40, "tasks": 120},
    lead="Members are rows; columns are tasks by subtopology, or subtopologies where tasks are many, and very large groups are bars of loads.",
    legend=(
        ("kept", "", "active, stays"),
        ("moved", "", "active, from another member"),
        ("new", "", "active, ran nowhere"),
        ("standby", "s", "standby"),
        ("warm-up", "w", "warm-up"),
        ("gone", "", "leaves"),
        ("wrong", "✗", "may not be here, such as a second copy on a process"),
        ("lost", "✗", "active nowhere; 2x: active twice"),
    ),
    style=style_of("items"),
    joined=after,
)
