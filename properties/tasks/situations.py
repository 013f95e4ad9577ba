"""Situations of applications: each public function is one, in the order in which they are listed.

Clients come first, then tasks, settings, racks (KIP-925), and what the clients held before.
"""

from collections import Counter

from kassay.model.partitions import INT32_MAX, INT64_MAX, TopicPartition
from kassay.model.tasks import RUNNING, UNKNOWN, Application, Task
from kassay.properties.tasks.measures import changelogs, inputs, rack_aware, stateful_tasks
from kassay.properties.tasks.rounds import list_caught_up
from kassay.reference.java.hash_map import spread
from kassay.reference.java.strings import uuid_hash


def single_client(application: Application) -> bool:
    """The application has one client."""
    return len(application.clients) == 1


def more_clients_than_tasks(application: Application) -> bool:
    """There are more clients than tasks, so that some run nothing."""
    return len(application.clients) > len(application.tasks)


def more_threads_than_tasks(application: Application) -> bool:
    """All clients together have more threads than there are tasks."""
    return sum(client.threads for client in application.clients) > len(application.tasks)


def mixed_threads(application: Application) -> bool:
    """Two clients have different numbers of threads."""
    return len({client.threads for client in application.clients}) > 1


def negative_id(application: Application) -> bool:
    """A half of a client's id is negative to Java, so that it sorts differently from its text."""
    return any(half < 0 for client in application.clients for half in client.order)


def permuted_clients(application: Application) -> bool:
    """The clients are not listed in the order of their ids."""
    orders = [client.order for client in application.clients]
    return orders != sorted(orders)


SLOTS = 16
"""The slots of a hash map of up to 12 clients."""


def hash_order(application: Application) -> bool:
    """A Java hash map has the clients in another order than their ids."""
    ordered = sorted(application.clients, key=lambda client: client.order)
    slots = [spread(uuid_hash(client.id)) % SLOTS for client in ordered]
    return slots != sorted(slots)


def stateless_only(application: Application) -> bool:
    """There are tasks, and none keeps state."""
    return bool(application.tasks) and not any(task.stateful for task in application.tasks)


def stateful_only(application: Application) -> bool:
    """There are tasks, and all keep state."""
    return bool(application.tasks) and all(task.stateful for task in application.tasks)


def mixed_state(application: Application) -> bool:
    """Some tasks keep state and others do not."""
    return len({task.stateful for task in application.tasks}) > 1


def several_subtopologies(application: Application) -> bool:
    """The tasks are of more than one subtopology."""
    return len({task.id.subtopology for task in application.tasks}) > 1


def uneven_subtopologies(application: Application) -> bool:
    """Two subtopologies have different numbers of tasks."""
    return len(set(Counter(task.id.subtopology for task in application.tasks).values())) > 1


def uneven_tasks(application: Application) -> bool:
    """The tasks do not divide evenly among all threads."""
    threads = sum(client.threads for client in application.clients)
    return bool(threads) and len(application.tasks) % threads > 0


def permuted_tasks(application: Application) -> bool:
    """The tasks are not listed in their order."""
    ids = [task.id for task in application.tasks]
    return ids != sorted(ids)


def several_inputs(application: Application) -> bool:
    """A task reads several partitions, as for a join."""
    return any(len(task.inputs) > 1 for task in application.tasks)


def several_changelogs(application: Application) -> bool:
    """A task has several changelogs."""
    return any(len(task.changelogs) > 1 for task in application.tasks)


def source_changelog(application: Application) -> bool:
    """A task's input is its changelog too, as where a table is read with an optimised topology."""
    return any(set(task.inputs) & set(task.changelogs) for task in application.tasks)


def unlogged_state(application: Application) -> bool:
    """A stateful task has no changelog, as if the store's logging is off: a standby would have nothing to read."""
    return any(task.stateful and not task.changelogs for task in application.tasks)


def _standbys(application: Application) -> int:
    has_state = any(task.stateful for task in application.tasks)
    return application.settings.num_standby_replicas if has_state else 0


def standbys(application: Application) -> bool:
    """Stateful tasks are to have standbys, and there is a second client for them."""
    return _standbys(application) > 0 and len(application.clients) > 1


def more_standbys_than_clients(application: Application) -> bool:
    """Stateful tasks are to have at least as many standbys as there are clients."""
    return 0 < len(application.clients) <= _standbys(application)


