"""Mutants of assignors of tasks and of workers that only large groups or large integers show."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from kassay.families.shape import Assign
from kassay.model.streams_group import MemberTasks, StreamsAssignment, StreamsGroup
from kassay.model.tasks import Application, Given, TaskAssignment, TaskId
from kassay.model.workers import Cluster, Work, WorkAssignment

MOST_SHORT = 1 << 15


def _keep_tasks(
    answer: TaskAssignment, kept: Callable[[TaskId], bool], kept_standby: Callable[[TaskId], bool]
) -> TaskAssignment:
    """Return the answer with only the active tasks and the standbys that are kept."""
    clients = {
        name: Given(tuple(filter(kept, given.active)), tuple(filter(kept_standby, given.standby)))
        for name, given in answer.clients.items()
    }
    return answer._replace(clients=clients)


def _read_lags(application: Application, read: Callable[[int], int]) -> Application:
    """Return the application with other lags; negative ones have a meaning of their own."""
    clients = (
        replace(client, lags={task: lag if lag < 0 else read(lag) for task, lag in client.lags.items()})
        for client in application.clients
    )
    return replace(application, clients=tuple(clients))


def counts_tasks_by_a_byte(assign: Assign, application: Application) -> TaskAssignment:
    """Loses the tasks from number 256 on."""
    return _keep_tasks(assign(application), lambda t: t.partition < 256, lambda t: t.partition < 256)


def copies_a_hundred_tasks(assign: Assign, application: Application) -> TaskAssignment:
    """Gives no standby of the tasks from number 100 on."""
    return _keep_tasks(assign(application), lambda _: True, lambda t: t.partition < 100)


def runs_ten_subtopologies(assign: Assign, application: Application) -> TaskAssignment:
    """Loses the tasks of the eleventh subtopology and the later ones."""
    known = sorted({task.subtopology for task in _list_tasks(application)})[:10]
    return _keep_tasks(
        assign(application), lambda t: t.subtopology in known, lambda t: t.subtopology in known
    )


def _list_tasks(application: Application) -> Iterable[TaskId]:
    return [task.id for task in application.tasks]


def idles_clients_from_the_17th(assign: Assign, application: Application) -> TaskAssignment:
    """Gives nothing to the seventeenth client and the later ones."""
    answer = assign(application)
    busy = [client.id for client in application.clients][:16]
    return answer._replace(
        clients={name: given if name in busy else Given((), ()) for name, given in answer.clients.items()}
    )


def reads_lags_by_16_bits(assign: Assign, application: Application) -> TaskAssignment:
    """Takes lags from 32,768 on for none, as their numbers of 16 bits are negative."""
    return assign(_read_lags(application, lambda lag: lag if lag < MOST_SHORT else 0))


def reads_lags_by_a_byte(assign: Assign, application: Application) -> TaskAssignment:
    """Reads the lowest eight bits of a lag."""
    return assign(_read_lags(application, lambda lag: lag % 256))


TASKS = (counts_tasks_by_a_byte, copies_a_hundred_tasks, runs_ten_subtopologies, idles_clients_from_the_17th, reads_lags_by_16_bits, reads_lags_by_a_byte)  # fmt: skip


def _keep_member_tasks(answer: StreamsAssignment, kept: Callable[[int, TaskId], bool]) -> StreamsAssignment:
    """Return the answer with the tasks that are kept, by the place of a member and the task."""
    return {
        name: MemberTasks(*(tuple(task for task in role if kept(at, task)) for role in given))
        for at, (name, given) in enumerate(answer.items())
    }


def counts_tasks_of_members_by_a_byte(assign: Assign, group: StreamsGroup) -> StreamsAssignment:
    """Loses the tasks from number 256 on."""
    return _keep_member_tasks(assign(group), lambda _at, task: task.partition < 256)


def numbers_tasks_of_members_by_signed_bytes(assign: Assign, group: StreamsGroup) -> StreamsAssignment:
    """Loses the tasks from number 128 on."""
    return _keep_member_tasks(assign(group), lambda _at, task: task.partition < 128)


def runs_ten_subtopologies_in_members(assign: Assign, group: StreamsGroup) -> StreamsAssignment:
    """Loses the tasks of the eleventh subtopology and the later ones."""
    known = [each.id for each in group.subtopologies[:10]]
    return _keep_member_tasks(assign(group), lambda _at, task: task.subtopology in known)


def idles_members_from_the_17th(assign: Assign, group: StreamsGroup) -> StreamsAssignment:
    """Gives nothing to the seventeenth member and the later ones."""
    return _keep_member_tasks(assign(group), lambda at, _task: at < 16)


MEMBERS = (counts_tasks_of_members_by_a_byte, numbers_tasks_of_members_by_signed_bytes, runs_ten_subtopologies_in_members, idles_members_from_the_17th)  # fmt: skip


def _keep_work(answer: WorkAssignment, kept: Callable[[int, str, Work], Work]) -> WorkAssignment:
    """Return the answer with the work that is kept, by the place and the id of a worker."""
    workers = {name: kept(at, name, work) for at, (name, work) in enumerate(answer.workers.items())}
    return answer._replace(workers=workers)


def counts_tasks_of_connectors_by_a_byte(assign: Assign, cluster: Cluster) -> WorkAssignment:
    """Loses the tasks from number 256 on."""
    return _keep_work(
        assign(cluster),
        lambda _at, _name, work: Work(work.connectors, tuple(t for t in work.tasks if t.task < 256)),
    )


def numbers_tasks_by_signed_bytes(assign: Assign, cluster: Cluster) -> WorkAssignment:
    """Loses the tasks from number 128 on."""
    return _keep_work(
        assign(cluster),
        lambda _at, _name, work: Work(work.connectors, tuple(t for t in work.tasks if t.task < 128)),
    )


def runs_ten_connectors(assign: Assign, cluster: Cluster) -> WorkAssignment:
    """Loses the eleventh connector and the later ones, with their tasks."""
    known = {connector.name for connector in cluster.connectors[:10]}
    return _keep_work(
        assign(cluster),
        lambda _at, _name, work: Work(
            tuple(c for c in work.connectors if c in known),
            tuple(t for t in work.tasks if t.connector in known),
        ),
    )


def idles_workers_from_the_17th(assign: Assign, cluster: Cluster) -> WorkAssignment:
    """Gives nothing to the seventeenth worker and the later ones."""
    return _keep_work(assign(cluster), lambda at, _name, work: work if at < 16 else Work())


def reads_the_clock_by_31_bits(assign: Assign, cluster: Cluster) -> WorkAssignment:
    """Reads the lowest 31 bits of the time."""
    return assign(replace(cluster, time_ms=cluster.time_ms % (1 << 31)))


def remembers_generations_by_15_bits(assign: Assign, cluster: Cluster) -> WorkAssignment:
    """Keeps the lowest 15 bits of the generation of its last answer."""
    memory = cluster.memory
    short = memory.generation if memory.generation < 0 else memory.generation % MOST_SHORT
    return assign(replace(cluster, memory=replace(memory, generation=short)))


WORKERS = (counts_tasks_of_connectors_by_a_byte, numbers_tasks_by_signed_bytes, runs_ten_connectors, idles_workers_from_the_17th, reads_the_clock_by_31_bits, remembers_generations_by_15_bits)  # fmt: skip
