"""The JSON of applications and assignments of tasks (streams family; contract.md)."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

import msgspec

from kassay.errors import InputError
from kassay.model.json_text import build_fields, build_part, convert_json, map_keys, write_fields
from kassay.model.partitions import INT32_MAX, TopicPartition
from kassay.model.partitions_json import TopicForm, read_topic, write_topic
from kassay.model.tasks import (
    Application,
    Client,
    Given,
    Settings,
    SubtopologyName,
    Task,
    TaskAssignment,
    TaskId,
    parse_uuid,
)

MOST_THREADS = 1_000_000
"""The most threads of all clients of a file: each has a name, and oracles look at each."""
_NUMBER = re.compile(r"[0-9]{1,18}")
"""A number that fits an id."""


def format_setting_key(field: str) -> str:
    """Return Kafka's name of a setting of Kafka Streams. The names of the two costs contain an underscore."""
    return field.replace("_", ".").replace(".cost", "_cost").replace("non.overlap", "non_overlap")


class _TaskForm(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    stateful: bool = False
    inputs: tuple[TopicPartition, ...] = ()
    changelogs: tuple[TopicPartition, ...] = ()
    weight: Any = None


class _ClientForm(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    threads: int
    rack: str | None = None
    tags: dict[str, str] = {}
    active: tuple[str, ...] = ()
    standby: tuple[str, ...] = ()
    lags: dict[str, int] = {}
    consumers: dict[str, dict[str, int]] = {}


class SettingsForm(msgspec.Struct, forbid_unknown_fields=True, rename=format_setting_key):
    """The settings as people write them, by Kafka's names."""

    acceptable_recovery_lag: int = Settings().acceptable_recovery_lag
    max_warmup_replicas: int = Settings().max_warmup_replicas
    num_standby_replicas: int = Settings().num_standby_replicas
    rack_aware_assignment_tags: tuple[str, ...] = ()
    rack_aware_assignment_strategy: str = Settings().rack_aware_assignment_strategy
    rack_aware_assignment_traffic_cost: int | None = None
    rack_aware_assignment_non_overlap_cost: int | None = None


SETTINGS = map_keys(SettingsForm)
"""Kafka's name of a setting -> its field."""


class _ApplicationForm(msgspec.Struct, forbid_unknown_fields=True):
    tasks: list[_TaskForm]
    clients: list[_ClientForm]
    topics: list[TopicForm] = []
    config: SettingsForm = msgspec.field(default_factory=SettingsForm)
    family: str | None = None
    name: str | None = None
    weight_unit: str | None = None


class _GivenForm(msgspec.Struct, forbid_unknown_fields=True):
    active: tuple[str, ...] = ()
    standby: tuple[str, ...] = ()


def read_group(data: Any) -> Application:
    """Return the application of decoded JSON; raises InputError naming the field."""
    form = convert_json(data, _ApplicationForm)
    if (threads := sum(client.threads for client in form.clients)) > MOST_THREADS:
        raise InputError(f"clients: they have {threads} threads in all. Give at most {MOST_THREADS}")
    topics = [build_part(f"topics[{n}]", partial(read_topic, topic)) for n, topic in enumerate(form.topics)]
    tasks = [build_part(f"tasks[{n}]", partial(_read_task, task)) for n, task in enumerate(form.tasks)]
    clients = [
        build_part(f"clients[{n}]", partial(_read_client, client)) for n, client in enumerate(form.clients)
    ]
    settings = build_part("config", partial(build_fields, Settings, form.config))
    return build_part(
        "", lambda: Application(tuple(tasks), tuple(clients), settings, tuple(topics), form.weight_unit)
    )


def write_group(application: Application) -> dict[str, Any]:
    """Return the JSON of an application, without its family; what is unknown, empty or Kafka's default is left out."""
    topics = [write_topic(topic) for topic in application.topics]
    config = write_fields(SettingsForm, application.settings)
    return {
        **({"topics": topics} if topics else {}),
        "tasks": [
            write_fields(
                _TaskForm,
                task,
                id=str(task.id),
                inputs=tuple(map(list, task.inputs)),
                changelogs=tuple(map(list, task.changelogs)),
            )
            for task in application.tasks
        ],
        "clients": [write_client(client) for client in application.clients],
        **({"config": config} if config else {}),
        **({} if application.weight_unit is None else {"weight_unit": application.weight_unit}),
    }


def write_client(client: Client, *, whole: bool = False) -> dict[str, Any]:
    """Return the JSON of a client, with all fields if `whole`."""
    return write_fields(
        _ClientForm,
        client,
        whole=whole,
        tags=dict(client.tags),
        active=tuple(map(str, client.active)),
        standby=tuple(map(str, client.standby)),
        lags=write_numbers(client.lags),
        consumers={name: write_numbers(sums) for name, sums in client.consumers.items()},
    )


def write_numbers(numbers: Mapping[TaskId, int]) -> dict[str, int]:
    """Return the JSON of numbers by task."""
    return {str(task): number for task, number in numbers.items()}


def read_assignment(data: Any, read: Callable[[str], TaskId] | None = None) -> TaskAssignment:
    """Return the assignment of decoded JSON, also a wrong one; raises InputError if its form is wrong.

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
    """Return the JSON of an assignment, without the probing rebalance that may follow, see :func:`write_beside`.

    Code under test may also return a mapping from clients to active and standby tasks, as a pair or by these names.
    A task is then a pair of numbers or text. Raises AttributeError, TypeError or ValueError for anything else.
    """
    clients = assignment.clients if isinstance(assignment, TaskAssignment) else assignment
    return {name: write_roles(Given, ("active", "standby"), given) for name, given in clients.items()}


def write_roles(kind: Callable[..., Any], roles: Sequence[str], given: Any) -> dict[str, list[str]]:
    """Return the JSON of the tasks of one client or member: a mapping by role, or one collection for each role."""
    if isinstance(given, Mapping):
        given = [given.get(role, ()) for role in roles]
    return {
        role: [task if isinstance(task, str) else str(TaskId(*task)) for task in tasks]
        for role, tasks in kind(*given)._asdict().items()
    }


def read_beside(assignment: TaskAssignment, answer: Mapping[str, Any]) -> TaskAssignment:
    """Add the other fields of an answer to its assignment; raises InputError if they are wrong."""
    probing = answer.get("probing", False)
    if not isinstance(probing, bool):
        raise InputError(
            f"probing: {probing!r}. Give true if a probing rebalance should follow, or leave it out"
        )
    return assignment._replace(probing=probing)


def write_beside(assignment: Any) -> dict[str, Any]:
    """Return the JSON of the other fields of an answer: that a probing rebalance is to follow."""
    return {"probing": True} if isinstance(assignment, TaskAssignment) and assignment.probing else {}


def read_task_id(text: str) -> TaskId:
    """Make a task's id of text such as ``0_3``; raises ValueError saying what belongs there."""
    subtopology, _, partition = text.partition("_")
    if not (_NUMBER.fullmatch(subtopology) and _NUMBER.fullmatch(partition)):
        raise ValueError(
            f"{text!r} is no task. Write its subtopology and its partition, such as 0_3 (named topologies are not known)"
        )
    return TaskId(int(subtopology), int(partition))


def read_named_task_id(text: str) -> TaskId:
    """Make the id of a task whose subtopology may be any text, such as ``counts_3``; raises ValueError saying what belongs there."""
    subtopology, sign, partition = text.rpartition("_")
    if not (sign and _NUMBER.fullmatch(partition) and int(partition) <= INT32_MAX):
        raise ValueError(f"{text!r} is no task. Write its subtopology and its partition, such as 0_3")
    return TaskId(parse_subtopology(subtopology), int(partition))


def parse_subtopology(text: str) -> int:
    """Return the number that a text is as Kafka Streams writes one; any other text is a name, which stands where a number may."""
    if _NUMBER.fullmatch(text) and text == str(int(text)) and int(text) <= INT32_MAX:
        return int(text)
    return cast("int", SubtopologyName(text))


def read_task_ids(
    path: str, texts: Sequence[str], read: Callable[[str], TaskId] = read_task_id
) -> tuple[TaskId, ...]:
    """Make the ids of several tasks; raises InputError naming the path."""
    try:
        return tuple(map(read, texts))
    except ValueError as wrong:
        raise InputError(f"{path}: {wrong}") from None


def read_field_task(name: str, text: str, read: Callable[[str], TaskId] = read_task_id) -> TaskId:
    """Make a task's id of the text in a field; raises ValueError naming the field."""
    try:
        return read(text)
    except ValueError as wrong:
        raise ValueError(f"{name}: {wrong}") from None


def _read_task(form: _TaskForm) -> Task:
    return build_fields(Task, form, id=read_field_task("id", form.id))


def _read_client(form: _ClientForm) -> Client:
    parse_uuid(form.id)
    active, standby = (
        tuple(read_field_task(role, task) for task in getattr(form, role)) for role in ("active", "standby")
    )
    lags = {read_field_task("lags", task): lag for task, lag in form.lags.items()}
    consumers = {
        name: {read_field_task("consumers", task): offsets for task, offsets in sums.items()}
        for name, sums in form.consumers.items()
    }
    tags = tuple(form.tags.items())
    return build_fields(
        Client, form, active=active, standby=standby, lags=lags, tags=tags, consumers=consumers
    )
