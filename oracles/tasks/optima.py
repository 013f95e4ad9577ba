"""Answers of task assignors compared with what is best: gaps to the optima, domination, and explanations in sentences."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import count
from types import MappingProxyType
from typing import NamedTuple

from kassay.model.tasks import Application, TaskAssignment, TaskId
from kassay.oracles.answers import Dominated, Far, Gap, Optima, describe_gaps
from kassay.oracles.assignment.active_standby.check import compute_values
from kassay.oracles.assignment.active_standby.optimum import solve_by_item
from kassay.oracles.assignment.active_standby.problem import RoleProblem
from kassay.oracles.assignment.flow.dominance import compare_dominance
from kassay.oracles.assignment.flow.exact import Solver
from kassay.oracles.assignment.own_levels import BALANCE, SUBTOPOLOGY_SPREAD, TOPIC_SPREAD, TOTAL_BALANCE
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.tasks.encoding import (
    NOBODY,
    Case,
    build_place_caps,
    decode_answer,
    encode_application,
    encode_owners,
)
from kassay.oracles.tasks.levels import COMPARED, LEVELS, NEAREST, is_of_past
from kassay.oracles.tasks.optimum import (
    build_flow_problem,
    compute_excess,
    compute_imbalance,
    compute_optimum,
    find_best,
    remeasure,
)
from kassay.oracles.tasks.question import COUNTS, Question, parse_question

MANY = 300_000
"""The most places of tasks' copies, over all tasks, for which answers with standbys are compared in moves."""
WARM = 4000
"""The first applications use the joint core: it takes as long as compiling the machine code. Optima are the same."""
_applications = count()


def compute_optima(application: Application, compared: Sequence[str] = COMPARED) -> Optima:
    """Find and prove the optimum of balance, and of each level compared after it at the most even loads.

    They are in the units of the measures; total-balance is included. Moves of large applications with
    standbys, which take minutes to prove, are left out (see MANY). Raises what :func:`kassay.oracles.tasks.optimum.compute_optimum` raises.
    """
    case = _encode(application, compared)
    least = _find_least(case, compared, _solve)
    levels = [level for level in compared if level in least]

    def gaps(answer: TaskAssignment) -> tuple[Gap, ...]:
        owners = encode_owners(case, answer)
        if owners is None:
            return ()
        reached = _measure(case, levels, owners)
        return tuple(Gap(level, reached[level], least[level], LEVELS[level].words) for level in levels)

    return Optima(least, gaps)


def _encode(application: Application, compared: Sequence[str]) -> Case:
    """Return the problem of all compared levels; for the spread of subtopologies only the caps differ."""
    return encode_application(
        application, parse_question(",".join(each for each in compared if each != SUBTOPOLOGY_SPREAD))
    )


def is_large(case: Case) -> bool:
    """Return True if tasks with standbys have too many places for a proof of moves in seconds."""
    standbys = int(case.problem.standbys.max(initial=0))
    return standbys > 0 and case.problem.items * case.problem.members ** (1 + standbys) > MANY


def is_compared(case: Case, level: str) -> bool:
    """Return True if answers are compared in a level: it takes no minutes to prove, and is not of active tasks alone if there are standbys."""
    if level == SUBTOPOLOGY_SPREAD:
        return not case.problem.standbys.any()
    return not (is_of_past(level) and is_large(case))


def solve_by_program(application: Application, compared: Sequence[str] = COMPARED) -> dict[str, int]:
    """Return the same optima by an integer program in PuLP, task by task, to check the fast ones."""

    def solve(case: Case, asked: Sequence[Question]) -> list[Ints]:
        return [solve_by_item(case.problem, each.levels)[0] for each in asked]

    return _find_least(_encode(application, compared), compared, solve)


