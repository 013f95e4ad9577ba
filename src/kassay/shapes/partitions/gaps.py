"""The exact optima of groups of topics and members, as the engine and the property that rests on them ask for them."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from kassay.errors import SkippedError
from kassay.model import Assignment, Group
from kassay.oracles.answers import Gap, Optima
from kassay.oracles.failures import OracleError
from kassay.oracles.partitions.levels import LEVELS
from kassay.shape import Assign


@lru_cache(maxsize=1)  # a check asks for those of the group that it has just judged by moves_optimal
def optima(group: Group, contract: str = "") -> Optima:
    """Find and prove the optima of a group's levels, under a contract where one is named, such as ``shared,``."""
    from kassay.oracles.partitions.optima import optima as proved

    return proved(group, contract)


def gaps(group: Group, assignment: Assignment, contract: str = "") -> Sequence[Gap]:
    """Return an assignment's gap in each level, none where it is not complete and legal."""
    return optima(group, contract).gaps(assignment)


def moves_optimal(settled: Callable[[Assign, Group], Assignment]) -> Callable[[Assign, Group], Iterator[str]]:
    """Make the law of a family; `settled` asks its assignors about a group until they withhold nothing."""

    def moves_optimal(assign: Assign, group: Group) -> Iterator[str]:
        """What it settles on takes no more partitions from their owners than the most even loads ask for.

        Where an answer only withholds what members have not handed over yet, the one counts on which the group comes to rest. Loads that are less even
        excuse no move: then both could be better. What is not complete and legal is not judged; raises SkippedError where
        no optimum is proved. Source: KIP-54, whose second aim it is; Kafka promises it for nothing, since its movements
        are greedy.
        """
        answer = settled(assign, group)
        try:
            found = gaps(group, answer)
        except OracleError as error:
            raise SkippedError(f"no optimum is proved: {error}") from error
        for gap in found:
            if LEVELS[gap.level].words.counts == "moving" and gap.value > gap.optimum:
                yield f"it moves {gap.value} partitions; as even as can be, it takes {gap.optimum}"

    return moves_optimal