def one_warmup(application: Application) -> bool:
    """max.warmup.replicas is 1, so that tasks warm up one by one."""
    return application.settings.max_warmup_replicas == 1


def tags(application: Application) -> bool:
    """Standbys are to be on clients with other tags, and clients have different values of such a tag (KIP-708)."""
    keys = application.settings.rack_aware_assignment_tags
    values = {
        client_tag for client in application.clients for client_tag in client.tags if client_tag[0] in keys
    }
    return standbys(application) and len(values) > len({key for key, _ in values})


def several_tags(application: Application) -> bool:
    """Standbys are to be on clients that differ in several tags."""
    return standbys(application) and len(application.settings.rack_aware_assignment_tags) > 1


def missing_tag(application: Application) -> bool:
    """A client has no value of a tag in rack.aware.assignment.tags."""
    keys = application.settings.rack_aware_assignment_tags
    return any(key not in dict(client.tags) for key in keys for client in application.clients)


def idle_tag(application: Application) -> bool:
    """A client has a tag that rack.aware.assignment.tags does not name, though it names some."""
    keys = application.settings.rack_aware_assignment_tags
    return bool(keys) and any(key not in keys for client in application.clients for key, _ in client.tags)


def custom_costs(application: Application) -> bool:
    """A strategy is set, and a cost of it too."""
    settings = application.settings
    return settings.rack_aware_assignment_strategy != "none" and not (
        settings.rack_aware_assignment_traffic_cost is None
        and settings.rack_aware_assignment_non_overlap_cost is None
    )


def odd_costs(application: Application) -> bool:
    """A strategy is set with costs that do not ask for less traffic: it costs nothing or less, or a move less than nothing."""
    settings = application.settings
    traffic, overlap = (
        settings.rack_aware_assignment_traffic_cost,
        settings.rack_aware_assignment_non_overlap_cost,
    )
    odd = (traffic is not None and traffic <= 0) or (overlap is not None and overlap < 0)
    return settings.rack_aware_assignment_strategy != "none" and odd


def racks(application: Application) -> bool:
    """A client tells its rack, and some replica's rack is known."""
    return any(client.rack for client in application.clients) and any(
        rack is not None for topic in application.topics for near in topic.racks or () for rack in near
    )


def partial_racks(application: Application) -> bool:
    """Some clients tell their rack and others do not."""
    return len({bool(client.rack) for client in application.clients}) > 1


def unknown_topic_racks(application: Application) -> bool:
    """Clients tell their racks, and of a partition that a task reads no replica's rack is known."""
    read = [*application.racks(inputs).values(), *application.racks(changelogs).values()]
    return any(client.rack for client in application.clients) and any(
        not any(rack is not None for rack in near) for partitions in read for near in partitions
    )


def rack_strategy(application: Application) -> bool:
    """A strategy is set, and all racks that it needs are known, so that racks count."""
    return rack_aware(application)


def _strategy(application: Application) -> str:
    return application.settings.rack_aware_assignment_strategy if rack_aware(application) else ""


def min_traffic(application: Application) -> bool:
    """Racks count, and the strategy is min_traffic."""
    return _strategy(application) == "min_traffic"


def balance_subtopology(application: Application) -> bool:
    """Racks count, and the strategy is balance_subtopology."""
    return _strategy(application) == "balance_subtopology"


USUAL_COST = 10
"""The greatest cost that an assignor of Kafka's takes where none is set."""


def _both(task: Task) -> tuple[TopicPartition, ...]:
    return tuple(dict.fromkeys((*task.inputs, *task.changelogs)))


def overflowing_costs(application: Application) -> bool:
    """Racks are asked for and known, and a stateful task costs more somewhere than 32 bits can say: Kafka's sum wraps around.

    The cost of a task is the sum over its cross-rack partitions and its move. Assignors count partitions that are read, written
    or both. Both 2^31 and -2^31 are too much: Kafka takes the opposite of each cost, too.
    """
    settings = application.settings
    traffic, overlap = (
        USUAL_COST if cost is None else cost
        for cost in (
            settings.rack_aware_assignment_traffic_cost,
            settings.rack_aware_assignment_non_overlap_cost,
        )
    )
    most = max((len(task.inputs) + len(task.changelogs) for task in application.tasks), default=0)
    small = abs(traffic) * most + abs(overlap) <= INT32_MAX
    homes = {client.rack for client in application.clients}
    if settings.rack_aware_assignment_strategy == "none" or small or not all(homes):
        return False
    stateful = {task.id for task in application.tasks if task.stateful}
    return any(
        abs(traffic * across + move) > INT32_MAX
        for read in (inputs, changelogs, _both)
        for task, partitions in application.racks(read).items()
        if task in stateful and all(any(near) for near in partitions)
        for across in {sum(home not in near for near in partitions) for home in homes}
        for move in (0, overlap)
    )


