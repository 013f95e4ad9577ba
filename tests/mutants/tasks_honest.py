"""Honest task assignors that keep every promise made for them; the mutants are these, broken in one way.

Also what mutants are made with: other settings, other tasks given.
"""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

from kassay.model.tasks import INT64_MAX, UNKNOWN, Application, Given, TaskAssignment, TaskId
from kassay.properties.tasks.invariants import effect
from kassay.properties.tasks.measures import configured_tags
from kassay.reference.streams import fallback_prior
from kassay.reference.streams import high_availability as kafkas


def setting(application: Application, **values) -> Application:
    """Return the application with other settings."""
    return replace(application, settings=replace(application.settings, **values))


def giving(answer: TaskAssignment, role: str, change) -> TaskAssignment:
    """Return the answer with what `change` makes of each client's name and tasks in a role."""
    clients = {
        name: given._replace(**{role: tuple(change(name, getattr(given, role)))})
        for name, given in answer.clients.items()
    }
    return answer._replace(clients=clients)


def stateful(application: Application) -> set[TaskId]:
    """Return the tasks that keep state."""
    return {task.id for task in application.tasks if task.stateful}


LEGAL = frozenset(
    {"complete", "exclusive", "existing", "every_client", "stateful_standbys", "one_copy_per_client"}
)
COMMON = LEGAL | {
    "crash_free", "deterministic", "client_order_independent", "task_order_independent", "renaming_independent",
    "enough_standbys", "warm_ups_limited", "warm_ups_needed", "thread_scale_independent", "idle_settings_ignored",
    "rack_aware_keeps_counts", "rack_aware_no_more_traffic",
}  # fmt: skip


def high_availability(application: Application) -> TaskAssignment:
    """Do as Kafka does by default, with what it takes wrongly put right: unknown lags are long, no cost is below its default."""
    settings = replace(
        application.settings,
        rack_aware_assignment_traffic_cost=None,
        rack_aware_assignment_non_overlap_cost=None,
    )
    clients = tuple(
        replace(c, lags={task: INT64_MAX if lag == UNKNOWN else lag for task, lag in c.lags.items()})
        for c in application.clients
    )
    return kafkas.assign(replace(application, settings=settings, clients=clients))


class Even:
    """Loads as even as they get, and copies on as many values of tags as that leaves; looks at no lags and no history."""

    def __init__(self, application, values=None):
        self.clients = sorted(application.clients, key=lambda client: client.order)
        self.threads = {client.id: client.threads for client in self.clients}
        self.values = configured_tags(application) if values is None else values
        self.active = {}
        self.standby = {}

    def cost(self, counts, name):
        """The increase of the sum of the squares by threads with one more task."""
        return Fraction(2 * counts[name] + 1, self.threads[name])

    def counts(self, *roles):
        """How many tasks each client has in these roles."""
        every = Counter(name for role in roles for names in role.values() for name in names)
        return {name: every[name] for name in self.threads}

    def run(self, tasks):
        """Make tasks active where they cost least."""
        counts = self.counts()
        for task in sorted(tasks):
            name = min(counts, key=lambda name: self.cost(counts, name))
            counts[name] += 1
            self.active[task] = [name]

    def copy(self, tasks, number):
        """Give tasks a number of standbys."""
        for task in sorted(tasks):
            free = [name for name in self.threads if name not in self.active[task]]
            counts = self.counts(self.active, self.standby)
            self.standby[task] = sorted(free, key=lambda name: self.cost(counts, name))[:number]
        while self.move():
            pass

    def move(self):
        """Move standbys for tags, or for loads; say whether there was one to move."""
        counts, moved = self.counts(self.active, self.standby), False
        for task, names in self.standby.items():
            for source in list(names):
                taker = self.better(counts, [*self.active[task], *names], source)
                if taker is not None:
                    names[names.index(source)] = taker
                    counts[source], counts[taker], moved = counts[source] - 1, counts[taker] + 1, True
        return moved

    def better(self, counts, holders, source):
        """Return a client that gives a copy's task more values of a tag, or evens two loads, and costs no value."""
        for taker in self.threads:
            more, less = self.threads[source], self.threads[taker]
            lighter = 2 * (counts[source] * less - counts[taker] * more) > more + less
            if taker not in holders and (lighter or any(self.values.values())):
                loses, gains = effect(holders, source, taker, self.values)
                if not loses and (gains or lighter):
                    return taker
        return None

    def answer(self):
        """Return what the clients have."""
        return TaskAssignment(
            {
                name: Given(
                    *(tuple(sorted(t for t, on in role.items() if name in on)) for role in self.roles)
                )
                for name in self.threads
            },
            probing=False,
        )

    @property
    def roles(self):
        """The clients of each task, active and as standbys."""
        return self.active, self.standby


def even(application: Application, values=None) -> TaskAssignment:
    """Even the loads, and put copies on clients with other tags."""
    made = Even(application, values)
    made.run(task.id for task in application.tasks)
    stateful = [task.id for task in application.tasks if task.stateful]
    made.copy(stateful, application.settings.num_standby_replicas)
    return made.answer()


def by_rack(application: Application) -> TaskAssignment:
    """Even the loads, and put copies into other racks."""
    return even(application, racks_of(application))


def racks_of(application: Application):
    """Return each client's rack as if it were a tag."""
    return {client.id: {"rack": client.rack} if client.rack else {} for client in application.clients}


def fallback(application: Application) -> TaskAssignment:
    """Leave all active tasks where they were, as Kafka does in need."""
    return fallback_prior.assign(application)
