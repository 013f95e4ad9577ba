"""The optima of a cluster's levels, found and proved once, to hold any number of answers against."""

from collections.abc import Mapping, Sequence
from operator import attrgetter

from kassay.model.workers import Cluster, WorkAssignment
from kassay.oracles.answers import Gap, Optima
from kassay.oracles.partitions import optima as of_partitions
from kassay.oracles.partitions.programmed import programmed as programmed_partitions
from kassay.oracles.workers.kinds import kinds, split
from kassay.oracles.workers.levels import LEVELS
from kassay.properties.workers.rounds import asks_again


def optima(cluster: Cluster) -> Optima:
    """Find and prove the optimum of each level, of moves at the most even loads; raises as the oracle of partitions does.

    An answer that asks for another round has no gaps.
    """
    found = {kind: of_partitions.optima(group) for kind, group in kinds(cluster).groups.items()}

    def gaps(answer: WorkAssignment) -> Sequence[Gap]:
        given = None if asks_again(answer) else split(cluster, answer)
        if given is None:
            return ()
        parts = {kind: best.gaps(given[kind]) for kind, best in found.items()}
        if not all(parts.values()):
            return ()
        value, least = (
            _together({kind: {gap.level: number(gap) for gap in of} for kind, of in parts.items()})
            for number in (attrgetter("value"), attrgetter("optimum"))
        )
        return tuple(Gap(name, value[name], least[name], level.words) for name, level in LEVELS.items())

    return Optima(_together({kind: best.least for kind, best in found.items()}), gaps)


def programmed(cluster: Cluster) -> Mapping[str, int]:
    """Return the optimum of each level by a linear program."""
    return _together({kind: programmed_partitions(group) for kind, group in kinds(cluster).groups.items()})


def _together(least: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    return {name: level.value(least) for name, level in LEVELS.items()}
