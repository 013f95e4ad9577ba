"""Kafka's own task assignors in a Java machine in this process; needs the package JPype1 and, once, Maven Central."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jpype

from kassay.model.tasks import Application, Client, Given, Task, TaskAssignment, TaskId
from kassay.targets.maven.java_programs import compile_sources, find_java
from kassay.targets.maven.repository import Coordinate, fetch

INTERNAL = "org.apache.kafka.streams.processor.internals.assignment."
PUBLIC = "org.apache.kafka.streams.processor."
PUBLIC_STICKY, PUBLIC_UTILS = "assignment.assignors.StickyTaskAssignor", "assignment.TaskAssignmentUtils"
INTERNAL_CLASSES = {
    "high-availability": "HighAvailabilityTaskAssignor",
    "legacy-sticky": "LegacyStickyTaskAssignor",
    "fallback-prior": "FallbackPriorTaskAssignor",
}
PUBLIC_CLASSES = {
    "sticky": PUBLIC_STICKY,
    "sticky-must-preserve": PUBLIC_STICKY,
    "default-standbys": PUBLIC_UTILS,
}
"""Name of a reference -> Kafka's class."""
RELEASE = "4.3.1"


@cache
def start_java() -> None:
    """Start the Java machine with the newest Kafka Streams.

    All objects get one identity hash: by it the public sticky assignor orders the tasks that it gives standbys.
    """
    jars = [
        Coordinate("org.apache.kafka", "kafka-streams", RELEASE),
        Coordinate("org.apache.kafka", "kafka-clients", RELEASE),
        Coordinate("org.slf4j", "slf4j-api", "1.7.36"),
        Coordinate("org.slf4j", "slf4j-nop", "1.7.36"),
    ]
    ours = compile_sources([Path(__file__).with_name("FixedTopics.java")], jars)
    home = Path(find_java().path).resolve().parents[1]
    (library,) = home.glob("lib/**/libjvm.*")
    same_hash = ("-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2")
    path = [*map(str, map(fetch, jars)), str(ours)]
    jpype.startJVM(str(library), *same_hash, classpath=path, convertStrings=False)


def assignor(name: str) -> Callable[[Application], TaskAssignment]:
    """Return Kafka's assignor of a name, as a function; clients come to it in a map of the given order."""
    start_java()
    if name in INTERNAL_CLASSES:
        return _internal(INTERNAL_CLASSES[name])
    if name == "default-standbys":
        return _default_standbys
    return _public_sticky(must_preserve_active=name == "sticky-must-preserve")


def _internal(name: str) -> Callable[[Application], TaskAssignment]:
    def assign(application: Application) -> TaskAssignment:
        ask, answer = prepared(name, application)
        return answer(ask())

    return assign


def prepared(
    name: str, application: Application
) -> tuple[Callable[[], bool], Callable[[bool], TaskAssignment]]:
    """Return what asks Kafka's internal class once about an application, and what then reads its answer."""
    ids = _ids(application)
    settings = _settings(application)
    same: dict[int, Any] = {}  # the class only reads lags, so clients with one map of them share Java's
    states = {client.id: _state(client, ids, same) for client in application.clients}
    clients = _map((_process(name), state) for name, state in states.items())
    all_ = _set(ids[task.id] for task in application.tasks)
    stateful = _set(ids[task.id] for task in application.tasks if task.stateful)
    racks = _racks(application, ids, settings)
    asked = _new(f"{INTERNAL}{name}")

    def answer(probing: bool) -> TaskAssignment:
        given = {
            client: Given(_tasks(state.activeTasks()), _tasks(state.standbyTasks()))
            for client, state in states.items()
        }
        return TaskAssignment(given, bool(probing))

    return lambda: asked.assign(clients, all_, stateful, racks, settings), answer


