"""The JSON of Connect clusters and of their assignments (connect family)."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec

from kassay.errors import InputError
from kassay.model.json_text import build_fields, build_part, convert_json, write_fields
from kassay.model.workers import (
    FIVE_MINUTES_MS,
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

MOST_OF_CONNECTORS = 1_000_000
"""The most tasks of all connectors of a file: an assignor looks at each several times, and needs 400 bytes for it."""


class _ConnectorForm(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    tasks: int = 0


class _WorkForm(msgspec.Struct, forbid_unknown_fields=True):
    connectors: tuple[str, ...] = ()
    tasks: tuple[ConnectorTask, ...] = ()


class _WorkerForm(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    connectors: tuple[str, ...] = ()
    tasks: tuple[ConnectorTask, ...] = ()


class _ConfigForm(msgspec.Struct, forbid_unknown_fields=True):
    max_delay_ms: int = msgspec.field(name="scheduled.rebalance.max.delay.ms", default=FIVE_MINUTES_MS)


class _MemoryForm(msgspec.Struct, forbid_unknown_fields=True):
    generation: int = FORGOTTEN.generation
    members: tuple[str, ...] = ()
    assignment: _WorkForm = msgspec.field(default_factory=_WorkForm)
    revocation: _WorkForm = msgspec.field(default_factory=_WorkForm)
    candidates: tuple[str, ...] = ()
    scheduled_rebalance_ms: int = 0
    delay_ms: int = 0
    revoked: bool = False
    revoking_rounds: int = 0
    may_revoke: bool = True


class _ClusterForm(msgspec.Struct, forbid_unknown_fields=True):
    connectors: list[_ConnectorForm]
    workers: list[_WorkerForm]
    config: _ConfigForm = msgspec.field(default_factory=_ConfigForm)
    time_ms: int = 0
    generation: int = 1
    last_completed_generation: int = 0
    memory: _MemoryForm = msgspec.field(default_factory=_MemoryForm)
    family: str | None = None
    name: str | None = None


class _BesideForm(msgspec.Struct):
    """The further fields of an answer. Other readers may know further keys."""

    revoked: dict[str, _WorkForm] = {}
    delay_ms: int = 0
    memory: _MemoryForm = msgspec.field(default_factory=_MemoryForm)


def read_group(data: Any) -> Cluster:
    """Return the cluster of decoded JSON; raises InputError naming the field."""
    form = convert_json(data, _ClusterForm)
    if (tasks := sum(max(0, connector.tasks) for connector in form.connectors)) > MOST_OF_CONNECTORS:
        raise InputError(f"connectors: they have {tasks} tasks. Give at most {MOST_OF_CONNECTORS}")
    connectors = [
        build_part(f"connectors[{n}]", partial(build_fields, Connector, one))
        for n, one in enumerate(form.connectors)
    ]
    workers = [
        build_part(f"workers[{n}]", partial(Worker, one.id, Work(one.connectors, one.tasks)))
        for n, one in enumerate(form.workers)
    ]
    return build_part(
        "",
        lambda: Cluster(
            tuple(connectors), tuple(workers), form.config.max_delay_ms, form.time_ms, form.generation,
            form.last_completed_generation, _read_memory(form.memory),
        ),
    )  # fmt: skip


def write_group(cluster: Cluster) -> dict[str, Any]:
    """Return the JSON of a cluster without its family; empty fields and Kafka's defaults are left out."""
    memory = _write_memory(cluster.memory)
    config = write_fields(_ConfigForm, cluster)
    return {
        "connectors": [{"name": one.name, "tasks": one.tasks} for one in cluster.connectors],
        "workers": [{"id": one.id} | _write_filled(one.work) for one in cluster.workers],
        **({"config": config} if config else {}),
        "time_ms": cluster.time_ms,
        "generation": cluster.generation,
        "last_completed_generation": cluster.last_completed_generation,
        **({"memory": memory} if memory else {}),
    }


def read_assignment(data: Any) -> WorkAssignment:
    """Return the assignment of decoded JSON, also a wrong one; raises InputError if its form is wrong."""
    form = convert_json(data, dict[str, _WorkForm])
    return WorkAssignment({name: _read_work(given) for name, given in form.items()}, {})


def write_assignment(answer: Any) -> dict[str, Any]:
    """Return the JSON of the work of each worker after a round, without the further fields of :func:`write_beside`.

    Code under test may also return a mapping from workers to connectors and tasks, as a pair or by these names. Raises
    AttributeError, TypeError or ValueError for anything else.
    """
    workers = answer.workers if isinstance(answer, WorkAssignment) else answer
    return {name: _write_work(_take_work(given)) for name, given in workers.items()}


def _take_work(given: Any) -> Work:
    """Return the work of a mapping or of a pair of connectors and tasks."""
    if isinstance(given, Mapping):
        given = given.get("connectors", ()), given.get("tasks", ())
    connectors, tasks = given
    return Work(tuple(connectors), tuple(ConnectorTask(*task) for task in tasks))


def read_beside(answer: WorkAssignment, data: Mapping[str, Any]) -> WorkAssignment:
    """Add the other fields of an answer to its assignment; raises InputError if they are wrong."""
    form = convert_json(
        {key: data[key] for key in ("revoked", "delay_ms", "memory") if key in data}, _BesideForm
    )
    revoked = {name: _read_work(work) for name, work in form.revoked.items()}
    memory = build_part("", partial(_read_memory, form.memory))
    return answer._replace(revoked=revoked, delay_ms=form.delay_ms, memory=memory)


def write_beside(answer: Any) -> dict[str, Any]:
    """Return the further fields of an answer that differ from the default: revoked work, the delay, and the state to keep."""
    if not isinstance(answer, WorkAssignment):
        return {}
    said = {
        "revoked": {name: _write_work(work) for name, work in answer.revoked.items() if work != NOTHING},
        "delay_ms": answer.delay_ms,
        "memory": _write_memory(answer.memory),
    }
    return {key: value for key, value in said.items() if value}


def _read_work(form: _WorkForm) -> Work:
    return Work(form.connectors, form.tasks)


def _write_work(work: Work) -> dict[str, Any]:
    return {"connectors": list(work.connectors), "tasks": [list(task) for task in work.tasks]}


def _write_filled(work: Work) -> dict[str, Any]:
    return {key: items for key, items in _write_work(work).items() if items}


def _read_memory(form: _MemoryForm) -> Memory:
    assignment, revocation = _read_work(form.assignment), _read_work(form.revocation)
    return build_fields(Memory, form, assignment=assignment, revocation=revocation)


def _write_memory(memory: Memory) -> dict[str, Any]:
    # The default of the form stands for no work, so that it is left out.
    assignment, revocation = (
        _write_filled(work) or _WorkForm() for work in (memory.assignment, memory.revocation)
    )
    return write_fields(_MemoryForm, memory, assignment=assignment, revocation=revocation)
