"""Flow, linear programs and counting out give the same optima, and their assignments measure what they say."""

from random import Random

import pytest
from drawing import QUESTIONS, asking
from second_opinions.every_assignment import exhaust
from second_opinions.optimum_by_program import optimum_by_program
from whole import cases, some

from kassay.model import Group
from kassay.oracles.answers import Answer
from kassay.oracles.errors import ImpossibleError, TooLargeError
from kassay.oracles.partitions.optimum import compute_optimum
from kassay.oracles.partitions.question import Question, parse_question, remeasure
from kassay.properties.partitions.invariants import (
    complete,
    distinct,
    evenly_shared,
    exclusive,
    existing,
    subscribed,
)

LOT = some(100, 300)


def check_legal(of: Group, found: Answer, asked: Question) -> None:
    of_copies = [evenly_shared, distinct] if asked.shared else [] if asked.several else [exclusive]
    for invariant in (complete, subscribed, existing, *of_copies):
        assert not list(invariant(of, found.assignment)), (of, found)
    given = [p for partitions in found.assignment.values() for p in partitions]
    assert asked.shared or all(given.count(p) == asked.copies for p in given)


@pytest.mark.parametrize("lot", cases(2, 8))
def test_three_oracles_agree_on_tiny_groups(lot):
    r = Random(lot)
    compared = 0
    while compared < LOT:
        text = r.choice(QUESTIONS)
        of = asking(r, text)
        asked = parse_question(text)
        try:
            _, best = exhaust(of, asked)
        except TooLargeError:
            continue
        except ImpossibleError:
            for oracle in (compute_optimum, optimum_by_program):
                with pytest.raises(ImpossibleError):
                    oracle(text, of)
            continue
        compared += 1
        expected = remeasure(of, best, asked)
        answers = [compute_optimum(text, of), optimum_by_program(text, of, collapse=bool(compared % 2))]
        for answer in answers:
            assert answer.proved
            assert answer.values == expected == remeasure(of, answer.assignment, asked), (text, of, answer)
            check_legal(of, answer, asked)
