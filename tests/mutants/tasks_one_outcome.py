"""Mutants that break an invariant: each an honest task assignor with one mistake, named for it."""

from dataclasses import replace

from mutants.tasks_honest import Even, by_rack, even, fallback, giving, high_availability, setting, stateful

from kassay.model.tasks import INT64_MAX, UNKNOWN, Application, Given, TaskId


def loses_the_last_task(application):
    """Counts the tasks one too short."""
    last = max((task.id for task in application.tasks), default=None)
    return giving(
        high_availability(application), "active", lambda _, tasks: [task for task in tasks if task != last]
    )


def forgets_what_nobody_ran(application):
    """Gives out only what some client held before."""
    known = {task for client in application.clients for task in client.active + client.standby}
    return giving(
        high_availability(application),
        "active",
        lambda _, tasks: [task for task in tasks if not known or task in known],
    )


def drops_what_two_claim(application):
    """Takes a task that two clients claim from both and then forgets it."""
    claims = [task for client in application.clients for task in client.active]
    return giving(
        high_availability(application),
        "active",
        lambda _, tasks: [task for task in tasks if claims.count(task) < 2],
    )


def runs_a_task_twice(application):
    """Makes every first standby of a client active as well as its active copy."""
    answer = high_availability(application)
    clients = {
        n: Given(given.active + given.standby[:1], given.standby[1:]) for n, given in answer.clients.items()
    }
    return answer._replace(clients=clients)


def lists_what_runs_on_again(application):
    """Adds what a client keeps to its list, though it is there already."""
    before = {client.id: client.active for client in application.clients}
    return giving(
        high_availability(application),
        "active",
        lambda name, tasks: [*tasks, *(task for task in tasks if task in before[name])],
    )


def counts_partitions_from_one(application):
    """Numbers the tasks of a subtopology from 1."""
    return giving(
        high_availability(application), "active", lambda _, tasks: [TaskId(s, p + 1) for s, p in tasks]
    )


def omits_the_idle(application):
    """Leaves clients with nothing out of the answer."""
    answer = high_availability(application)
    return answer._replace(clients={name: given for name, given in answer.clients.items() if any(given)})


def answers_the_dead(application):
    """Gives an empty share to a client that has left."""
    answer = high_availability(application)
    return answer._replace(clients={**answer.clients, "gone": Given((), ())})


def gives_stateless_standbys(application):
    """Takes all tasks for stateful when it places standbys."""
    made = Even(application)
    made.run(task.id for task in application.tasks)
    made.copy(made.active, application.settings.num_standby_replicas)
    return made.answer()


def puts_the_standby_beside_its_active(application):
    """Puts the standby where the task runs."""
    own, wanted = stateful(application), application.settings.num_standby_replicas
    answer = even(setting(application, num_standby_replicas=0))
    clients = {
        n: Given(g.active, tuple(t for t in g.active if t in own and wanted))
        for n, g in answer.clients.items()
    }
    return answer._replace(clients=clients)


def leaves_a_standby_where_it_takes_over(application):
    """Makes a client's first standby active, without taking it from its client or its standbys."""
    answer = high_availability(application)
    clients = {
        n: Given(given.active + given.standby[:1], given.standby) for n, given in answer.clients.items()
    }
    return answer._replace(clients=clients)


def lists_standbys_twice(application):
    """Adds what a client restores to its standbys, though it is there already."""
    return giving(high_availability(application), "standby", lambda _, tasks: [*tasks, *tasks[:1]])


def forgets_one_standby(application):
    """Loses the last standby of every client."""
    return giving(high_availability(application), "standby", lambda _, tasks: tasks[:-1])


def counts_the_active_copy(application):
    """Takes num.standby.replicas for the number of all copies."""
    number = application.settings.num_standby_replicas
    return high_availability(setting(application, num_standby_replicas=max(0, number - 1)))


def stops_where_tags_are_used_up(application):
    """Places no standby on a client that shares a tag with another copy."""
    values = Even(application).values
    taken = {}

    def free(name, tasks):
        for task in tasks:
            own = {*values[name].items()}
            if not own & taken.get(task, set()):
                taken[task] = own | taken.get(task, set())
                yield task

    return giving(even(application), "standby", free)


def warms_up_without_limit(application):
    """Lets every task warm up at once."""
    return high_availability(setting(application, max_warmup_replicas=INT64_MAX >> 32))


def counts_warm_ups_by_client(application):
    """Allows each client max.warmup.replicas."""
    most = application.settings.max_warmup_replicas * len(application.clients)
    return high_availability(setting(application, max_warmup_replicas=most))


def one_standby_too_many(application):
    """Places a standby more than is configured."""
    number = application.settings.num_standby_replicas
    return high_availability(setting(application, num_standby_replicas=number + 1))


