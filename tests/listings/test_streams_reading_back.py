"""An application, printed as Kafka's tools print its consumer group, is imported as that application."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from hypothesis import given, settings
from hypothesis import strategies as st
from listings.listing_layouts import Cluster, Consumer, members_2_4, members_4_0, offsets, topics_4_0
from whole import share

from kassay.listings.applications import Details, read_applications
from kassay.listings.topologies import read_end_offsets, read_settings
from kassay.model import Topic, TopicPartition
from kassay.model.tasks import RUNNING, UNKNOWN, Application, Client, Settings, Task, TaskId
from kassay.model.tasks_json import read_group, write_group
from kassay.reference.java.strings import name_uuid

RACKS = {0: "a", 1: "b", 2: None}
LAYOUTS = [members_2_4, members_4_0, offsets]


@dataclass(frozen=True)
class Running:
    """An application as it is, and all that Kafka's tools and its operator know of it."""

    application: Application
    cluster: Cluster
    statements: tuple[str, ...]
    """Its subtopologies, as the operator states them."""
    end_offsets: str
    member_racks: dict[str, str | None]


@st.composite
def running(draw: st.DrawFn) -> Running:
    """Applications of up to four subtopologies and three processes, whose tasks run anywhere or nowhere."""
    counts: dict[str, int] = {}
    statements, tasks = [], []
    for number in range(draw(st.integers(1, 4))):
        kinds = draw(
            st.lists(st.sampled_from(["t{}{}", "t{}{}", "app-r{}{}-repartition"]), min_size=1, max_size=2)
        )
        sources = [kind.format(number, n) for n, kind in enumerate(kinds)]
        most = draw(st.integers(1, 4))
        counts |= dict.fromkeys(sources, most)
        counts[sources[-1]] = draw(st.sampled_from([most, most, 1])) if len(sources) > 1 else most
        stores = [f"s{number}{n}" for n in range(draw(st.integers(0, 2)))]
        counts |= {f"app-{store}-changelog": most for store in stores}
        statements.append(f"{','.join(sources)}:{','.join(stores)}")
        for partition in range(most):
            inputs = sorted(TopicPartition(name, partition) for name in sources if partition < counts[name])
            changelogs = [TopicPartition(f"app-{store}-changelog", partition) for store in stores]
            tasks.append(Task(TaskId(number, partition), bool(stores), tuple(inputs), tuple(changelogs)))
    replicas = st.lists(st.sampled_from(list(RACKS)), min_size=1, max_size=2, unique=True).map(tuple)
    topics = {
        name: tuple(draw(replicas) for _ in range(counts[name]))
        for name in draw(st.permutations(list(counts)))
    }
    ends = {
        partition: draw(st.integers(0, 9))
        for task in tasks
        for partition in task.changelogs
        if draw(st.integers(0, 5))
    }
    consumers, clients = _clients(draw, tasks, ends)
    listed = tuple(
        Topic(name, len(rows), tuple(tuple(RACKS[broker] for broker in row) for row in rows))
        for name, rows in topics.items()
    )
    config = Settings(
        num_standby_replicas=draw(st.integers(0, 2)), max_warmup_replicas=draw(st.integers(1, 3))
    )
    return Running(
        Application(tuple(tasks), clients, config, listed),
        Cluster(topics, {"app": consumers}),
        tuple(statements),
        "".join(f"{one.topic}:{one.partition}:{end}\n" for one, end in ends.items()),
        {f"h{n}": client.rack for n, client in enumerate(clients)},
    )


