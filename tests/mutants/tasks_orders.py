"""Mutants that break a law of orders, names, threads, racks or settings: honest task assignors with one mistake."""

from itertools import count

from mutants import excepted
from mutants.tasks_honest import Even, even, giving, high_availability, setting, stateful

from kassay.model import AssignorError
from kassay.model.tasks import Application, Given, TaskAssignment
from kassay.properties.laws import slot
from kassay.properties.tasks.measures import crossings, inputs, rack_aware
from kassay.reference.java.strings import uuid_hash
from kassay.reference.streams.high_availability import HIGH_AVAILABILITY

_calls = count()


def dealt(names, tasks, start=0) -> TaskAssignment:
    """Deal tasks in their order to clients in turn, with no standbys."""
    given = {name: [] for name in names}
    for at, task in enumerate(tasks, start):
        given[names[at % len(names)]].append(task)
    return TaskAssignment({name: Given(tuple(own), ()) for name, own in given.items()}, probing=False)


def in_order(application: Application):
    """Return the clients' ids and the tasks, both in order."""
    clients = sorted(application.clients, key=lambda client: client.order)
    return [client.id for client in clients], sorted(task.id for task in application.tasks)


def gives_up_on_missing_racks(application):
    """Compares a client's rack without asking whether it has one."""
    if len({bool(client.rack) for client in application.clients}) > 1:
        raise AssignorError("NullPointerException: rack")
    return even(application)


def gives_up_on_unknown_lags(application):
    """Takes an unknown lag for a number of records."""
    for client in application.clients:
        for task, lag in client.lags.items():
            if lag < -2:
                raise AssignorError(f"IllegalStateException: lag {lag} of {task}")
    return even(application)


def remembers_its_calls(application):
    """Starts dealing where the last call stopped."""
    return dealt(*in_order(application), start=next(_calls))


def probes_every_second_time(application):
    """Asks for a probing rebalance by turns."""
    return high_availability(application)._replace(probing=bool(next(_calls) % 2))


def serves_in_order_of_arrival(application):
    """Deals to the clients in the order in which they are listed."""
    return dealt([client.id for client in application.clients], in_order(application)[1])


def believes_the_last_claim(application):
    """Lets the client that is listed last keep a task that two claim."""
    names, tasks = in_order(application)
    owner = {task: client.id for client in application.clients for task in client.active}
    given = {name: Given(tuple(t for t in tasks if owner.get(t, names[0]) == name), ()) for name in names}
    return TaskAssignment(given, probing=False)


def deals_tasks_as_listed(application):
    """Deals the tasks in the order in which they are listed."""
    return dealt(in_order(application)[0], [task.id for task in application.tasks])


def keeps_what_is_listed_first(application):
    """Lets every client keep the first of the tasks it had, and deals the rest."""
    names, tasks = in_order(application)
    kept = {}
    for client in sorted(application.clients, key=lambda client: client.order):
        kept.update({task: client.id for task in client.active[:1] if task not in kept})
    answer = dealt(names, [task for task in tasks if task not in kept])
    return giving(answer, "active", lambda name, own: [*own, *(t for t, by in kept.items() if by == name)])


def deals_by_hash(application):
    """Deals to the clients in the order of their ids' hashes, as a hash map has them."""
    names, tasks = in_order(application)
    return dealt(sorted(names, key=uuid_hash), tasks)


def hashes_topics(application):
    """Deals the tasks in the order of the hashes of what they read."""
    read = {task.id: [slot(name) for name, _ in task.inputs] for task in application.tasks}
    names, tasks = in_order(application)
    return dealt(names, sorted(tasks, key=lambda task: (read[task], task)))


def fills_threads_first(application):
    """Gives a client a task for each thread before the next one gets any, and what is left to the first (KAFKA-9173)."""
    names, tasks = in_order(application)
    threads = {client.id: client.threads for client in application.clients}
    room = [name for name in names for _ in range(min(threads[name], len(tasks)))]
    room += names[:1] * len(tasks)
    given = {name: [] for name in names}
    for task, name in zip(tasks, room, strict=False):
        given[name].append(task)
    return TaskAssignment({name: Given(tuple(own), ()) for name, own in given.items()}, probing=False)


def reads_more_across_racks(application):
    """Maximises the traffic that it is to minimise."""
    return exchanging(application, lambda now, then: then > now)


def trades_counts_for_racks(application):
    """Gives each task to a client in a rack of what it reads, however many that client has."""
    answer = even(application)
    if not rack_aware(application):
        return answer
    racks = application.racks(inputs)
    home = {client.id: client.rack for client in application.clients}
    owner = {task: name for name, given in answer.clients.items() for task in given.active}
    for task in owner:
        owner[task] = min(home, key=lambda name: sum(home[name] not in near for near in racks[task]))
    return giving(answer, "active", lambda name, _: [task for task, by in owner.items() if by == name])


def exchanging(application: Application, better) -> TaskAssignment:
    """Exchange pairs of active tasks as long as that is better for the traffic, without standbys."""
    answer = even(setting(application, num_standby_replicas=0))
    if not rack_aware(application):
        return answer
    names = list(answer.clients)
    for one in names:
        for other in names:
            for at in range(min(len(answer.clients[name].active) for name in (one, other))):
                mine, yours = (answer.clients[name].active for name in (one, other))
                swapped = {
                    one: Given((*mine[:at], yours[at], *mine[at + 1 :]), ()),
                    other: Given((*yours[:at], mine[at], *yours[at + 1 :]), ()),
                }
                then = answer._replace(clients={**answer.clients, **swapped})
                now, later = (crossings(application, each, "active", inputs) for each in (answer, then))
                if one != other and better(now, later):
                    answer = then
    return answer


def charges_costs_without_a_strategy(application):
    """Starts dealing where the cost of traffic points to, though no strategy is set."""
    cost = application.settings.rack_aware_assignment_traffic_cost or 0
    return dealt(*in_order(application), start=cost)


def reads_tags_without_standbys(application):
    """Deals by the values of tags, though there are no standbys to spread."""
    values, made = Even(application).values, in_order(application)
    names = sorted(made[0], key=lambda name: sorted(values[name].items()))
    return dealt(names, made[1])


def probes_while_warm_ups_are_allowed(application):
    """Asks for a probing rebalance wherever max.warmup.replicas is over 1, though nothing keeps state."""
    idle = not stateful(application) and application.settings.max_warmup_replicas > 1
    answer = high_availability(application)
    return answer._replace(probing=answer.probing or idle)


def warms_up_the_last(application):
    """Lets the tasks that are last in order warm up first."""
    return excepted.warms_up_the_last(application, HIGH_AVAILABILITY.assign)
