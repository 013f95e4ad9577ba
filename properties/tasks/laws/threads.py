"""The law about threads: only how many a client has beside the others counts."""

from collections.abc import Iterator
from dataclasses import replace

from kassay.model.partitions import INT32_MAX
from kassay.model.tasks import Application
from kassay.properties.runs import Run
from kassay.properties.tasks.laws.differences import differences
from kassay.properties.tasks.rounds import Assign

FACTORS = (2, 3)
"""Halves are exact in binary fractions, thirds are not."""


def thread_scale_independent(assign: Assign, application: Application) -> Iterator[str]:
    """Twice or three times as many threads on every client change nothing.

    Source: HighAvailabilityTaskAssignor compares tasks for each thread, so that only the proportions of clients count.
    """
    before = Run("as listed", application, assign(application))
    for factor in FACTORS:
        if any(client.threads * factor > INT32_MAX for client in application.clients):
            continue
        more = tuple(replace(client, threads=client.threads * factor) for client in application.clients)
        scaled = replace(application, clients=more)
        now = Run(f"with {factor} times the threads", scaled, assign(scaled))
        if sentence := next(differences(before, now), None):
            yield sentence
            return
