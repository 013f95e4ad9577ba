"""The steps that the minimiser tries on an application, boldest first."""

from collections.abc import Iterator

from kassay.model.tasks import Application
from kassay.properties.minimise import in_pairs
from kassay.properties.tasks.shrinking.canonicalise import (
    canonical_names,
    canonical_order,
    disorder,
    exchanged,
)
from kassay.properties.tasks.shrinking.catalogue import catalogue
from kassay.properties.tasks.shrinking.drop_features import (
    drop_consumers,
    drop_feature,
    drop_holdings,
    drop_racks,
    drop_state,
    drop_tags,
)
from kassay.properties.tasks.shrinking.lower import lower_lags, lower_settings, lower_threads
from kassay.properties.tasks.shrinking.order import size
from kassay.properties.tasks.shrinking.remove import (
    merge_subtopologies,
    merge_topics,
    remove_clients,
    remove_reading,
    remove_tasks,
    remove_topics,
    renumber,
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
