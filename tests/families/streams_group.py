"""What the streams-group family brings to the tests."""

from dataclasses import replace

from families.tables import Honest, Mutant, Tables
from mutants import streams_groups

from kassay.model.streams_group import GroupSettings, StreamsGroup, StreamsMember, Subtopology
from kassay.model.tasks import TaskId
from kassay.properties.tasks.members.shrinking import size

T0, T1, GONE = TaskId(0, 0), TaskId(0, 1), TaskId(0, 2)
A, B = StreamsMember("a", "p", (T0,)), StreamsMember("b", "q", (T1,))
TWO = Subtopology(0, 2, stateful=True)
PLAIN = StreamsGroup((TWO,), (A, B))
C = StreamsMember("c", "r")
STATELESS = replace(TWO, stateful=False)


def having(*members, tasks=(TWO,), standbys=0, tags=()):
    return StreamsGroup(tasks, members or PLAIN.members, GroupSettings(standbys, tags))


IDLE = (replace(A, active=()), replace(B, active=()))
EXAMPLES = {
    "single_member": [having(A)],
    "single_process": [having(A, replace(B, process_id="p"))],
    "several_threads": [having(A, replace(B, process_id="p")), having(A, replace(B, process_id="p"), C)],
    "mixed_threads": [having(A, replace(B, process_id="p"), C)],
    "more_members_than_tasks": [having(A, B, C)],
    "permuted_members": [having(B, A)],
    "stateless_only": [having(tasks=(STATELESS,))],
    "mixed_state": [having(tasks=(TWO, Subtopology(1, 1)))],
    "several_subtopologies": [having(tasks=(TWO, Subtopology(1, 1)))],
    "uneven_tasks": [having(A, B, C), having(tasks=(TWO, Subtopology(1, 1)))],
    "standbys": [having(standbys=1)],
    "nearly_even_copies": [
        having(standbys=1),
        having(A, B, C, replace(C, id="d"), replace(C, id="e"), standbys=2),
    ],
    "more_standbys_than_processes": [having(standbys=2), having(A, standbys=1)],
    "tags": [having(replace(A, tags=(("zone", "x"),)), B, tags=("zone",))],
    "new_group": [having(*IDLE), having(C)],
    "restarted": [having(replace(IDLE[0], offsets={T0: 5}), IDLE[1])],
    "newcomer": [having(A, B, C)],
    "orphaned_task": [having(A, IDLE[1])],
    "double_claim": [having(A, replace(B, active=(T0, T1)))],
    "crowded_process": [having(A, replace(B, process_id="p", standby=(T0,)))],
    "overloaded": [having(replace(A, active=(T0, T1)), IDLE[1])],
    "excess_standbys": [having(A, replace(B, standby=(T0,)))],
    "missing_standbys": [having(standbys=1)],
    "warming_up": [having(A, replace(B, warmup=(T0,)))],
    "vanished_task": [having(replace(A, active=(T0, GONE)), B), having(A, replace(B, offsets={GONE: 1}))],
    "reported_offsets": [having(A, replace(B, offsets={T0: 1}))],
}
MUTANTS = {
    mutant.__name__: Mutant(mutant, frozenset(breaks.split()))
    for mutant, breaks in streams_groups.BREAKS.items()
}

TABLES = Tables(
    mutants=MUTANTS,
    honest={"even": Honest(streams_groups.even, streams_groups.HONEST_KEEPS)},
    situations=EXAMPLES,
    plain=PLAIN,
    situations_of_plain=(),
    minimised={},
    thoroughly=(),
    size=size,
)
