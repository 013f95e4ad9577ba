"""Settling: what becomes of an application rebalance by rebalance, until its assignor changes nothing any more."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kassay.model.tasks import UNKNOWN, Application, Client, TaskAssignment, TaskId
from kassay.properties.tasks.lags import caught_up, log
from kassay.properties.tasks.rounds import ROUNDS, Assign, after, held, same

PATIENCE = 8
"""How many rebalances an assignor may need beyond `most_rounds` before it is taken to settle never."""


def most_rounds(application: Application, restored: int | None = None) -> int:
    """Return after how many rebalances an application has settled, on whatever clients it settles.

    A stateful task has at most as many copies as clients, all where there is most to restore.
    """
    copies = 1 + application.settings.num_standby_replicas
    reads = (
        sorted(
            (_reads(application, client, task.id, restored) for client in application.clients), reverse=True
        )[:copies]
        for task in application.tasks
        if task.stateful
    )
    return _rounds(application, [read for of_task in reads for read in of_task])


def bound_rebalances(application: Application, restored: int | None = None) -> int:
    """Return the number of rebalances after which an assignor is taken to converge never: PATIENCE more than it needs, and at most ROUNDS."""
    return min(most_rounds(application, restored) + PATIENCE, ROUNDS)


def rounds_for(application: Application, answer: TaskAssignment, restored: int | None = None) -> int:
    """Return after how many rebalances an application has settled on an answer, with so many records restored between two.

    Take an assignor that wants the same clients for a task in every rebalance, as HighAvailabilityTaskAssignor does, whose
    wish reads no lags. A wanted copy is cold until its client is caught up. A client keeps its cold copies and restores them
    until the next rebalance, but for those that get none of the warm-ups; then all of max.warmup.replicas are given, each to
    another cold copy. A copy that is caught up stays: it is active, or a standby. Let the last copy to be caught up need m
    intervals between rebalances, and all together n. While it waits, max.warmup.replicas intervals of others pass at a time: so
    it waits (n - m) / max.warmup.replicas rebalances at most, and restores for m. The next answer is the first that stays.
    """
    return _rounds(
        application,
        [_reads(application, client, task, restored) for client, task in _copies(application, answer)],
    )


def _rounds(application: Application, reads: Sequence[int]) -> int:
    longest = max(reads, default=0)
    return (sum(reads) - longest) // application.settings.max_warmup_replicas + longest + 1


def _reads(application: Application, client: Client, task: TaskId, restored: int | None) -> int:
    """Return in how many intervals between rebalances a client is caught up on a task; 0 where it is now."""
    lag, settings = client.lags[task], application.settings
    if caught_up(settings, lag):
        return 0
    if restored is None:
        return 1
    behind = log(application, task) if lag == UNKNOWN else lag
    return max(1, -(-(behind - settings.acceptable_recovery_lag) // restored))


def to_restore(application: Application, answer: TaskAssignment) -> int:
    """Count the copies of stateful tasks that an answer gives to clients which are not caught up on them."""
    return sum(
        not caught_up(application.settings, client.lags[task])
        for client, task in _copies(application, answer)
    )


def _copies(application: Application, answer: TaskAssignment) -> list[tuple[Client, TaskId]]:
    """Return the clients with the stateful tasks that they are given."""
    stateful = {task.id for task in application.tasks if task.stateful}
    given = ((client, held(answer, client, stateful)) for client in application.clients)
    return [(client, task) for client, roles in given for tasks in roles for task in tasks]


class Rebalance(NamedTuple):
    """An application as it joined, and the answer to it."""

    application: Application
    answer: TaskAssignment


@dataclass(frozen=True, slots=True)
class Settled:
    """Where an application came to rest: all its rebalances and their number.

    `rounds` counts the answers up to the first one that asks for no probing rebalance and is given again, which was the last;
    it is None where that did not happen within the limit of `settle`. Then `period` tells after how many rebalances the last
    application and answer came back, so that it goes on for ever; it is None where they were new.
    """

    rebalances: Sequence[Rebalance]
    rounds: int | None
    period: int | None = None

    @property
    def application(self) -> Application:
        """The application as it joined last."""
        return self.rebalances[-1].application

    @property
    def answer(self) -> TaskAssignment:
        """The last answer."""
        return self.rebalances[-1].answer


def settle(assign: Assign, application: Application, restored: int | None = None) -> Settled:
    """Feed an assignor's answers back until it repeats itself and wants no probing.

    Between two rebalances a client reads `restored` records of each changelog that it restores, one at least; None: all there
    are. It has as many more rebalances as `bound_rebalances` says.
    """
    rebalances = [Rebalance(application, assign(application))]
    for number in range(1, bound_rebalances(application, restored) + 1):
        before = rebalances[-1]
        following = after(*before, restored=restored)
        rebalances.append(Rebalance(following, assign(following)))
        if not before.answer.probing and same(before.answer, rebalances[-1].answer):
            return Settled(rebalances, number)
        if rebalances[-1] in rebalances[:-1]:
            return Settled(rebalances, None, number - rebalances.index(rebalances[-1]))
    return Settled(rebalances, None)
