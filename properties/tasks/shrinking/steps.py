"""The steps that the minimiser tries on an application, boldest first; the last ones lower its threads, lags and settings."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product

from kassay.model.partitions import INT64_MAX
from kassay.model.tasks import RUNNING, STRATEGIES, UNKNOWN, Application, Client, TaskId
from kassay.properties.minimise import in_pairs
from kassay.properties.tasks.edits import with_client, with_clients, with_settings
from kassay.properties.tasks.shrinking.catalogue import (
    USUAL,
    canonical_names,
    canonical_order,
    catalogue,
    disorder,
    exchanged,
    size,
    weight,
)
from kassay.properties.tasks.shrinking.drop import (
    drop_consumers,
    drop_feature,
    drop_holdings,
    drop_racks,
    drop_state,
    drop_tags,
    merge_subtopologies,
    merge_topics,
    remove_clients,
    remove_reading,
    remove_tasks,
    remove_topics,
    renumber,
)


def lower_settings(application: Application) -> Iterator[Application]:
    """Give a setting its default, or another that is nearer to it; lags go with the acceptable one."""
    settings = application.settings
    acceptable = settings.acceptable_recovery_lag
    for usual in dict.fromkeys((USUAL.acceptable_recovery_lag, 0)):
        if usual != acceptable:
            yield with_settings(_within(application, usual), acceptable_recovery_lag=usual)
            yield with_settings(application, acceptable_recovery_lag=usual)
    costs = settings.rack_aware_assignment_traffic_cost, settings.rack_aware_assignment_non_overlap_cost
    standbys, warmups = settings.num_standby_replicas, settings.max_warmup_replicas
    strategy = STRATEGIES.index(settings.rack_aware_assignment_strategy)
    lower: dict[str, tuple[object, ...]] = {
        "num_standby_replicas": (0, 1, standbys // 2, standbys - 1) if standbys else (),
        "max_warmup_replicas": (
            USUAL.max_warmup_replicas,
            USUAL.max_warmup_replicas + 1,
            warmups // 2,
            warmups - 1,
        ),
        "rack_aware_assignment_strategy": STRATEGIES[:strategy],
    }
    for name, values in lower.items():
        for value in dict.fromkeys(values):
            if value != getattr(settings, name) and (name != "max_warmup_replicas" or value):
                yield with_settings(application, **{name: value})
    for traffic, overlap in product((None, 0, 1), repeat=2) if costs != (None, None) else ():
        yield with_settings(
            application,
            rack_aware_assignment_traffic_cost=traffic,
            rack_aware_assignment_non_overlap_cost=overlap,
        )


def lower_threads(application: Application) -> Iterator[Application]:
    """Give clients fewer threads: one, half of them, one less; all clients or one."""
    most = max(client.threads for client in application.clients)
    for number in dict.fromkeys((1, most // 2, most - 1)):
        if number:
            yield with_clients(application, partial(_threads, number))
    for at, client in enumerate(application.clients):
        for number in dict.fromkeys((1, client.threads // 2, client.threads - 1)):
            if 1 <= number < client.threads:
                yield with_client(application, at, replace(client, threads=number))


def lower_lags(application: Application) -> Iterator[Application]:
    """Give simpler lags: to a client, to a task, by their ranks, one by one."""
    acceptable = application.settings.acceptable_recovery_lag
    for at, client in enumerate(application.clients):
        yield with_client(application, at, replace(client, lags=dict.fromkeys(client.lags, 0)))
    for task in sorted({task for client in application.clients for task in client.lags}):
        yield with_clients(application, partial(_caught_up, task))
    yield _ranked(application, acceptable)
    simple = [lag for lag in (0, RUNNING, min(1, acceptable), acceptable + 1) if lag <= INT64_MAX]
    for at, client in enumerate(application.clients):
        for task, lag in client.lags.items():
            own = (weight(lag, acceptable), lag)
            for lower in simple:
                if (weight(lower, acceptable), lower) < own:
                    lags = {**client.lags, task: lower}
                    yield with_client(application, at, replace(client, lags=lags))


def _threads(most: int, client: Client) -> Client:
    return replace(client, threads=min(client.threads, most))


def _caught_up(task: TaskId, client: Client) -> Client:
    return replace(client, lags={**client.lags, task: 0}) if task in client.lags else client


def _ranked(application: Application, acceptable: int) -> Application:
    """Give each lag by its rank the lowest that is acceptable, or too much, as it was."""
    lags = sorted({lag for client in application.clients for lag in client.lags.values() if lag > 0})
    near, far = ([lag for lag in lags if (lag <= acceptable) is within] for within in (True, False))
    new = {lag: 1 + at for at, lag in enumerate(near)}
    new |= {lag: acceptable + 1 + at for at, lag in enumerate(far)}
    return _with_lags(application, lambda lag: new.get(lag, lag))


def _within(application: Application, usual: int) -> Application:
    """Give lags that are acceptable, or not, where so much is."""
    acceptable = application.settings.acceptable_recovery_lag

    def lag(old: int) -> int:
        if old in (RUNNING, UNKNOWN, 0, acceptable):
            return usual if old == acceptable else old
        return min(old, usual) if old <= acceptable else usual + min(old - acceptable, INT64_MAX - usual)

    return _with_lags(application, lag)


def _with_lags(application: Application, new: Callable[[int], int]) -> Application:
    return with_clients(
        application,
        lambda client: replace(client, lags={task: new(lag) for task, lag in client.lags.items()}),
    )


STEPS = (
    remove_clients,
    remove_tasks,
    merge_subtopologies,
    remove_topics,
    merge_topics,
    remove_reading,
    drop_feature,
    lower_settings,
    drop_state,
    lower_threads,
    drop_holdings,
    lower_lags,
    drop_tags,
    drop_consumers,
    drop_racks,
    renumber,
    canonical_order,
    canonical_names,
)
"""The kinds of step, in the order in which they are tried."""


def smaller(application: Application) -> Iterator[Application]:
    """Yield applications smaller than this one by `order_key`: steps, pairs of steps, then the smallest of all.

    Before these, steps after two clients or two tasks have exchanged their names. Never one without clients.
    """
    yield from in_pairs(application, steps)
    own = size(application)
    for other in exchanged(application):
        for candidate in steps(other):
            if size(candidate) < own:
                yield candidate
    for its, candidate in catalogue():
        if its >= own:
            return
        yield candidate


def steps(application: Application) -> Iterator[Application]:
    """Yield the applications that are a step smaller than this one."""
    own, disordered = size(application), disorder(application)
    for step in STEPS:
        for candidate in step(application):
            its = size(candidate)
            if its < own or (its == own and disorder(candidate) < disordered):
                yield candidate
