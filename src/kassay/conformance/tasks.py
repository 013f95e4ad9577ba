"""Fixtures of tasks: applications of Kafka Streams, and streams groups (KIP-1071)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kassay.conformance.fixture_writer import find_proven_answer
from kassay.conformance.fixtures import Best, Declared, Form, Value, check_musts
from kassay.errors import InputError
from kassay.model import streams_group_json, tasks_json
from kassay.model.json_text import write_fields
from kassay.model.streams_group import ROLES, MemberTasks, StreamsAssignment, StreamsGroup
from kassay.model.tasks import Application, Given, TaskAssignment
from kassay.properties import streams, streams_group
from kassay.properties.tasks import measures, rounds
from kassay.properties.tasks.members import measures as member_measures
from kassay.properties.tasks.members import processes

_SAME_MUSTS = ("existing", "exclusive", "complete", "stateful_standbys")
_TWINS = (
    "crash_free", "deterministic", "renaming_independent", "client_order_independent", "member_order_independent",
    "task_order_independent",
)  # fmt: skip
"""Properties that are not laws of a fixture, because pairs of cases or all answers test them."""
_RELATIONS = ("order", "names", "repeat")


def _write_application(application: Application) -> dict[str, Any]:
    """Return the JSON of an application without defaults."""
    return {
        "topics": [
            {"name": t.name, "partitions": t.partitions, "racks": None if t.racks is None else list(map(list, t.racks))}
            for t in application.topics
        ],
        "tasks": [
            {
                "id": str(t.id), "stateful": t.stateful, "inputs": list(map(list, t.inputs)),
                "changelogs": list(map(list, t.changelogs)),
            }
            for t in application.tasks
        ],
        "clients": [tasks_json.write_client(client, whole=True) for client in application.clients],
        "config": write_fields(tasks_json.SettingsForm, application.settings, whole=True),
    }  # fmt: skip


def _write_streams_group(group: StreamsGroup) -> dict[str, Any]:
    """Return the JSON of a streams group without defaults."""
    return {
        "subtopologies": [
            {"id": str(one.id), "partitions": one.partitions, "stateful": one.stateful}
            for one in group.subtopologies
        ],
        "members": [streams_group_json.write_member(member, whole=True) for member in group.members],
        "config": write_fields(streams_group_json.SettingsForm, group.settings, whole=True),
    }


def _read_clients(data: Any) -> TaskAssignment:
    """Read an answer from the JSON of a fixture; raise InputError if it is wrong."""
    if not isinstance(data, dict) or not isinstance(data.get("assignment"), dict):
        raise InputError("assignment: is missing. Give what each client has")
    return tasks_json.read_beside(tasks_json.read_assignment(data["assignment"]), data)


def _read_members(data: Any) -> StreamsAssignment:
    """Read an answer from the JSON of a fixture; raise InputError if it is wrong."""
    if not isinstance(data, dict):
        raise InputError("is no answer. Give what each member has")
    return streams_group_json.read_assignment(data)


def _write_sets(kind: Callable[..., Any], answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ascending tasks of each client or member, because sets are compared; leave out idle ones."""
    return {
        name: kind(*(tuple(sorted(tasks)) for tasks in roles))
        for name, roles in sorted(answer.items())
        if any(roles)
    }