def _solve(case: Case, asked: Sequence[Question]) -> list[Ints]:
    """Return optimal owners for each question, by machine code if it is loaded and finds them."""
    small = _load_machine_code() if next(_applications) >= WARM else None
    joint = [each.levels for each in asked if SUBTOPOLOGY_SPREAD not in each.levels]
    known = dict(zip(joint, small(case.problem, joint), strict=True)) if small and joint else {}
    found = []
    for each in asked:
        owners = known.get(each.levels)
        if owners is None:
            of = case
            if SUBTOPOLOGY_SPREAD in each.levels:
                of = replace(case, problem=replace(case.problem, caps=build_place_caps(case.problem)))
            owners = find_best(of, each).owners
        found.append(owners)
    return found


@cache
def _load_machine_code() -> Callable[[RoleProblem, Sequence[tuple[str, ...]]], list[Ints | None]] | None:
    """Return the fast solver of small problems, None if numba is not installed."""
    try:
        from kassay.oracles.assignment.active_standby.small_optimum import find_small_optima
    except UnsolvedError:
        return None
    return find_small_optima


def _find_least(
    case: Case, compared: Sequence[str], solve: Callable[[Case, Sequence[Question]], Sequence[Ints]]
) -> dict[str, int]:
    found: dict[str, int] = {}
    questions = [parse_question(f"{BALANCE},{level}") for level in compared[1:] if is_compared(case, level)]
    for asked, owners in zip(questions, solve(case, questions), strict=True):
        measured = _measure(case, asked.levels, owners)
        if any(found.get(level, value) != value for level, value in measured.items()):
            raise UnsolvedError(f"{asked}: two optima differ, {found} and {measured}")
        found |= measured
    return {level: found[level] for level in (BALANCE, TOTAL_BALANCE, *compared[1:]) if level in found}


def _measure(case: Case, levels: Sequence[str], owners: Ints) -> dict[str, int]:
    worth = dict(zip(levels, compute_values(case.problem, tuple(levels), owners), strict=True))
    if SUBTOPOLOGY_SPREAD in worth:
        worth[SUBTOPOLOGY_SPREAD] = compute_excess(case.problem, worth[SUBTOPOLOGY_SPREAD])
    return worth | {
        each: compute_imbalance(case, each, owners) for each in (BALANCE, TOTAL_BALANCE) if each in worth
    }


def compute_dominance(
    application: Application, compared: Sequence[str] = COMPARED
) -> Callable[[TaskAssignment], Dominated | None]:
    """Return a function that looks for an answer that dominates another in the compared levels: as good in all, with subtopologies spread better.

    It returns None if the answer is provisional, or not complete and legal, or if there are standbys: with these, to spread
    subtopologies as well is NP-hard. Raises as :func:`compare_dominance`.
    """
    # without standbys nothing but active tasks reads
    levels = tuple(level for level in compared if not LEVELS[level].reads[1])
    case = encode_application(application, Question(()))
    standbys = bool(case.problem.standbys.any())
    case = case if standbys else encode_application(application, Question(levels))
    judge = None if standbys else compare_dominance(Solver(build_flow_problem(case.problem, levels)))

    def dominated(answer: TaskAssignment) -> Dominated | None:
        owners = encode_owners(case, answer)
        if judge is None or owners is None:
            return None
        if not case.problem.items:
            return Dominated(SUBTOPOLOGY_SPREAD, 0, 0, False)
        found = judge(owners)
        value, least = (compute_excess(case.problem, squares) for squares in (found.squares, found.least))
        better = None if found.owners is None else decode_answer(case, found.owners)
        asked = ",".join(found.levels).replace(TOPIC_SPREAD, SUBTOPOLOGY_SPREAD)
        return Dominated(SUBTOPOLOGY_SPREAD, value, least, found.verdict, better, asked)

    return dominated


class Move(NamedTuple):
    """A copy handed from one client to another; both are the same if a task changes its role there."""

    task: TaskId
    role: str
    giver: str
    taker: str

    def __str__(self) -> str:
        what = f"{self.task}" if self.role == "active" else f"the standby of {self.task}"
        return f"{what} from {self.giver} to {self.taker}"


