"""Mutants that break a law of convergence: each Kafka's HighAvailabilityTaskAssignor with one mistake, named for it."""

from collections.abc import Callable
from dataclasses import replace

from kassay.model.tasks import INT64_MAX, RUNNING, Application, Given, TaskAssignment, TaskId
from kassay.properties.tasks.rounds import is_caught_up
from kassay.reference.streams.high_availability import assign

Tasks = dict[str, tuple[list[TaskId], list[TaskId]]]


def probes_for_ever(application: Application) -> TaskAssignment:
    """Asks for a probing rebalance each time."""
    return assign(application)._replace(probing=True)


def never_probes(application: Application) -> TaskAssignment:
    """Lets tasks warm up, and never asks whether they have."""
    return assign(application)._replace(probing=False)


def probes_for_standbys(application: Application) -> TaskAssignment:
    """Takes every standby for a warm-up that has to be asked for."""
    answer = assign(application)
    return answer._replace(probing=any(given.standby for given in answer.clients.values()))


def moves_at_once(application: Application) -> TaskAssignment:
    """Moves tasks without warm-ups, as if everybody were caught up."""
    return _with_settings(application, acceptable_recovery_lag=INT64_MAX)


def gives_one_warm_up(application: Application) -> TaskAssignment:
    """Gives one warm-up in a rebalance, without regard to max.warmup.replicas."""
    return _with_settings(application, max_warmup_replicas=1)


def gives_no_warm_ups(application: Application) -> TaskAssignment:
    """Loses all standbys that are not caught up yet."""
    tasks, answer = _tasks(application)
    for client in application.clients:
        standbys = tasks[client.id][1]
        standbys[:] = [task for task in standbys if is_caught_up(application.settings, client.lags[task])]
    return _answer(tasks, answer.probing)


def warms_up_the_wrong_client(application: Application) -> TaskAssignment:
    """Gives standbys that are not caught up yet to the next client that has no copy."""
    tasks, answer = _tasks(application)
    names = [client.id for client in application.clients]
    for at, client in enumerate(application.clients):
        for task in list(tasks[client.id][1]):
            free = [n for n in names[at + 1 :] + names[:at] if not any(task in role for role in tasks[n])]
            if free and not is_caught_up(application.settings, client.lags[task]):
                tasks[client.id][1].remove(task)
                tasks[free[0]][1].append(task)
    return _answer(tasks, answer.probing)


def never_finishes_a_warm_up(application: Application) -> TaskAssignment:
    """Leaves tasks and their warm-ups in place when the warm-ups are caught up."""
    tasks, _ = _tasks(application)
    ran = {task: client.id for client in application.clients for task in client.active if task in client.lags}
    for name, (active, standby) in tasks.items():
        for task in [task for task in active if ran.get(task, name) != name]:
            before, copies = tasks[ran[task]]
            active.remove(task)
            standby.append(task)
            before.append(task)
            copies[:] = [copy for copy in copies if copy != task]
    return _answer(tasks, probing=False)


def swaps_two_clients(application: Application) -> TaskAssignment:
    """Swaps all that the first two clients have, if they ran just that."""
    answer = assign(application)
    if len(application.clients) > 1:
        one, two = application.clients[:2]
        if set(one.active) == set(answer.clients[one.id].active):
            swapped = {one.id: answer.clients[two.id], two.id: answer.clients[one.id]}
            return answer._replace(clients={**answer.clients, **swapped})
    return answer


def passes_tasks_on(application: Application) -> TaskAssignment:
    """Gives each task to the client after the one that ran it, in each rebalance."""
    names = [client.id for client in application.clients]
    ran = {task: at for at, client in enumerate(application.clients) for task in client.active}
    tasks: Tasks = {name: ([], []) for name in names}
    for task in application.tasks:
        tasks[names[(ran.get(task.id, -1) + 1) % len(names)]][0].append(task.id)
    return _answer(tasks, probing=False)


def trusts_standbys(application: Application) -> TaskAssignment:
    """Makes standbys active, however far they lag."""
    held = {task: client.id for client in application.clients for task in client.standby}

    def lag(name: str, task: TaskId, before: int) -> int:
        return RUNNING if held[task] == name else max(0, before)

    trusted = (
        replace(
            client,
            lags={t: lag(client.id, t, before) if t in held else before for t, before in client.lags.items()},
        )
        for client in application.clients
    )
    return assign(replace(application, clients=tuple(trusted)))


def takes_what_runs_for_cold(application: Application) -> TaskAssignment:
    """Takes the mark of a running task for no state at all."""
    cold = (
        replace(
            client, lags={task: INT64_MAX if lag == RUNNING else lag for task, lag in client.lags.items()}
        )
        for client in application.clients
    )
    return assign(replace(application, clients=tuple(cold)))


def _with_settings(application: Application, **changed: int) -> TaskAssignment:
    return assign(replace(application, settings=replace(application.settings, **changed)))


def _tasks(application: Application) -> tuple[Tasks, TaskAssignment]:
    """Return the honest answer, and its tasks in lists."""
    answer = assign(application)
    return {name: (list(given.active), list(given.standby)) for name, given in answer.clients.items()}, answer


def _answer(tasks: Tasks, probing: bool) -> TaskAssignment:
    given = {
        name: Given(tuple(sorted(active)), tuple(sorted(standby)))
        for name, (active, standby) in tasks.items()
    }
    return TaskAssignment(given, probing)


MUTANTS: dict[str, tuple[Callable[[Application], TaskAssignment], frozenset[str]]] = {
    mutant.__name__: (mutant, frozenset(broken.split()))
    for mutant, broken in [
        (probes_for_ever, "settles probing_ends"),
        (never_probes, "stable"),
        (probes_for_standbys, "settles probing_ends"),
        (moves_at_once, "keeps_running"),
        (gives_one_warm_up, "settles_in_time"),
        (gives_no_warm_ups, "settles probing_ends"),
        (warms_up_the_wrong_client, "settles probing_ends"),
        (never_finishes_a_warm_up, "settles"),
        (swaps_two_clients, "settles stable"),
        (passes_tasks_on, "settles stable keeps_running"),
        (trusts_standbys, "keeps_running"),
        (takes_what_runs_for_cold, "settles"),
    ]
}
"""Name -> the mutant and the laws that it breaks."""