def _public_sticky(*, must_preserve_active: bool) -> Callable[[Application], TaskAssignment]:
    def assign(application: Application) -> TaskAssignment:
        sticky = _new(f"{PUBLIC}{PUBLIC_STICKY}", must_preserve_active)
        answer = list(sticky.assign(application_state(application)).assignment())
        given = {str(each.processId().id()): _given(each) for each in answer}
        return TaskAssignment(given, any(each.followupRebalanceDeadline().isPresent() for each in answer))

    return assign


def _default_standbys(application: Application) -> TaskAssignment:
    utils, state = jpype.JClass(f"{PUBLIC}{PUBLIC_UTILS}"), application_state(application)
    clients = utils.identityAssignment(state)
    utils.defaultStandbyTaskAssignment(state, clients)
    return TaskAssignment({str(each.processId().id()): _given(each) for each in clients.values()}, False)


def application_state(application: Application) -> Any:
    """Return an application as assignors that Kafka's public interface allows see it."""
    ids = _ids(application)
    states = _map((_process(client.id), _public_state(client, ids)) for client in application.clients)
    tasks = _map((ids[task.id], _info(application, task, ids[task.id])) for task in application.tasks)
    settings = _settings(application)
    methods = {
        "kafkaStreamsStates": lambda _: states,
        "allTasks": lambda: tasks,
        "assignmentConfigs": lambda: settings,
    }
    return jpype.JProxy(f"{PUBLIC}assignment.ApplicationState", dict=methods)


def _ids(application: Application) -> dict[TaskId, Any]:
    """Make the ids of the tasks that exist, in their order, and of those that clients ran besides."""
    ran = (task for client in application.clients for task in (*client.active, *client.standby))
    every = dict.fromkeys((*(task.id for task in application.tasks), *ran))
    return {task: _new(f"{PUBLIC}TaskId", *task) for task in every}


def _public_state(client: Client, ids: dict[TaskId, Any]) -> Any:
    optional = jpype.JClass("java.util.Optional")
    active, standby = (
        _new("java.util.TreeSet", _set(ids[task] for task in tasks))
        for tasks in (client.active, client.standby)
    )
    return _new(
        f"{INTERNAL}DefaultKafkaStreamsState", _process(client.id), client.threads, _map(client.tags), active, standby,
        _new("java.util.TreeMap"), optional.empty(), optional.empty(), optional.ofNullable(client.rack),
    )  # fmt: skip


def _info(application: Application, task: Task, id_: Any) -> Any:
    """Make what is told of a task; a partition has the racks of its replicas, as far as these have one."""
    racks = {topic.name: topic.racks for topic in application.topics}
    partitions = _set(())
    for partition in dict.fromkeys((*task.inputs, *task.changelogs)):
        listed = partition in task.inputs, partition in task.changelogs
        made = _new(
            f"{INTERNAL}DefaultTaskTopicPartition",
            _new("org.apache.kafka.common.TopicPartition", *partition),
            *listed,
            jpype.JProxy("java.lang.Runnable", dict={"run": lambda: None}),
        )
        of_topic = racks[partition.topic]
        if of_topic is not None:
            made.annotateWithRackIds(_set(rack for rack in of_topic[partition.partition] if rack))
        partitions.add(made)
    return _new(f"{INTERNAL}DefaultTaskInfo", id_, task.stateful, _set(()), partitions)


def _given(assignment: Any) -> Given:
    held: dict[str, list[TaskId]] = {"ACTIVE": [], "STANDBY": []}
    for id_, task in dict(assignment.tasks()).items():
        held[str(task.type().name())].append(TaskId(id_.subtopology(), id_.partition()))
    return Given(tuple(sorted(held["ACTIVE"])), tuple(sorted(held["STANDBY"])))


def _settings(application: Application) -> Any:
    settings = application.settings
    costs = (settings.rack_aware_assignment_traffic_cost, settings.rack_aware_assignment_non_overlap_cost)
    optional = jpype.JClass("java.util.OptionalInt")
    return _new(
        f"{PUBLIC}assignment.AssignmentConfigs", jpype.JLong(settings.acceptable_recovery_lag), settings.max_warmup_replicas,
        settings.num_standby_replicas, jpype.JLong(60_000), _list(settings.rack_aware_assignment_tags),
        *(optional.empty() if cost is None else optional.of(cost) for cost in costs), settings.rack_aware_assignment_strategy,
    )  # fmt: skip