def find_moves_to_optimum(text: str, application: Application, answer: TaskAssignment) -> list[Move] | None:
    """Return the fewest moves that turn an answer into an optimum of a question.

    Returns None if the answer is provisional, or not complete and legal. Raises what
    :func:`kassay.oracles.tasks.optimum.compute_optimum` raises.
    """
    asked = parse_question(text, given=True)
    asked = Question((*asked.levels, NEAREST), asked.contracts)
    plain = encode_application(application, Question(()))
    owners = encode_owners(plain, answer)
    if owners is None:
        return None
    better = find_best(encode_application(application, asked, answer), asked).owners
    moves = []
    for task, before, after in zip(plain.tasks, owners.tolist(), better.tolist(), strict=True):
        for role, some in (("active", slice(1)), ("standby", slice(1, None))):
            left = sorted(set(before[some]) - set(after[some]) - {NOBODY})
            come = sorted(set(after[some]) - set(before[some]) - {NOBODY})
            names = (
                (plain.clients[giver], plain.clients[taker]) for giver, taker in zip(left, come, strict=True)
            )
            moves += [Move(task, role, *pair) for pair in names]
    return moves


AT_ITS_COUNTS = tuple(f"{COUNTS},{level}" for level in COMPARED if any(LEVELS[level].reads))
"""The questions at the client's own counts, which KIP-925 keeps."""
UNCHANGED = "with as many tasks for each client as it has"
"""The condition of an optimum at the answer's own counts."""
PROVISIONAL = "It asks for another rebalance, so it is not compared with the best possible."
"""The sentence on a provisional answer."""


def explain(
    application: Application,
    answer: TaskAssignment,
    compared: Sequence[str] = COMPARED,
    at_its_counts: Sequence[str] = AT_ITS_COUNTS,
    measured: Mapping[str, int] = MappingProxyType({}),
) -> list[str]:
    """Return sentences on each level in which an answer is not optimal: the optimum, the moves to it, and why it is no less.

    Levels after balance are compared with the optimum at the most even loads, then with the one at the answer's own counts, if that has
    other moves. `measured` are values that replace the application's own. There are no sentences if the answer is
    not complete and legal. Raises what :func:`compute_optimum` raises.
    """
    if answer.probing:
        return [PROVISIONAL]
    case = encode_application(application, Question(()))
    if encode_owners(case, answer) is None:
        return []
    texts = [BALANCE, *(f"{BALANCE},{level}" for level in compared[1:]), *at_its_counts]
    large = is_large(case)
    asked = [text for text in texts if is_compared(case, text.rpartition(",")[2])]
    said = describe_gaps(_compare(text, application, answer, measured, moved=not large) for text in asked)
    left = " and ".join(LEVELS[level].words.many for level in compared if is_of_past(level))
    return [*said, *[f"{left}: there is too much in this group to prove the fewest in seconds."] * large]


def _compare(
    text: str, application: Application, answer: TaskAssignment, measured: Mapping[str, int], *, moved: bool
) -> Far:
    best = compute_optimum(text, application, given=answer if text in AT_ITS_COUNTS else None)
    handed = (find_moves_to_optimum(text, application, answer) if moved else None) or []
    level = best.levels[0] if text == BALANCE else best.levels[-1]
    own = measured.get(
        level.name, remeasure(application, answer, parse_question(text, given=True))[level.name]
    )
    words = LEVELS[level.name].words
    why = "; ".join(word.partition(": ")[2] for word in best.words if word.startswith(f"{level.name}: "))
    why = why if level.value and words.counts != "loads" else ""
    given = f" {UNCHANGED}" if text in AT_ITS_COUNTS else ""
    return Far(words, own, level.value, tuple(map(str, handed)), why, given=given)
