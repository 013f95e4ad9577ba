"""The fixtures of Connect's workers: their JSON, what every answer must keep, and the best values at rest."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from kassay.conformance.form import Best, Declared, Form, Value
from kassay.conformance.making import proved
from kassay.errors import InputError
from kassay.model.json_text import convert_json
from kassay.model.workers import (
    FORGOTTEN,
    NOTHING,
    Cluster,
    Connector,
    ConnectorTask,
    Memory,
    Work,
    WorkAssignment,
    Worker,
)
from kassay.properties.connect import INVARIANTS, SITUATIONS
from kassay.properties.workers.measures import clustering, moves, running
from kassay.properties.workers.rounds import after

Numbers = dict[str, list[int]]


class _WorkForm(msgspec.Struct, forbid_unknown_fields=True):
    connectors: list[str]
    tasks: Numbers


class _WorkerForm(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    connectors: list[str]
    tasks: Numbers


class _ConnectorForm(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    tasks: int


class _MemoryForm(msgspec.Struct, forbid_unknown_fields=True):
    generation: int
    members: list[str]
    assignment: _WorkForm
    revocation: _WorkForm
    candidates: list[str]
    scheduled_rebalance_ms: int
    delay_ms: int
    revoked: bool
    revoking_rounds: int
    may_revoke: bool


class _ClusterForm(msgspec.Struct, forbid_unknown_fields=True):
    connectors: list[_ConnectorForm]
    workers: list[_WorkerForm]
    max_delay_ms: int
    time_ms: int
    generation: int
    last_completed_generation: int
    memory: _MemoryForm


class _AnswerForm(msgspec.Struct, forbid_unknown_fields=True):
    assignment: dict[str, _WorkForm]
    revoked: dict[str, _WorkForm]
    delay_ms: int


def read_group(data: Any) -> Cluster:
    """Make a cluster of the JSON of a fixture; raises InputError naming the field."""
    form = convert_json(data, _ClusterForm)
    told = form.memory
    try:
        memory = Memory(
            told.generation, tuple(told.members), _work(told.assignment), _work(told.revocation), tuple(told.candidates),
            told.scheduled_rebalance_ms, told.delay_ms, told.revoked, told.revoking_rounds, told.may_revoke,
        )  # fmt: skip
        return Cluster(
            tuple(Connector(each.name, each.tasks) for each in form.connectors),
            tuple(Worker(each.id, _work(each)) for each in form.workers),
            form.max_delay_ms, form.time_ms, form.generation, form.last_completed_generation, memory,
        )  # fmt: skip
    except ValueError as wrong:
        raise InputError(str(wrong)) from None


def _work(form: _WorkForm | _WorkerForm) -> Work:
    tasks = (ConnectorTask(name, number) for name, numbers in form.tasks.items() for number in numbers)
    return Work(tuple(form.connectors), tuple(tasks))


def _work_json(work: Work, *, as_sets: bool = False) -> dict[str, Any]:
    tasks: Numbers = {}
    for name, number in sorted(work.tasks) if as_sets else work.tasks:
        tasks.setdefault(name, []).append(number)
    return {"connectors": sorted(work.connectors) if as_sets else list(work.connectors), "tasks": tasks}


def write_group(cluster: Cluster) -> dict[str, Any]:
    """Make the JSON of a cluster, with nothing left to a default."""
    memory = cluster.memory
    return {
        "connectors": [{"name": each.name, "tasks": each.tasks} for each in cluster.connectors],
        "workers": [{"id": each.id, **_work_json(each.work)} for each in cluster.workers],
        "max_delay_ms": cluster.max_delay_ms,
        "time_ms": cluster.time_ms,
        "generation": cluster.generation,
        "last_completed_generation": cluster.last_completed_generation,
        "memory": {
            "generation": memory.generation, "members": list(memory.members),
            "assignment": _work_json(memory.assignment), "revocation": _work_json(memory.revocation),
            "candidates": list(memory.candidates), "scheduled_rebalance_ms": memory.scheduled_rebalance_ms,
            "delay_ms": memory.delay_ms, "revoked": memory.revoked, "revoking_rounds": memory.revoking_rounds,
            "may_revoke": memory.may_revoke,
        },
    }  # fmt: skip


def read_answer(data: Any) -> WorkAssignment:
    """Make an answer of the JSON of a fixture, without what is remembered; raises InputError where it is none."""
    form = convert_json(data, _AnswerForm)
    given, revoked = (
        {name: _work(work) for name, work in each.items()} for each in (form.assignment, form.revoked)
    )
    return WorkAssignment(given, revoked, form.delay_ms)


def write_answer(answer: WorkAssignment) -> dict[str, Any]:
    """Make the JSON of an answer: names and numbers ascending, as sets are compared; who is left out has nothing."""
    given, revoked = (
        {name: _work_json(work, as_sets=True) for name, work in sorted(each.items()) if work.items}
        for each in (answer.workers, answer.revoked)
    )
    return {"assignment": given, "revoked": revoked, "delay_ms": answer.delay_ms}


_OF_ALL = ("existing", "exclusive", "complete", "delay_limited", "given_out_after_delay")
_INCREMENTAL = (
    "revoked_first",
    "kept_or_revoked",
    "revokes_what_runs",
    "delay_honoured",
    "nothing_revoked_while_waiting",
)
"""What only those must keep that leave workers what they run: a cooperative assignor, in the words of other families."""


def broken(cluster: Cluster, answer: WorkAssignment, declared: Declared) -> dict[str, str]:
    """Say by check what an answer breaks, the first thing of each; "" where it keeps it."""
    checks = (*_OF_ALL, *_INCREMENTAL) if declared.cooperative else _OF_ALL
    known = {worker.id for worker in cluster.workers}
    strangers = [name for name, work in answer.workers.items() if work.items and name not in known]
    found = {check: next(INVARIANTS[check](cluster, answer), "") for check in checks}
    return found | ({"existing": f"{strangers[0]} is given something, but is no worker"} if strangers else {})


def _loads(cluster: Cluster, answer: WorkAssignment, part: int) -> list[int]:
    return sorted((len(answer.workers.get(w.id, NOTHING)[part]) for w in cluster.workers), reverse=True)


def values(cluster: Cluster, answer: WorkAssignment) -> dict[str, Value]:
    """Measure an answer at rest, by aim."""
    both = [len(answer.workers.get(worker.id, NOTHING).items) for worker in cluster.workers]
    return {
        "connectors": _loads(cluster, answer, 0),
        "tasks": _loads(cluster, answer, 1),
        "together": max(both) - min(both),
        "of_connector": clustering(cluster, answer),
        "moves": moves(cluster, answer),
        "left_out": sum(worker.id not in answer.workers for worker in cluster.workers),
    }


def may_keep(cluster: Cluster) -> list[dict[str, Any]]:
    """Return who runs each connector and task that is configured; what several run they all have to stop."""
    configured = set(cluster.configured.items)
    return [
        {"item": str(item), "workers": list(workers)}
        for item, workers in sorted(running(cluster).items(), key=lambda each: str(each[0]))
        if item in configured
    ]


def _uneven(number: int, places: int) -> int:
    return int(number % places > 0)


def best(cluster: Cluster) -> Best:
    """Ask the oracles for the best values of a cluster at rest, and for one assignment that has them."""
    found, proof = proved("connect", "balance,moves", cluster, ("connectors", "tasks", "moves"))
    reached = values(cluster, found.assignment)
    workers = len(cluster.workers)
    should: dict[str, Value] = {
        "connectors": reached["connectors"],
        "tasks": reached["tasks"],
        "together": _uneven(len(cluster.configured.items), workers),
        "of_connector": max((_uneven(each.tasks, workers) for each in cluster.connectors), default=0),
        **({"moves": reached["moves"]} if may_keep(cluster) else {}),
        "again": 0,
        "rounds": 9,
        "left_out": 0,
    }
    return Best(should, found.assignment, (proof,))


def renamed(
    answer: WorkAssignment, connectors: Mapping[str, str], workers: Mapping[str, str]
) -> WorkAssignment:
    """Return an answer with other names for connectors and workers; what has none keeps its own."""

    def work(own: Work) -> Work:
        tasks = tuple(
            ConnectorTask(connectors.get(task.connector, task.connector), task.task) for task in own.tasks
        )
        return Work(tuple(connectors.get(name, name) for name in own.connectors), tasks)

    def all_of(works: Iterable[tuple[str, Work]]) -> dict[str, Work]:
        return {workers.get(name, name): work(own) for name, own in works}

    given, revoked = (all_of(works.items()) for works in (answer.workers, answer.revoked))
    return answer._replace(workers=given, revoked=revoked)


_FLAGS: Sequence[str] = (
    "no_tasks", "nothing_configured", "no_delay", "newcomer", "departed", "lost_work", "waiting", "delay_over",
    "candidates_present", "crowded_candidates", "created", "deleted", "forgotten_deletion", "contested", "new_leader", "missed_round",
)  # fmt: skip
_CALM = ("again", "rounds", "left_out", "order", "repeat")

CONNECT = Form(
    family="connect",
    needs={
        "running": lambda cluster: any(worker.work.items for worker in cluster.workers),
        "memory": lambda cluster: cluster.memory != FORGOTTEN,
    },
    flags={name.replace("_", "-"): SITUATIONS[name] for name in _FLAGS},
    read_group=read_group,
    write_group=write_group,
    read_answer=read_answer,
    write_answer=write_answer,
    owners=may_keep,
    musts=(*_OF_ALL, *_INCREMENTAL),
    broken=broken,
    values=values,
    best=best,
    after=lambda cluster, answer: after(cluster, answer, wait_ms=1),
    renamed=renamed,
    exact={"connect/incremental-cooperative": ("3.5.2", "4.3.1"), "connect/eager": ("4.3.1",)},
    declared={
        "connect/incremental-cooperative": Declared(
            ("connectors", "tasks", "moves", *_CALM), cooperative=True
        ),
        "connect/eager": Declared(("together", "of_connector", *_CALM)),
    },
    proved_of=lambda cluster: cluster,
    even=("connectors", "tasks"),
    conditional=frozenset({"moves"}),
    relations=("order", "names", "repeat"),
    proved_aims=("connectors", "tasks", "moves"),
)
