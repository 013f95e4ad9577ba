"""The JSON of Connect clusters and of what their workers are given (connect family; contract.md)."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec

from kassay.errors import InputError
from kassay.model.json_text import convert_json
from kassay.model.partitions_json import built
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
"""How many tasks the connectors of one file may have in all: an assignor looks at each several times, and takes 400 bytes for it."""


class _ConnectorForm(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    tasks: int = 0


class _WorkForm(msgspec.Struct, forbid_unknown_fields=True):
    connectors: list[str] = []
    tasks: list[tuple[str, int]] = []


class _WorkerForm(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    connectors: list[str] = []
    tasks: list[tuple[str, int]] = []


class _ConfigForm(msgspec.Struct, forbid_unknown_fields=True):
    max_delay_ms: int = msgspec.field(name="scheduled.rebalance.max.delay.ms", default=FIVE_MINUTES_MS)


class _MemoryForm(msgspec.Struct, forbid_unknown_fields=True):
    generation: int = FORGOTTEN.generation
    members: list[str] = []
    assignment: _WorkForm = msgspec.field(default_factory=_WorkForm)
    revocation: _WorkForm = msgspec.field(default_factory=_WorkForm)
    candidates: list[str] = []
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
    """What stands beside an assignment; keys that are not known are for others."""

    revoked: dict[str, _WorkForm] = {}
    delay_ms: int = 0
    memory: _MemoryForm = msgspec.field(default_factory=_MemoryForm)


def read_group(data: Any) -> Cluster:
    """Make a cluster of decoded JSON; raises InputError naming the field."""
    form = convert_json(data, _ClusterForm)
    if (tasks := sum(max(0, connector.tasks) for connector in form.connectors)) > MOST_OF_CONNECTORS:
        raise InputError(f"connectors: they have {tasks} tasks; give at most {MOST_OF_CONNECTORS}")
    connectors = [
        built(f"connectors[{n}]", partial(Connector, one.name, one.tasks))
        for n, one in enumerate(form.connectors)
    ]
    workers = [built(f"workers[{n}]", partial(_worker, one)) for n, one in enumerate(form.workers)]
    return built(
        "",
        lambda: Cluster(
            tuple(connectors), tuple(workers), form.config.max_delay_ms, form.time_ms, form.generation,
            form.last_completed_generation, _memory(form.memory),
        ),
    )  # fmt: skip


def write_group(cluster: Cluster) -> dict[str, Any]:
    """Make the JSON of a cluster, without its family; what is empty, forgotten or Kafka's default is left out."""
    memory = _memory_json(cluster.memory)
    usual = cluster.max_delay_ms == FIVE_MINUTES_MS
    return {
        "connectors": [{"name": one.name, "tasks": one.tasks} for one in cluster.connectors],
        "workers": [{"id": one.id} | _filled(one.work) for one in cluster.workers],
        **({} if usual else {"config": {"scheduled.rebalance.max.delay.ms": cluster.max_delay_ms}}),
        "time_ms": cluster.time_ms,
        "generation": cluster.generation,
        "last_completed_generation": cluster.last_completed_generation,
        **({"memory": memory} if memory else {}),
    }


def read_assignment(data: Any) -> WorkAssignment:
    """Make an assignment of decoded JSON, however wrong its content is; raises InputError where its shape is wrong."""
    form = convert_json(data, dict[str, _WorkForm])
    return WorkAssignment({name: _work(given) for name, given in form.items()}, {})


def write_assignment(answer: Any) -> dict[str, Any]:
    """Make the JSON of what workers have after a round; what else is answered stands beside it, see :func:`write_beside`.

    Of code that is judged, a mapping is taken too: worker -> connectors and tasks, as a pair or by these names. Raises
    AttributeError, TypeError or ValueError where it is something else.
    """
    workers = answer.workers if isinstance(answer, WorkAssignment) else answer
    return {name: _work_json(_given(given)) for name, given in workers.items()}


def read_beside(answer: WorkAssignment, data: Mapping[str, Any]) -> WorkAssignment:
    """Add to an assignment what its answer says beside it; raises InputError where that is wrong."""
    form = convert_json(
        {key: data[key] for key in ("revoked", "delay_ms", "memory") if key in data}, _BesideForm
    )
    revoked = {name: _work(work) for name, work in form.revoked.items()}
    memory = built("", partial(_memory, form.memory))
    return answer._replace(revoked=revoked, delay_ms=form.delay_ms, memory=memory)


def write_beside(answer: Any) -> dict[str, Any]:
    """Make what an answer says beside its assignment: what is revoked, the delay, what to remember; nothing where that is usual."""
    if not isinstance(answer, WorkAssignment):
        return {}
    said = {
        "revoked": {name: _work_json(work) for name, work in answer.revoked.items() if work != NOTHING},
        "delay_ms": answer.delay_ms,
        "memory": _memory_json(answer.memory),
    }
    return {key: value for key, value in said.items() if value}


def _given(given: Any) -> Work:
    if isinstance(given, Mapping):
        given = given.get("connectors", ()), given.get("tasks", ())
    connectors, tasks = given
    return Work(tuple(connectors), tuple(ConnectorTask(*task) for task in tasks))


def _worker(form: _WorkerForm) -> Worker:
    return Worker(form.id, _work(form))


def _work(form: _WorkForm | _WorkerForm) -> Work:
    return Work(tuple(form.connectors), tuple(ConnectorTask(*task) for task in form.tasks))


def _work_json(work: Work) -> dict[str, Any]:
    return {"connectors": list(work.connectors), "tasks": [list(task) for task in work.tasks]}


def _filled(work: Work) -> dict[str, Any]:
    return {key: items for key, items in _work_json(work).items() if items}


def _memory(form: _MemoryForm) -> Memory:
    return Memory(
        form.generation, tuple(form.members), _work(form.assignment), _work(form.revocation), tuple(form.candidates),
        form.scheduled_rebalance_ms, form.delay_ms, form.revoked, form.revoking_rounds, form.may_revoke,
    )  # fmt: skip


def _memory_json(memory: Memory) -> dict[str, Any]:
    said = {
        "generation": memory.generation,
        "members": list(memory.members),
        "assignment": _filled(memory.assignment),
        "revocation": _filled(memory.revocation),
        "candidates": list(memory.candidates),
        "scheduled_rebalance_ms": memory.scheduled_rebalance_ms,
        "delay_ms": memory.delay_ms,
        "revoked": memory.revoked,
        "revoking_rounds": memory.revoking_rounds,
        "may_revoke": memory.may_revoke,
    }
    usual = {"generation": FORGOTTEN.generation, "may_revoke": True}
    return {key: value for key, value in said.items() if (value != usual[key] if key in usual else value)}
