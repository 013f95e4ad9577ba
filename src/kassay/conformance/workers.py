"""Fixtures of Connect clusters: their JSON, the musts of every answer, and the best values."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from kassay.conformance.fixture_writer import find_proven_answer
from kassay.conformance.fixtures import Best, Declared, Form, Value, check_musts
from kassay.model.json_text import build_fields, build_part, convert_json, write_fields
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
from kassay.properties.workers.timelines import apply_answer

Numbers = dict[str, list[int]]


class _WorkForm(msgspec.Struct, forbid_unknown_fields=True):
    connectors: tuple[str, ...]
    tasks: Numbers


class _WorkerForm(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    connectors: tuple[str, ...]
    tasks: Numbers


class _ConnectorForm(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    tasks: int


class _MemoryForm(msgspec.Struct, forbid_unknown_fields=True):
    generation: int
    members: tuple[str, ...]
    assignment: _WorkForm
    revocation: _WorkForm
    candidates: tuple[str, ...]
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


def _read_group(data: Any) -> Cluster:
    """Read a cluster from the JSON of a fixture; raise InputError with the field."""
    form = convert_json(data, _ClusterForm)

    def build() -> Cluster:
        assignment, revocation = _read_work(form.memory.assignment), _read_work(form.memory.revocation)
        memory = build_fields(Memory, form.memory, assignment=assignment, revocation=revocation)
        connectors = tuple(Connector(each.name, each.tasks) for each in form.connectors)
        workers = tuple(Worker(each.id, _read_work(each)) for each in form.workers)
        return build_fields(Cluster, form, connectors=connectors, workers=workers, memory=memory)

    return build_part("", build)


def _read_work(form: _WorkForm | _WorkerForm) -> Work:
    tasks = (ConnectorTask(name, number) for name, numbers in form.tasks.items() for number in numbers)
    return Work(form.connectors, tuple(tasks))


def _write_work(work: Work) -> dict[str, Any]:
    tasks: Numbers = {}
    for name, number in work.tasks:
        tasks.setdefault(name, []).append(number)
    return {"connectors": list(work.connectors), "tasks": tasks}


def _write_group(cluster: Cluster) -> dict[str, Any]:
    """Return the JSON of a cluster without defaults."""
    memory = write_fields(
        _MemoryForm,
        cluster.memory,
        assignment=_write_work(cluster.memory.assignment),
        revocation=_write_work(cluster.memory.revocation),
    )
    connectors = [{"name": each.name, "tasks": each.tasks} for each in cluster.connectors]
    workers = [{"id": each.id, **_write_work(each.work)} for each in cluster.workers]
    return write_fields(_ClusterForm, cluster, connectors=connectors, workers=workers, memory=memory)


def _read_answer(data: Any) -> WorkAssignment:
    """Read an answer from the JSON of a fixture, without the leader's memory; raise InputError if it is wrong."""
    form = convert_json(data, _AnswerForm)
    given, revoked = (
        {name: _read_work(work) for name, work in each.items()} for each in (form.assignment, form.revoked)
    )
    return WorkAssignment(given, revoked, form.delay_ms)


def _write_answer(answer: WorkAssignment) -> dict[str, Any]:
    """Return the JSON of an answer with ascending names and numbers, because sets are compared; leave out idle workers."""
    given, revoked = (
        {
            name: _write_work(Work(tuple(sorted(work.connectors)), tuple(sorted(work.tasks))))
            for name, work in sorted(each.items())
            if work.items
        }
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
"""The musts of an assignor that does not stop all workers, called cooperative in other families."""


def _find_broken(cluster: Cluster, answer: WorkAssignment, declared: Declared) -> dict[str, str]:
    """Return the first violation of each check by an answer, "" if there is none."""
    return check_musts(
        {name: INVARIANTS[name] for name in (*_OF_ALL, *(_INCREMENTAL if declared.cooperative else ()))},
        cluster,
        answer,
        {name: bool(work.items) for name, work in answer.workers.items()},
        {worker.id for worker in cluster.workers},
        "worker",
    )


def _measure(cluster: Cluster, answer: WorkAssignment) -> dict[str, Value]:
    """Return the measures of the converged answer by aim."""
    given = [answer.workers.get(worker.id, NOTHING) for worker in cluster.workers]
    both = [len(work.items) for work in given]
    return {
        "connectors": sorted((len(work.connectors) for work in given), reverse=True),
        "tasks": sorted((len(work.tasks) for work in given), reverse=True),
        "together": max(both) - min(both),
        "of_connector": clustering(cluster, answer),
        "moves": moves(cluster, answer),
        "left_out": sum(worker.id not in answer.workers for worker in cluster.workers),
    }


def _list_owners(cluster: Cluster) -> list[dict[str, Any]]:
    """Return the workers that run each configured connector and task; several workers of one must all stop it."""
    configured = set(cluster.configured.items)
    return [
        {"item": str(item), "workers": list(workers)}
        for item, workers in sorted(running(cluster).items(), key=lambda each: str(each[0]))
        if item in configured
    ]


def _find_best(cluster: Cluster) -> Best:
    """Return the best values of a converged cluster, with an optimal assignment and its proof."""
    found, proof = find_proven_answer("connect", "balance,moves", cluster, ("connectors", "tasks", "moves"))
    reached = _measure(cluster, found.assignment)
    workers = len(cluster.workers)
    should: dict[str, Value] = {
        "connectors": reached["connectors"],
        "tasks": reached["tasks"],
        # The minimum is 1 if the items cannot be divided equally among the workers.
        "together": int(len(cluster.configured.items) % workers > 0),
        "of_connector": max((int(each.tasks % workers > 0) for each in cluster.connectors), default=0),
        **({"moves": reached["moves"]} if _list_owners(cluster) else {}),
        "again": 0,
        "rounds": 9,
        "left_out": 0,
    }
    return Best(should, found.assignment, (proof,))


def _rename(
    answer: WorkAssignment, connectors: Mapping[str, str], workers: Mapping[str, str]
) -> WorkAssignment:
    """Return an answer with new names of connectors and workers; names without a new one stay."""

    def rename_all(works: Mapping[str, Work]) -> dict[str, Work]:
        return {
            workers.get(name, name): Work(
                tuple(connectors.get(connector, connector) for connector in work.connectors),
                tuple(
                    ConnectorTask(connectors.get(task.connector, task.connector), task.task)
                    for task in work.tasks
                ),
            )
            for name, work in works.items()
        }

    return answer._replace(workers=rename_all(answer.workers), revoked=rename_all(answer.revoked))


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
    read_group=_read_group,
    write_group=_write_group,
    read_answer=_read_answer,
    write_answer=_write_answer,
    owners=_list_owners,
    musts=(*_OF_ALL, *_INCREMENTAL),
    broken=_find_broken,
    values=_measure,
    best=_find_best,
    after=lambda cluster, answer: apply_answer(cluster, answer, wait_ms=1),
    renamed=_rename,
    exact={"connect/incremental-cooperative": ("3.5.2", "4.3.1"), "connect/eager": ("4.3.1",)},
    declared={
        "connect/incremental-cooperative": Declared(
            ("connectors", "tasks", "moves", *_CALM), cooperative=True
        ),
        "connect/eager": Declared(("together", "of_connector", *_CALM)),
    },
    even=("connectors", "tasks"),
    conditional=frozenset({"moves"}),
    relations=("order", "names", "repeat"),
    proved_aims=("connectors", "tasks", "moves"),
)