def warms_up_what_stays(application):
    """Copies a task to a client that is caught up already, and asks for a probing rebalance."""
    answer = high_availability(application)
    own = stateful(application)
    first = min(own, default=None)
    return giving(
        answer,
        "standby",
        lambda name, tasks: sorted({*tasks, first} - {None} - {*answer.clients[name].active}),
    )._replace(probing=True)


def warms_up_but_never_probes(application):
    """Lets tasks warm up and asks for no probing rebalance."""
    return high_availability(application)._replace(probing=False)


def ignores_tags(application):
    """Places standbys by load alone."""
    return even(setting(application, rack_aware_assignment_tags=()))


def reads_the_last_tag_only(application):
    """Looks at the last of several tags."""
    tags = application.settings.rack_aware_assignment_tags[-1:]
    return even(setting(application, rack_aware_assignment_tags=tags))


def keeps_tags_apart_from_the_active_only(application):
    """Compares a standby's tags with the tags of the active copy, and not with each other's."""
    values, made = Even(application).values, Even(application)
    made.run(task.id for task in application.tasks)
    for task in stateful(application):
        own = values[made.active[task][0]]
        rest = [name for name in made.threads if name not in made.active[task]]
        rest.sort(key=lambda name: sum(own.get(key) == value for key, value in values[name].items()))
        made.standby[task] = rest[: application.settings.num_standby_replicas]
    return made.answer()


def puts_all_standbys_into_one_rack(application):
    """Prefers the first rack for every standby."""
    racks = {client.id: client.rack or "" for client in application.clients}
    made = Even(application)
    made.run(task.id for task in application.tasks)
    for task in stateful(application):
        rest = sorted((n for n in made.threads if n not in made.active[task]), key=racks.__getitem__)
        made.standby[task] = rest[: application.settings.num_standby_replicas]
    return made.answer()


def takes_a_rack_for_another(application):
    """Looks at the first letter of a rack, which they have in common."""
    clients = (replace(client, rack=(client.rack or "")[:1]) for client in application.clients)
    return by_rack(replace(application, clients=tuple(clients)))


def ignores_threads(application):
    """Counts tasks by client, however many threads a client has."""
    clients = (replace(client, threads=1) for client in application.clients)
    return even(replace(application, clients=tuple(clients)))


def gives_stateless_tasks_to_the_first(application):
    """Evens stateful tasks only and runs all others on the first client."""
    made = Even(application)
    made.run(stateful(application))
    first = next(iter(made.threads))
    made.active.update({task.id: [first] for task in application.tasks if not task.stateful})
    made.copy(stateful(application), application.settings.num_standby_replicas)
    return made.answer()


def leaves_standbys_out_of_loads(application):
    """Places standbys on the first clients that may have them."""
    made = Even(application)
    made.run(task.id for task in application.tasks)
    for task in stateful(application):
        rest = [name for name in made.threads if name not in made.active[task]]
        made.standby[task] = rest[: application.settings.num_standby_replicas]
    return made.answer()


def takes_the_least_loaded_instead_of_the_caught_up(application):
    """Gives tasks at once to the clients that are to have them."""
    return even(application)


def lagging(application: Application, change) -> Application:
    """Return the application with what `change` makes of each lag."""
    clients = (
        replace(c, lags={task: change(lag) for task, lag in c.lags.items()}) for c in application.clients
    )
    return replace(application, clients=tuple(clients))


def counts_unknown_lag_as_caught_up(application):
    """Takes a lag that is not known for none."""
    return high_availability(lagging(application, lambda lag: 0 if lag == UNKNOWN else lag))


def finds_every_lag_acceptable(application):
    """Reads no acceptable.recovery.lag."""
    return high_availability(setting(application, acceptable_recovery_lag=INT64_MAX))


def restores_where_most_is_missing(application):
    """Sorts clients by lag the wrong way round."""
    most = max((lag for client in application.clients for lag in client.lags.values()), default=0)
    acceptable = application.settings.acceptable_recovery_lag

    def turned(lag: int) -> int:
        return lag if lag <= acceptable else min(INT64_MAX, most + acceptable + 1 - lag)

    return high_availability(lagging(application, turned))


def crowds_a_subtopology(application):
    """Does min_traffic where balance_subtopology is asked for."""
    settings = application.settings
    if settings.rack_aware_assignment_strategy == "balance_subtopology":
        application = setting(application, rack_aware_assignment_strategy="min_traffic")
    return high_availability(application)


def starts_over(application):
    """Falls back to dealing all tasks out anew."""
    return even(application)


def falls_back_to_standbys(application):
    """Takes what a client had as a standby for what it ran."""
    clients = (replace(c, active=c.standby, standby=c.active) for c in application.clients)
    return fallback(replace(application, clients=tuple(clients)))
