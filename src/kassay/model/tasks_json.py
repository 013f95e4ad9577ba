"""The JSON of applications and assignments of tasks (streams family; contract.md)."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

import msgspec

from kassay.errors import InputError
from kassay.model.json_text import convert_json, write_config
from kassay.model.partitions import INT32_MAX, TopicPartition
from kassay.model.partitions_json import TopicForm, built, read_topic, write_topic
from kassay.model.tasks import (
    Application,
    Client,
    Given,
    Settings,
    SubtopologyName,
    Task,
    TaskAssignment,
    TaskId,
    uuid_of,
)

MOST_THREADS = 1_000_000
"""How many threads the clients of one file may have in all: each has a name, and oracles look at each."""
_NUMBER = re.compile(r"[0-9]{1,18}")
"""A number that Python reads at once, of any number of digits that an id can have."""
SETTINGS = {
    "acceptable.recovery.lag": "acceptable_recovery_lag",
    "max.warmup.replicas": "max_warmup_replicas",
    "num.standby.replicas": "num_standby_replicas",
    "rack.aware.assignment.tags": "rack_aware_assignment_tags",
    "rack.aware.assignment.strategy": "rack_aware_assignment_strategy",
    "rack.aware.assignment.traffic_cost": "rack_aware_assignment_traffic_cost",
    "rack.aware.assignment.non_overlap_cost": "rack_aware_assignment_non_overlap_cost",
}
"""Kafka's name of a setting -> its field."""


