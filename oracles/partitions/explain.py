"""How far an assignment is from the optimum, what would be better, and why no more than that, in sentences."""

from kassay.model import Assignment, Group
from kassay.oracles.answers import Answer, Gap
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.explaining import Far, sentences
from kassay.oracles.partitions.levels import LEVELS, compared
from kassay.oracles.partitions.nearest import Move, moves_to_optimum
from kassay.oracles.partitions.optimum import optimum
from kassay.oracles.partitions.question import question, remeasure


def gap(
    text: str, group: Group, assignment: Assignment, time_limit_s: float | None = None
) -> tuple[Gap, ...]:
    """Return how far an assignment, which may be wrong, is from a question's optimum, level by level.

    Its values are those of the measures, which count only what is held legally. Raises what :func:`optimum`
    raises.
    """
    return gaps(optimum(text, group, time_limit_s), group, assignment)


def gaps(best: Answer, group: Group, assignment: Assignment) -> tuple[Gap, ...]:
    """Return how far an assignment is from an optimum that is known already."""
    value = remeasure(group, assignment, question(best.question))
    return tuple(Gap(level.name, value[level.name], level.value) for level in best.levels)


def explain(group: Group, assignment: Assignment, contract: str = "") -> list[str]:
    """Say of each level in which an assignment is not at its best what would do, what to hand over for that, and why no less does.

    All but balance are compared with the best that the most even loads allow; of an assignment that does not give every partition to
    as many of its subscribers as are asked nothing is said. `contract` comes before each question, such as ``shared,``. Raises what :func:`optimum` raises.
    """
    found = []
    for text in (
        f"{contract}{BALANCE}",
        *(f"{contract}{BALANCE},{level}" for level in compared(contract)[1:]),
    ):
        handed = moves_to_optimum(text, group, assignment)
        if handed is None:
            return []
        best = optimum(text, group)
        found.append(_far(gaps(best, group, assignment)[-1], handed, best))
    return sentences(found)


def _far(each: Gap, handed: list[Move], best: Answer) -> Far:
    of_loads = each.level == BALANCE
    why = [word.partition(": ")[2] for word in best.words if word.startswith(f"{each.level}: ")]
    return Far(
        LEVELS[each.level].words,
        each.value,
        each.optimum,
        tuple(f"{move.partition} from {move.giver} to {move.taker}" for move in handed),
        "; ".join(why) if each.optimum and not of_loads else "",
        _loads(best.assignment) if of_loads else "",
    )


def _loads(assignment: Assignment) -> str:
    """Say how much everybody can have where loads differ by one at most: ``2 or 3 partitions each are possible``."""
    loads = sorted({len(held) for held in assignment.values()})
    if len(loads) == 1:
        return f"{loads[0]:,} {'partition each is' if loads[0] == 1 else 'partitions each are'} possible"
    if loads and loads[-1] == loads[0] + 1:
        return f"{loads[0]:,} or {loads[-1]:,} partitions each are possible"
    return ""