def _clients(
    draw: st.DrawFn, tasks: list[Task], ends: dict[TopicPartition, int]
) -> tuple[tuple[Consumer, ...], tuple[Client, ...]]:
    processes = [
        (f"app-{uuid}", str(uuid)) if default else (f"my-{uuid}", name_uuid(f"my-{uuid}"))
        for uuid, default in draw(
            st.lists(
                st.tuples(st.uuids(), st.booleans()), min_size=1, max_size=3, unique_by=lambda one: one[0]
            )
        )
    ]
    threads = {
        f"{client}-StreamThread-{n}-consumer": number
        for number, (client, _) in enumerate(processes)
        for n in range(1, draw(st.integers(1, 3)) + 1)
    }
    nobody = draw(st.sampled_from([[], [None]]))
    on = {task.id: draw(st.sampled_from([*threads, *nobody])) for task in tasks}
    consumers = tuple(
        Consumer(
            f"{name}-7e57",
            f"/h{number}",
            name,
            tuple(sorted(p for t in tasks if on[t.id] == name for p in t.inputs)),
        )
        for name, number in threads.items()
    )
    clients = []
    for number, (_, uuid) in enumerate(processes):
        runs = {
            f"{name}-7e57": {task: RUNNING for task in on if on[task] == name}
            for name, of in threads.items()
            if of == number
        }
        active = sorted({task for of_thread in runs.values() for task in of_thread})
        lags = {
            task.id: RUNNING if task.id in active else _restored(task, ends)
            for task in tasks
            if task.stateful
        }
        rack = draw(st.sampled_from(["a", "b", None]))
        clients.append(Client(uuid, len(runs), tuple(active), lags=lags, rack=rack, consumers=runs))
    return consumers, tuple(clients)


def _restored(task: Task, ends: dict[TopicPartition, int]) -> int:
    known = [ends[one] for one in task.changelogs if one in ends]
    return sum(known) if len(known) == len(task.changelogs) else UNKNOWN


def imported(
    one: Running, layout: Callable[..., str], statements: tuple[str, ...], *, leader: bool
) -> Application:
    config = one.application.settings
    details = Details(
        read_settings(
            [
                f"num.standby.replicas={config.num_standby_replicas}",
                f"max.warmup.replicas={config.max_warmup_replicas}",
            ]
        ),
        statements,
        read_end_offsets("ends.txt", one.end_offsets),
        RACKS,
        one.member_racks,
        leader,
    )
    files = [("g.txt", layout("app", one.cluster.groups["app"])), ("t.txt", topics_4_0(one.cluster.topics))]
    (found,) = read_applications(files, details)
    return found.application


def in_order(application: Application) -> Application:
    """Return an application with its clients in the order of their ids."""
    clients = sorted(application.clients, key=lambda client: client.id)
    return replace(application, clients=tuple(clients))


@settings(max_examples=share(40, 1000))
@given(running(), st.sampled_from(LAYOUTS))
def test_a_stated_application_is_read_back(one: Running, layout: Callable[..., str]) -> None:
    found = imported(one, layout, one.statements, leader=False)
    assert in_order(found) == in_order(one.application)
    assert (
        found.clients == one.application.clients or layout is offsets
    )  # prints members without partitions last
    assert read_group(write_group(found)) == found
    assert in_order(imported(one, layout, one.statements, leader=True)) == in_order(found)


@settings(max_examples=share(40, 1000))
@given(running(), st.sampled_from(LAYOUTS))
def test_what_is_told_contradicts_no_listing_and_keeps_together_what_is(
    one: Running, layout: Callable[..., str]
) -> None:
    found = imported(one, layout, (), leader=False)
    together = {frozenset(read.topic for read in task.inputs) for task in found.tasks}
    holders = {partition: row.id for row in one.cluster.groups["app"] for partition in row.held}
    held = {partition.topic for partition in holders}
    assert sorted(topic for topics in together for topic in topics) == sorted(held)
    placed = {
        topic.name: tuple(map(holders.get, topic)) for topic in one.application.topics if topic.name in held
    }
    counted = {topic.name: topic.partitions for topic in found.topics}
    assert all(counted[name] == len(members) for name, members in placed.items())
    for topics in together:
        assert len({placed[topic] for topic in topics}) == 1
    for task in one.application.tasks:
        read = {one.topic for one in task.inputs} & held
        alike = (
            len({placed[topic] for topic in read}) == 1
            and len(set(next(placed[topic] for topic in read))) > 1
        )
        if len(read) > 1 and alike and not any(name.endswith("-repartition") for name in read):
            assert any(read <= topics for topics in together)
    for task in found.tasks:
        members = {holders[one] for one in task.inputs if one in holders}
        runs = {
            name for client in found.clients for name, tasks in client.consumers.items() if task.id in tasks
        }
        assert runs == members