def idle_strategy(application: Application) -> bool:
    """A strategy is set, but a rack that it needs is not known, so that racks do not count."""
    strategy = application.settings.rack_aware_assignment_strategy
    return strategy != "none" and not rack_aware(application)


def strategy_with_some_racks(application: Application) -> bool:
    """A strategy is set, all clients tell their rack, and of each partition that a task reads or writes some replica's rack is known, but not all.

    There racks count for the assignors that applications ask for (KIP-924), and not for Kafka's own.
    """
    read = [*application.racks(inputs).values(), *application.racks(changelogs).values()]
    return (
        idle_strategy(application)
        and all(client.rack for client in application.clients)
        and all(any(near) for partitions in read for near in partitions)
    )


def distant_client(application: Application) -> bool:
    """A client is in a rack that has no replica at all, though racks of replicas are known."""
    known = {
        rack
        for topic in application.topics
        for near in topic.racks or ()
        for rack in near
        if rack is not None
    }
    return bool(known) and any(client.rack and client.rack not in known for client in application.clients)


def new_application(application: Application) -> bool:
    """No client held anything."""
    return not any(client.active or client.standby for client in application.clients)


def newcomer(application: Application) -> bool:
    """Some clients held tasks, and another one held none."""
    return len({bool(client.active or client.standby) for client in application.clients}) > 1


def orphaned_task(application: Application) -> bool:
    """Some tasks were active on a client, and another one was active nowhere."""
    before = {task for client in application.clients for task in client.active}
    return bool(before) and any(task.id not in before for task in application.tasks)


def double_claim(application: Application) -> bool:
    """Two clients say that they ran one task active."""
    claims = Counter(task for client in application.clients for task in client.active)
    return any(number > 1 for number in claims.values())


def vanished_task(application: Application) -> bool:
    """Some client ran a task that does not exist."""
    known = {task.id for task in application.tasks}
    return any(
        task not in known for client in application.clients for task in (*client.active, *client.standby)
    )


def double_running(application: Application) -> bool:
    """Two clients' lags say that they run one task now."""
    running = Counter(
        task for client in application.clients for task, lag in client.lags.items() if lag == RUNNING
    )
    return any(number > 1 for number in running.values())


def uneven_holdings(application: Application) -> bool:
    """One client ran at least two active tasks more than another, so that balance asks for moves."""
    counts = [len(client.active) for client in application.clients]
    return max(counts, default=0) >= min(counts, default=0) + 2


def behind(application: Application) -> bool:
    """A client lags on a stateful task by more than acceptable.recovery.lag."""
    acceptable = application.settings.acceptable_recovery_lag
    return any(lag > acceptable for client in application.clients for lag in client.lags.values())


def uneven_lags(application: Application) -> bool:
    """Some client is caught up on a stateful task, and another one is not."""
    return any(
        0 < len(list_caught_up(application, task)) < len(application.clients)
        for task in stateful_tasks(application)
    )


def caught_up_nowhere(application: Application) -> bool:
    """A stateful task is caught up on no client, as when its client has died."""
    return any(not list_caught_up(application, task) for task in stateful_tasks(application))


def restorable(application: Application) -> bool:
    """A client that does not run a task lags within acceptable.recovery.lag, having its state on disk, while another runs it."""
    return any(
        RUNNING in (lags := [client.lags[task] for client in application.clients])
        and any(0 <= lag <= application.settings.acceptable_recovery_lag for lag in lags)
        for task in stateful_tasks(application)
    )


def unknown_lag(application: Application) -> bool:
    """A client's lag on a stateful task is not known."""
    stateful = set(stateful_tasks(application))
    return any(
        lag == UNKNOWN and task in stateful
        for client in application.clients
        for task, lag in client.lags.items()
    )


def unlimited_lag(application: Application) -> bool:
    """Any lag is acceptable, so that every client counts as caught up."""
    return application.settings.acceptable_recovery_lag == INT64_MAX