class _TaskForm(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    stateful: bool = False
    inputs: list[tuple[str, int]] = []
    changelogs: list[tuple[str, int]] = []
    weight: Any = None


class _ClientForm(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    threads: int
    rack: str | None = None
    tags: dict[str, str] = {}
    active: list[str] = []
    standby: list[str] = []
    lags: dict[str, int] = {}
    consumers: dict[str, dict[str, int]] = {}


class _SettingsForm(
    msgspec.Struct, forbid_unknown_fields=True, rename={field: name for name, field in SETTINGS.items()}
):
    acceptable_recovery_lag: int = Settings().acceptable_recovery_lag
    max_warmup_replicas: int = Settings().max_warmup_replicas
    num_standby_replicas: int = Settings().num_standby_replicas
    rack_aware_assignment_tags: list[str] = []
    rack_aware_assignment_strategy: str = Settings().rack_aware_assignment_strategy
    rack_aware_assignment_traffic_cost: int | None = None
    rack_aware_assignment_non_overlap_cost: int | None = None


class _ApplicationForm(msgspec.Struct, forbid_unknown_fields=True):
    tasks: list[_TaskForm]
    clients: list[_ClientForm]
    topics: list[TopicForm] = []
    config: _SettingsForm = msgspec.field(default_factory=_SettingsForm)
    family: str | None = None
    name: str | None = None
    weight_unit: str | None = None


class _GivenForm(msgspec.Struct, forbid_unknown_fields=True):
    active: list[str] = []
    standby: list[str] = []


def read_group(data: Any) -> Application:
    """Make an application of decoded JSON; raises InputError naming the field."""
    form = convert_json(data, _ApplicationForm)
    if (threads := sum(client.threads for client in form.clients)) > MOST_THREADS:
        raise InputError(f"clients: they have {threads} threads in all; give at most {MOST_THREADS}")
    topics = [built(f"topics[{n}]", partial(read_topic, topic)) for n, topic in enumerate(form.topics)]
    tasks = [built(f"tasks[{n}]", partial(_task, task)) for n, task in enumerate(form.tasks)]
    clients = [built(f"clients[{n}]", partial(_client, client)) for n, client in enumerate(form.clients)]
    settings = built("config", partial(_settings, form.config))
    return built(
        "", lambda: Application(tuple(tasks), tuple(clients), settings, tuple(topics), form.weight_unit)
    )


def write_group(application: Application) -> dict[str, Any]:
    """Make the JSON of an application, without its family; what is unknown, empty or Kafka's default is left out."""
    topics = [write_topic(topic) for topic in application.topics]
    return {
        **({"topics": topics} if topics else {}),
        "tasks": [_task_json(task) for task in application.tasks],
        "clients": [_client_json(client) for client in application.clients],
        **write_config(application.settings, SETTINGS),
        **({} if application.weight_unit is None else {"weight_unit": application.weight_unit}),
    }


def read_assignment(data: Any, read: Callable[[str], TaskId] | None = None) -> TaskAssignment:
    """Make an assignment of decoded JSON, however wrong its content is; raises InputError where its shape is wrong.

    `read` makes the id of a task, by default one of numbers alone.
    """
    form = convert_json(data, dict[str, _GivenForm])
    return TaskAssignment(
        {
            name: Given(
                *(
                    read_task_ids(f"{name}.{role}", getattr(given, role), read or read_task_id)
                    for role in Given._fields
                )
            )
            for name, given in form.items()
        },
        probing=False,
    )


def write_assignment(assignment: Any) -> dict[str, Any]:
    """Make the JSON of an assignment; that a probing rebalance is to follow stands beside it, see :func:`write_beside`.

    Of code that is judged, a mapping is taken too: client -> active and standby tasks, as a pair or by these names, each task as
    its two numbers or as text. Raises AttributeError, TypeError or ValueError where it is something else.
    """
    clients = assignment.clients if isinstance(assignment, TaskAssignment) else assignment
    return {
        name: {role: list(map(task_text, tasks)) for role, tasks in _given(given)._asdict().items()}
        for name, given in clients.items()
    }


def _given(given: Any) -> Given:
    return (
        Given(given.get("active", ()), given.get("standby", ()))
        if isinstance(given, Mapping)
        else Given(*given)
    )


def task_text(task: Any) -> str:
    """Write a task that code which is judged gave: text, or its two numbers."""
    return task if isinstance(task, str) else str(TaskId(*task))


def read_beside(assignment: TaskAssignment, answer: Mapping[str, Any]) -> TaskAssignment:
    """Add to an assignment what its answer says beside it; raises InputError where that is wrong."""
    probing = answer.get("probing", False)
    if not isinstance(probing, bool):
        raise InputError(
            f"probing: {probing!r}; give true where a probing rebalance is to follow, or leave it out"
        )
    return assignment._replace(probing=probing)


def write_beside(assignment: Any) -> dict[str, Any]:
    """Make what an answer says beside its assignment: that a probing rebalance is to follow."""
    return {"probing": True} if isinstance(assignment, TaskAssignment) and assignment.probing else {}


def read_task_id(text: str) -> TaskId:
    """Make a task's id of text such as ``0_3``; raises ValueError saying what belongs there."""
    subtopology, _, partition = text.partition("_")
    if not (_NUMBER.fullmatch(subtopology) and _NUMBER.fullmatch(partition)):
        raise ValueError(
            f"{text!r} is no task; write its subtopology and its partition, such as 0_3 (named topologies are not known)"
        )
    return TaskId(int(subtopology), int(partition))


def read_named_task_id(text: str) -> TaskId:
    """Make the id of a task whose subtopology may be any text, such as ``counts_3``; raises ValueError saying what belongs there."""
    subtopology, sign, partition = text.rpartition("_")
    if not (sign and _NUMBER.fullmatch(partition) and int(partition) <= INT32_MAX):
        raise ValueError(f"{text!r} is no task; write its subtopology and its partition, such as 0_3")
    return TaskId(subtopology_id(subtopology), int(partition))


def subtopology_id(text: str) -> int:
    """Return the number that a text is as Kafka Streams writes one; any other text is a name, which stands where a number may."""
    if _NUMBER.fullmatch(text) and text == str(int(text)) and int(text) <= INT32_MAX:
        return int(text)
    return cast("int", SubtopologyName(text))


def read_task_ids(
    path: str, texts: list[str], read: Callable[[str], TaskId] = read_task_id
) -> tuple[TaskId, ...]:
    """Make the ids of several tasks; raises InputError naming the path."""
    try:
        return tuple(map(read, texts))
    except ValueError as wrong:
        raise InputError(f"{path}: {wrong}") from None


def task_in_field(name: str, text: str, read: Callable[[str], TaskId] = read_task_id) -> TaskId:
    """Make a task's id of the text in a field; raises ValueError naming the field."""
    try:
        return read(text)
    except ValueError as wrong:
        raise ValueError(f"{name}: {wrong}") from None


def _task(form: _TaskForm) -> Task:
    inputs, changelogs = (
        tuple(TopicPartition(*partition) for partition in read) for read in (form.inputs, form.changelogs)
    )
    return Task(task_in_field("id", form.id), form.stateful, inputs, changelogs, form.weight)


def _client(form: _ClientForm) -> Client:
    uuid_of(form.id)
    active, standby = (
        tuple(task_in_field(role, task) for task in getattr(form, role)) for role in ("active", "standby")
    )
    lags = {task_in_field("lags", task): lag for task, lag in form.lags.items()}
    consumers = {
        name: {task_in_field("consumers", task): offsets for task, offsets in sums.items()}
        for name, sums in form.consumers.items()
    }
    return Client(
        form.id, form.threads, active, standby, lags, tuple(form.tags.items()), form.rack, consumers
    )


def _settings(form: _SettingsForm) -> Settings:
    fields = {field: getattr(form, field) for field in SETTINGS.values()}
    return Settings(**fields | {"rack_aware_assignment_tags": tuple(form.rack_aware_assignment_tags)})


def _task_json(task: Task) -> dict[str, Any]:
    optional = {
        "stateful": task.stateful,
        "inputs": [list(partition) for partition in task.inputs],
        "changelogs": [list(partition) for partition in task.changelogs],
    }
    weighed = {} if task.weight is None else {"weight": task.weight}
    return {"id": str(task.id)} | {name: value for name, value in optional.items() if value} | weighed


def _client_json(client: Client) -> dict[str, Any]:
    optional = {
        "rack": client.rack,
        "tags": dict(client.tags) or None,
        "active": list(map(str, client.active)) or None,
        "standby": list(map(str, client.standby)) or None,
        "lags": {str(task): lag for task, lag in client.lags.items()} or None,
        "consumers": {
            name: {str(task): offsets for task, offsets in sums.items()}
            for name, sums in client.consumers.items()
        }
        or None,
    }
    return {"id": client.id, "threads": client.threads} | {
        name: value for name, value in optional.items() if value is not None
    }
