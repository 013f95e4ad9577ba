"""The fixtures of streams groups: their JSON, what every answer must keep, and the best values (KIP-1071)."""

from collections.abc import Mapping
from typing import Any

from kassay.conformance.form import Best, Declared, Form, Value
from kassay.conformance.making import proved
from kassay.conformance.tasks import all_settings
from kassay.errors import InputError
from kassay.model.streams_group import ROLES, MemberTasks, StreamsAssignment, StreamsGroup
from kassay.model.streams_group_json import SETTINGS, read_assignment, write_assignment
from kassay.model.streams_group_json import read_group as read_streams_group
from kassay.properties.streams_group import INVARIANTS, LAWS, SITUATIONS
from kassay.properties.tasks.members import processes
from kassay.properties.tasks.members.processes import after

MUSTS = ("existing", "exclusive", "complete", "stateful_standbys", "one_copy_per_process")
_ZEROES = tuple(name for name in INVARIANTS if name not in {*MUSTS, "every_member"})
_LAWS = {
    name: law
    for name, law in LAWS.items()
    if name not in {"crash_free", "deterministic", "member_order_independent"}
}


def read_group(data: Any) -> StreamsGroup:
    """Make a group of the JSON of a fixture, which is that of kassay with every key; raises InputError naming the field."""
    return read_streams_group(data)


def write_group(group: StreamsGroup) -> dict[str, Any]:
    """Make the JSON of a group with nothing left to a default."""
    return {
        "subtopologies": [{"id": str(s.id), "partitions": s.partitions, "stateful": s.stateful} for s in group.subtopologies],
        "members": [
            {
                "id": m.id, "process_id": m.process_id, "instance_id": m.instance_id, "rack": m.rack, "tags": dict(m.tags),
                **{role: list(map(str, getattr(m, role))) for role in ROLES},
                "offsets": {str(task): n for task, n in m.offsets.items()},
                "end_offsets": {str(task): n for task, n in m.end_offsets.items()},
            }
            for m in group.members
        ],
        "config": all_settings(group.settings, SETTINGS),
    }  # fmt: skip


def read_answer(data: Any) -> StreamsAssignment:
    """Make an answer of the JSON of a fixture; raises InputError where it is none."""
    if not isinstance(data, dict):
        raise InputError("is no answer; give what each member has")
    return read_assignment(data)


def write_answer(answer: StreamsAssignment) -> dict[str, Any]:
    """Make the JSON of an answer: members and tasks ascending, as sets are compared."""
    some = {
        name: MemberTasks(*(tuple(sorted(tasks)) for tasks in roles))
        for name, roles in sorted(answer.items())
        if any(roles)
    }
    return write_assignment(some)


def broken(group: StreamsGroup, answer: StreamsAssignment, _declared: Declared) -> dict[str, str]:
    """Say by check what an answer breaks, the first thing of each; "" where it keeps it."""
    known = {member.id for member in group.members}
    strangers = [name for name, roles in answer.items() if any(roles) and name not in known]
    found = {check: next(INVARIANTS[check](group, answer), "") for check in MUSTS}
    return found | ({"existing": f"{strangers[0]} is given something, but is no member"} if strangers else {})


def values(group: StreamsGroup, answer: StreamsAssignment) -> dict[str, Value]:
    """Measure an answer, by aim."""
    held = [answer.get(member.id, MemberTasks()) for member in group.members]
    return {
        "active_loads": sorted((len(roles.active) for roles in held), reverse=True),
        "loads": sorted((len(roles.active) + len(roles.standby) for roles in held), reverse=True),
        "moves": processes.active_moves(group, answer) + processes.standby_moves(group, answer),
        "left_out": len({member.id for member in group.members} ^ answer.keys()),
    }


def may_keep(group: StreamsGroup) -> list[dict[str, Any]]:
    """Return who has each task that exists, by role."""
    found = []
    for task in sorted(group.tasks()):
        has = {role: [m.id for m in group.members if task in getattr(m, role)] for role in ROLES}
        if any(has.values()):
            found.append({"task": str(task), **has})
    return found


def best(group: StreamsGroup) -> Best:
    """Ask the oracles for the best values of a group, and for one answer that has them."""
    aims = ("active_loads", "loads", "moves")
    found, proof = proved("streams-group", "balance,moves", group, aims)
    got = values(group, found.assignment)
    had = any(may_keep(group))
    should: dict[str, Value] = {aim: got[aim] for aim in aims if had or aim != "moves"}
    return Best({**should, "left_out": 0}, found.assignment, (proof,))


def renamed(
    answer: StreamsAssignment, _topics: Mapping[str, str], members: Mapping[str, str]
) -> StreamsAssignment:
    """Return an answer with other ids of members; one that has none keeps its own."""
    return {members.get(name, name): roles for name, roles in answer.items()}


_FLAGS = (
    "several_threads", "mixed_threads", "mixed_state", "standbys", "tags", "restarted", "newcomer", "orphaned_task",
    "double_claim", "crowded_process", "excess_standbys", "missing_standbys", "warming_up", "vanished_task", "reported_offsets",
)  # fmt: skip

STREAMS_GROUP = Form(
    family="streams-group",
    needs={
        "history": lambda group: any(m.active or m.standby or m.warmup for m in group.members),
        "offsets": lambda group: any(m.offsets or m.end_offsets for m in group.members),
        "tags": lambda group: bool(group.settings.rack_aware_assignment_tags),
        "standbys": lambda group: group.settings.num_standby_replicas > 0,
    },
    flags={name.replace("_", "-"): SITUATIONS[name] for name in _FLAGS},
    read_group=read_group,
    write_group=write_group,
    read_answer=read_answer,
    write_answer=write_answer,
    owners=may_keep,
    musts=MUSTS,
    broken=broken,
    values=values,
    best=best,
    after=after,
    renamed=renamed,
    exact={"streams-group/sticky": ("4.3.1", "4.4.0")},
    declared={
        "streams-group/sticky": Declared(
            (*(name for name in (*_ZEROES, *_LAWS) if name != "total_balanced"), "left_out", "repeat")
        ),
    },
    proved_of=lambda group: group,
    even=("active_loads", "loads"),
    conditional=frozenset({"moves"}),
    zeroes={name: INVARIANTS[name] for name in _ZEROES},
    laws=_LAWS,
    relations=("order", "names", "repeat"),
    proved_aims=("active_loads", "loads", "moves"),
)
