"""Random rounds of Connect's clusters, sequence after sequence: a seed gives the same ones everywhere.

Each sequence begins with a cluster of any kind and is played with a reference: what that answers is what workers run and the leader
remembers in the next round, but for what happens meanwhile (workers that join, leave or miss an answer, rounds broken off, another
leader, connectors created, changed and deleted, time going by).
"""

from collections.abc import Iterator
from itertools import count

from kassay.model.workers import Cluster
from kassay.properties.choices import from_seed
from kassay.properties.workers.clusters import choose_settings, timeline
from kassay.properties.workers.timelines import Assign, Timeline, play
from kassay.reference.connect import incremental_cooperative

EVENTS = (0, 14)


def sequences(seed: int) -> Iterator[Timeline]:
    """Yield sequences without end."""
    for number in count():
        choices = from_seed((seed << 32) + number)
        yield timeline(choices, choose_settings(choices, churn=EVENTS))


def stream(seed: int, assign: Assign = incremental_cooperative.assign) -> Iterator[Cluster]:
    """Yield the rounds of sequences without end."""
    for sequence in sequences(seed):
        yield from play(assign, sequence)
