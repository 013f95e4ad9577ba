"""The exact optima of groups of topics and members, as the engine asks for them; families say which questions are theirs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from kassay.errors import SkippedError
from kassay.families.shapes.partitions.over_time import SEQUENCES
from kassay.families.shapes.proved import checks
from kassay.family import Oracles
from kassay.model import Assignment, Group
from kassay.model.hosts import without_rule
from kassay.model.partitions_json import write_group
from kassay.oracles.answers import Answer, Dominated, Frontier, Gap, Optima, Weighing, Worst
from kassay.oracles.errors import OracleError
from kassay.oracles.partitions.levels import LEVELS, compared
from kassay.shape import Assign


@lru_cache(maxsize=1)  # a check asks for those of the group that it has just judged by moves_optimal
def optima(group: Group, contract: str = "") -> Optima:
    """Find and prove the optima of a group's levels, under a contract where one is named, such as ``shared,``."""
    from kassay.oracles.partitions.optima import optima as proved

    return proved(group, contract)


WEIGHED = tuple(name for name, level in LEVELS.items() if level.weighs)


@lru_cache(maxsize=1)
def weight_gaps(group: Group, levels: tuple[str, ...]) -> Callable[[Assignment], Sequence[Gap]]:
    """Find what is known of some levels of weights, where the group has them, to hold complete and legal answers against."""
    from kassay.oracles.partitions.weights.optimum import known

    found = known(group, levels)

    def gaps(assignment: Assignment) -> Sequence[Gap]:
        return [
            Gap(one.name, of.measure(group, assignment), one.value, of.words, one.least, one.agreed)
            for one in found
            for of in (LEVELS[one.name],)
        ]

    return gaps


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


COMPARED = (
    "balance is the greatest load less the least; moves, cross-rack and topic-spread are compared with the least that the most even loads "
    "allow, so less even answers may be below it and count as 0"
)


def oracles(
    questions: Mapping[str, str],
    worst_questions: Mapping[str, str],
    settled: Callable[[Assign, Group], Assignment] = lambda assign, group: assign(group),
    contract: str = "",
) -> Oracles:
    """Make the oracles of a family; `settled` asks again where its assignors may withhold something at first.

    `contract` is what its assignments must keep besides, as questions name it, such as ``shared,``: then sequences are not asked.
    """

    def worst(assign: Assign, question: str, seed: int, tries: int) -> Worst:
        from kassay.families.shapes.partitions.small_groups import small_groups, small_weighed_groups
        from kassay.families.shapes.worst import worst_of
        from kassay.oracles.partitions.worst_case import ground, judge

        asked = judge(lambda group: settled(assign, group), question)
        weighs = LEVELS[question.rpartition(",")[2]].weighs
        small = small_weighed_groups() if weighs else small_groups()
        return worst_of(asked, ground(question), small, question, seed, tries)

    optima_of = (
        partial(optima, contract=contract) if contract else optima
    )  # one function: families are compared in it
    return Oracles(
        questions, compared(contract), _optimum, partial(gaps, contract=contract), optima_of,
        partial(_explain, contract), worst_questions, worst, partial(_programmed, contract), checks("shared" if contract else "partitions", _written), COMPARED,
        {name: level.words for name, level in LEVELS.items()}, partial(_frontiers, contract), None if contract else SEQUENCES, contract,
        dominance=None if contract else _dominance, weighed=None if contract else _weighed, weighing=None if contract else _weighing,
        weights=() if contract else WEIGHED, weight_gaps=None if contract else weight_gaps,
    )  # fmt: skip


def _weighed(group: Group, how: str, where: str) -> Group:
    from kassay.families.shapes.partitions.weighing import weighed

    return weighed(group, how, where)


def _weighing(group: Group, answers: Mapping[str, Assignment]) -> Weighing:
    from kassay.families.shapes.partitions.weighing import weighing

    return weighing(group, answers)


def _optimum(question: str, group: Group, time_limit_s: float | None) -> Answer:
    from kassay.oracles.partitions.optimum import optimum

    return optimum(question, group, time_limit_s)


def _written(group: Group) -> Mapping[str, Any]:
    return write_group(without_rule(group))


def _explain(contract: str, group: Group, assignment: Assignment) -> list[str]:
    from kassay.oracles.partitions.optima import explain

    return explain(group, assignment, contract=contract)


def _programmed(contract: str, group: Group) -> Mapping[str, int]:
    from kassay.oracles.partitions.optima import programmed

    return programmed(group, contract)


@lru_cache(maxsize=1)  # whoever is compared is asked about one group after the other
def _dominance(group: Group) -> Callable[[Assignment], Dominated | None]:
    from kassay.oracles.partitions.optima import dominance

    return dominance(group)


def _frontiers(contract: str, group: Group, time_limit_s: float | None) -> Sequence[Frontier]:
    """Moves against partitions read across racks at the most even loads; balance against both at any loads."""
    from kassay.oracles.partitions.frontier import frontiers

    return frontiers(group, time_limit_s, contract)
