"""How far an assignment is from the optimum, what would be better, and why no more than that, in sentences."""

from kassay.model import Assignment, Group
from kassay.oracles.answers import Answer, Gap
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.partitions.encoding import COSTS
from kassay.oracles.partitions.nearest import Move, moves_to_optimum
from kassay.oracles.partitions.optimum import optimum
from kassay.oracles.partitions.question import question
from kassay.oracles.partitions.remeasure import remeasure

MOVES = 6
"""How many moves a sentence lists at most."""


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


def explain(
    group: Group, assignment: Assignment, time_limit_s: float | None = None, contract: str = ""
) -> list[str]:
    """Return a sentence on each level: value, optimum, what to move, and why no less is possible.

    All but balance are compared with the best that the most even loads allow. `contract` comes before each question, such as
    ``shared,``. Raises what :func:`optimum` raises.
    """
    sentences = []
    for text in (f"{contract}{BALANCE}", *(f"{contract}{BALANCE},{level}" for level in COSTS)):
        best = optimum(text, group, time_limit_s)
        better = moves_to_optimum(text, group, assignment)
        sentences.append(_sentence(gaps(best, group, assignment)[-1], better, best))
    return sentences


def _sentence(each: Gap, better: list[Move] | None, best: Answer) -> str:
    name = "spread " if each.level == BALANCE else ""
    said = f"{each.level}: {name}{each.value}"
    level = best.levels[-1]
    if not level.proved:
        return f"{said}, optimum between {level.least} and {level.value}: the time was over"
    if each.over < 0:
        said += f", which only uneven loads allow; the most even ones need {each.optimum}"
    elif each.over == 0:
        said += ", the optimum" if not better else ", the optimum, but at loads that could be more even"
    else:
        said += f", optimum {each.optimum}"
    if better:
        listed = [f"{move.partition} from {move.giver} to {move.taker}" for move in better[:MOVES]]
        more = [f"{len(better) - MOVES} more"] if len(better) > MOVES else []
        said += f"; move {' and '.join(listed + more)}"
    elif better is None:
        wanted = (
            "as many subscribers as it wants hold"
            if best.question.startswith("shared,")
            else "exactly one subscriber holds"
        )
        said += f"; not every partition is where {wanted} it"
    if each.over >= 0 and each.optimum:
        why = [word.partition(": ")[2] for word in best.words if word.startswith(f"{each.level}: ")]
        said += f"; no assignment can do better, because: {'; '.join(why)}"
    return said