def _state(client: Client, ids: dict[TaskId, Any], same: dict[int, Any]) -> Any:
    long = jpype.JClass("java.lang.Long")
    lags = same.get(id(client.lags))
    if lags is None:
        lags = same[id(client.lags)] = _map(
            (ids[task], long.valueOf(lag)) for task, lag in client.lags.items()
        )
    active, standby = (_set(ids[task] for task in tasks) for tasks in (client.active, client.standby))
    return _new(
        f"{INTERNAL}ClientState",
        active,
        standby,
        lags,
        _map(client.tags),
        client.threads,
        _process(client.id),
    )


def _racks(application: Application, ids: dict[TaskId, Any], settings: Any) -> Any:
    """Make Kafka's rack-aware assignor of the racks of all that tasks read, as far as these are known."""
    nodes: dict[str, Any] = {}
    infos, topics, groups = _list(()), _map(()), _map(())

    def replicas(racks: Sequence[str | None]) -> list[Any]:
        known = [str(rack) for rack in racks]
        return [
            nodes.setdefault(rack, _new("org.apache.kafka.common.Node", len(nodes), rack, 1, rack))
            for rack in known
        ]

    for topic in application.topics:
        told = _list(())
        for number, racks in enumerate(topic.racks or ()):
            if at := replicas(racks):
                array = jpype.JArray(jpype.JClass("org.apache.kafka.common.Node"))(at)
                infos.add(
                    _new("org.apache.kafka.common.PartitionInfo", topic.name, number, at[0], array, array)
                )
                told.add(
                    _new("org.apache.kafka.common.TopicPartitionInfo", number, at[0], _list(at), _list(at))
                )
        if not told.isEmpty():
            topics.put(topic.name, told)
    sources, changelogs = (
        _map(
            (ids[task], _set(_new("org.apache.kafka.common.TopicPartition", *each) for each in its))
            for task, its in read
        )
        for read in (
            [(task.id, task.inputs) for task in application.tasks],
            [(task.id, task.changelogs) for task in application.tasks],
        )
    )
    for task in application.tasks:
        subtopology = _new(f"{PUBLIC}internals.TopologyMetadata$Subtopology", task.id.subtopology, None)
        groups.computeIfAbsent(subtopology, lambda _: _set(())).add(ids[task.id])
    none = jpype.JClass("java.util.Collections").emptySet()
    cluster = _new("org.apache.kafka.common.Cluster", "cluster", _list(nodes.values()), infos, none, none)
    optional = jpype.JClass("java.util.Optional")
    racks_of = _map(
        (_process(c.id), _map([("consumer", optional.ofNullable(c.rack))])) for c in application.clients
    )
    time = jpype.JClass("org.apache.kafka.common.utils.Time").SYSTEM
    return _new(
        f"{INTERNAL}RackAwareTaskAssignor",
        cluster,
        sources,
        changelogs,
        groups,
        racks_of,
        _new("FixedTopics", topics),
        settings,
        time,
    )


def _new(name: str, *arguments: Any) -> Any:
    return jpype.JClass(name)(*arguments)


def _process(name: str) -> Any:
    return _new(f"{PUBLIC}assignment.ProcessId", jpype.JClass("java.util.UUID").fromString(name))


def _tasks(tasks: Any) -> tuple[TaskId, ...]:
    return tuple(TaskId(task.subtopology(), task.partition()) for task in tasks)


def _map(pairs: Any) -> Any:
    made = _new("java.util.HashMap")
    for key, value in pairs:
        made.put(key, value)
    return made


def _set(values: Any) -> Any:
    made = _new("java.util.HashSet")
    for value in values:
        made.add(value)
    return made


def _list(values: Any) -> Any:
    made = _new("java.util.ArrayList")
    for value in values:
        made.add(value)
    return made