def _count_by_thread(counts: Sequence[tuple[int, int]]) -> list[int]:
    """Return the loads of all threads, largest first, if the tasks of each (tasks, threads) are distributed evenly."""
    return sorted((tasks // n + (at < tasks % n) for tasks, n in counts for at in range(n)), reverse=True)


def _measure_application(application: Application, answer: TaskAssignment) -> dict[str, Value]:
    """Return the measures of an answer by aim."""
    nothing = Given((), ())
    held = [(answer.clients.get(client.id, nothing), client.threads) for client in application.clients]
    return {
        "active_loads": _count_by_thread([(len(given.active), threads) for given, threads in held]),
        "loads": _count_by_thread(
            [(len(given.active) + len(given.standby), threads) for given, threads in held]
        ),
        "moves": measures.active_moves(application, answer) + measures.standby_moves(application, answer),
        "cross_rack": measures.cross_rack(application, answer),
        "left_out": len({client.id for client in application.clients} ^ answer.clients.keys()),
    }


def _measure_streams_group(group: StreamsGroup, answer: StreamsAssignment) -> dict[str, Value]:
    """Return the measures of an answer by aim."""
    held = [answer.get(member.id, MemberTasks()) for member in group.members]
    return {
        "active_loads": sorted((len(roles.active) for roles in held), reverse=True),
        "loads": sorted((len(roles.active) + len(roles.standby) for roles in held), reverse=True),
        "moves": member_measures.active_moves(group, answer) + member_measures.standby_moves(group, answer),
        "left_out": len({member.id for member in group.members} ^ answer.keys()),
    }


def _list_owners(tasks: Sequence[Any], holders: Sequence[Any], roles: Sequence[str]) -> list[dict[str, Any]]:
    """Return the clients or members that have each task, by role."""
    found = []
    for task in sorted(tasks):
        had = {role: [each.id for each in holders if task in getattr(each, role)] for role in roles}
        if any(had.values()):
            found.append({"task": str(task), **had})
    return found


def _find_best_of_application(application: Application) -> Best:
    # Without racks of topics no read is cross-rack.
    aims = ("active_loads", "loads", *(["cross_rack"] if any(t.racks for t in application.topics) else []))
    proved = ("active_loads", "loads", "cross_rack")
    found, proof = find_proven_answer("streams", "balance,active", application, proved)
    measured = _measure_application(application, found.assignment)
    return Best({**{aim: measured[aim] for aim in aims}, "left_out": 0}, found.assignment, (proof,))


def _find_best_of_streams_group(group: StreamsGroup) -> Best:
    # A new group has no moves.
    is_new = not any(_list_owners([*group.tasks()], group.members, ROLES))
    aims = ("active_loads", "loads", *([] if is_new else ["moves"]))
    proved = ("active_loads", "loads", "moves")
    found, proof = find_proven_answer("streams-group", "balance,moves", group, proved)
    measured = _measure_streams_group(group, found.assignment)
    return Best({**{aim: measured[aim] for aim in aims}, "left_out": 0}, found.assignment, (proof,))


def _rename(answer: Mapping[str, Any], ids: Mapping[str, str]) -> dict[str, Any]:
    return {ids.get(name, name): given for name, given in answer.items()}


_MUSTS = (*_SAME_MUSTS, "one_copy_per_client")
_ZEROES = tuple(name for name in streams.INVARIANTS if name not in {*_MUSTS, "every_client"})
_LAWS = {name: law for name, law in streams.LAWS.items() if name not in _TWINS}
_FLAGS = (
    "mixed_threads", "mixed_state", "standbys", "tags", "missing_tag", "racks", "partial_racks", "rack_strategy", "odd_costs",
    "overflowing_costs", "newcomer", "orphaned_task", "double_claim", "vanished_task", "behind", "unknown_lag",
)  # fmt: skip
_OF_STICKY = ("enough_standbys", "warm_ups_limited", "warm_ups_needed", "probing_ends", "settles")

STREAMS = Form(
    family="streams",
    needs={
        "history": lambda application: any(c.active or c.standby for c in application.clients),
        "racks": lambda application: any(t.racks for t in application.topics),
        "tags": lambda application: bool(application.settings.rack_aware_assignment_tags),
        "standbys": lambda application: application.settings.num_standby_replicas > 0,
    },
    flags={name.replace("_", "-"): streams.SITUATIONS[name] for name in _FLAGS},
    read_group=tasks_json.read_group,
    write_group=_write_application,
    read_answer=_read_clients,
    write_answer=lambda answer: {
        "assignment": tasks_json.write_assignment(_write_sets(Given, answer.clients)), "probing": answer.probing
    },
    owners=lambda application: _list_owners(
        [task.id for task in application.tasks], application.clients, Given._fields
    ),
    musts=_MUSTS,
    broken=lambda application, answer, _: check_musts(
        {name: streams.INVARIANTS[name] for name in _MUSTS}, application, answer,
        {name: any(given) for name, given in answer.clients.items()}, {c.id for c in application.clients}, "client",
    ),
    values=_measure_application,
    best=_find_best_of_application,
    after=rounds.apply_answer,
    renamed=lambda answer, _, clients: answer._replace(clients=_rename(answer.clients, clients)),
    exact={
        "streams/high-availability": ("3.6.2", "4.3.1"),
        "streams/legacy-sticky": ("4.3.1",),
        "streams/fallback-prior": ("4.3.1",),
    },
    declared={
        "streams/high-availability": Declared(
            (
                *(name for name in (*_ZEROES, *_LAWS) if name not in {"distinct_racks", "active_stays"}),
                "left_out", *_RELATIONS,
            )
        ),
        "streams/sticky": Declared((*_OF_STICKY, "left_out", "repeat")),
        "streams/legacy-sticky": Declared((*_OF_STICKY, "subtopologies_spread", "left_out", "repeat")),
        "streams/fallback-prior": Declared(
            ("active_stays", "enough_standbys", "warm_ups_limited", "warm_ups_needed", "left_out", "repeat")
        ),
    },
    even=(),
    zeroes={name: streams.INVARIANTS[name] for name in _ZEROES},
    laws=_LAWS,
    relations=_RELATIONS,
    proved_aims=("active_loads", "loads", "cross_rack"),
)  # fmt: skip

_GROUP_MUSTS = (*_SAME_MUSTS, "one_copy_per_process")
_GROUP_ZEROES = tuple(
    name for name in streams_group.INVARIANTS if name not in {*_GROUP_MUSTS, "every_member"}
)
_GROUP_LAWS = {name: law for name, law in streams_group.LAWS.items() if name not in _TWINS}
_GROUP_FLAGS = (
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
    flags={name.replace("_", "-"): streams_group.SITUATIONS[name] for name in _GROUP_FLAGS},
    read_group=streams_group_json.read_group,
    write_group=_write_streams_group,
    read_answer=_read_members,
    write_answer=lambda answer: streams_group_json.write_assignment(_write_sets(MemberTasks, answer)),
    owners=lambda group: _list_owners([*group.tasks()], group.members, ROLES),
    musts=_GROUP_MUSTS,
    broken=lambda group, answer, _: check_musts(
        {name: streams_group.INVARIANTS[name] for name in _GROUP_MUSTS}, group, answer,
        {name: any(roles) for name, roles in answer.items()}, {m.id for m in group.members}, "member",
    ),
    values=_measure_streams_group,
    best=_find_best_of_streams_group,
    after=processes.apply_answer,
    renamed=lambda answer, _, members: _rename(answer, members),
    exact={"streams-group/sticky": ("4.3.1", "4.4.0")},
    declared={
        "streams-group/sticky": Declared(
            (*(n for n in (*_GROUP_ZEROES, *_GROUP_LAWS) if n != "total_balanced"), "left_out", "repeat")
        ),
    },
    even=("active_loads", "loads"),
    conditional=frozenset({"moves"}),
    zeroes={name: streams_group.INVARIANTS[name] for name in _GROUP_ZEROES},
    laws=_GROUP_LAWS,
    relations=_RELATIONS,
    proved_aims=("active_loads", "loads", "moves"),
)  # fmt: skip
