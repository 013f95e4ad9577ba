"""Applications: tasks, clients, topics and settings from choices and settings of the generator."""

from collections.abc import Sequence
from dataclasses import replace

from kassay.model.partitions import Topic
from kassay.model.tasks import Application, Client, Task, TaskId
from kassay.model.tasks import Settings as Config
from kassay.properties.choices import Choices
from kassay.properties.partitions.generating.names import member_ids, rack_names
from kassay.properties.partitions.generating.racks import homes
from kassay.properties.settings import Settings
from kassay.properties.tasks.generating.events import events
from kassay.properties.tasks.generating.history import HISTORY
from kassay.properties.tasks.generating.past import LOGS, Held, Scene
from kassay.properties.tasks.generating.processes import client_ids, consumer_ids, tags, threads
from kassay.properties.tasks.generating.settings import RECOVERY
from kassay.properties.tasks.generating.topology import topology
from kassay.properties.tasks.timelines import Timeline

COSTS = (None, 0, 1, 10)
"""The costs that are set where any are."""
HUGE = (2**31 - 1, 2**30)
"""The costs of traffic that two partitions across racks take beyond 32 bits."""


def timeline(choices: Choices, settings: Settings) -> Timeline:
    """Generate an application and what happens to it."""
    start = application(choices, settings)
    return Timeline(start, events(choices, start, settings.number(choices, "churn")))


def application(choices: Choices, settings: Settings) -> Application:
    """Generate an application."""
    names, racks_are = settings.kind(choices, "names"), settings.kind(choices, "known_racks")
    number = settings.number(choices, "clients")
    counts = threads(choices, settings, number)
    racks = [] if racks_are == "none" else rack_names(settings.number(choices, "racks"), hostile=False)
    hostile = names == "hostile"
    tasks, topics = topology(choices, settings, sum(counts), racks, hostile=hostile)
    live = homes(choices, settings, racks, number)
    if racks_are == "some clients":
        unknown = set(choices.part(range(number)))
        live = [None if at in unknown else home for at, home in enumerate(live)]
    elif racks_are == "some topics":
        topics = _partly_unknown(choices, topics)
    tagged, asked = tags(choices, settings, number)
    config = _config(choices, settings, asked)
    scene = _scene(choices, tasks, counts, config)
    held = HISTORY[settings.kind(choices, "history")](choices, scene)
    reporting = settings.kind(choices, "consumers")
    named = [] if reporting == "none" else member_ids(choices, sum(counts), hostile=hostile)
    consumers = consumer_ids(named, counts)
    clients = [
        Client(
            name, counts[at], tuple(sorted(held[at].active)), tuple(sorted(held[at].standby)),
            held[at].lags, tagged[at], live[at], _sums(consumers[at], held[at], scene, empty=reporting == "empty"),
        )
        for at, name in enumerate(client_ids(choices, names, number))
    ]  # fmt: skip
    order = settings.kind(choices, "order")
    if order in {"clients", "shuffled"}:
        clients = choices.shuffled(clients)
    if order in {"tasks", "shuffled"}:
        tasks, topics = choices.shuffled(tasks), choices.shuffled(topics)
    if settings.odd(choices, "huge costs"):
        config = replace(config, rack_aware_assignment_traffic_cost=choices.pick(HUGE))
    return Application(tuple(tasks), tuple(clients), config, tuple(topics))


def size(application: Application) -> tuple[int, int, int]:
    """Count clients, threads and tasks."""
    return (
        len(application.clients),
        sum(client.threads for client in application.clients),
        len(application.tasks),
    )


def _partly_unknown(choices: Choices, topics: list[Topic]) -> list[Topic]:
    """Let the racks of some topics be unknown, or that of one replica in each."""
    unknown = set(choices.part(range(len(topics))))
    whole = choices.below(2) == 0
    return [_less_known(topic, whole=whole) if at in unknown else topic for at, topic in enumerate(topics)]


def _less_known(topic: Topic, *, whole: bool) -> Topic:
    if whole or topic.racks is None:
        return replace(topic, racks=None)
    return replace(topic, racks=((None, *topic.racks[0][1:]), *topic.racks[1:]))


def _config(choices: Choices, settings: Settings, asked: tuple[str, ...]) -> Config:
    acceptable = RECOVERY[settings.kind(choices, "recovery")]
    warmups, standbys = settings.number(choices, "warmups"), settings.number(choices, "standbys")
    strategy = settings.kind(choices, "strategy")
    costs = [choices.pick(COSTS) if settings.odd(choices, "costs") else None for _ in range(2)]
    return Config(acceptable, warmups, standbys, asked, strategy, *costs)


def _scene(choices: Choices, tasks: Sequence[Task], counts: Sequence[int], config: Config) -> Scene:
    return Scene(
        {task.id: choices.pick(LOGS) for task in tasks if task.stateful},
        [task.id for task in tasks if not task.stateful],
        counts,
        config.num_standby_replicas,
        config.acceptable_recovery_lag,
    )


def _sums(names: Sequence[str], held: Held, scene: Scene, *, empty: bool) -> dict[str, dict[TaskId, int]]:
    """Give the tasks that a client ran to its consumers in turn, with the offset sums that these report."""
    tasks = [] if empty else [*sorted(held.active), *sorted(held.standby)]
    return {
        name: {task: held.offset_sum(task, scene.logs) for task in tasks[at :: len(names)]}
        for at, name in enumerate(names)
    }
