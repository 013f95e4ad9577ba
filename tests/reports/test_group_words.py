"""The sentences of the page of one group: who reaches the best possible, who comes near, and who gives no answer that counts."""

from dataclasses import replace

import pytest
from reports.plain_sums import CONSUMER

from kassay.comparison.advice import advise
from kassay.comparison.facts import Facts
from kassay.comparison.headline import describe_other_targets, render_headline
from kassay.comparison.measured import Measured
from kassay.oracles.answers import Gap


def of(name, *gaps, legal=True):
    """Return an answer with so much above the optimum of each level."""
    found = tuple(
        Gap(level, 5 + over, 5, CONSUMER.level(level))
        for level, over in zip(CONSUMER.oracles.levels, gaps, strict=False)
    )
    return name, Measured(name, {}, {}, found, None, {}, () if legal else ("complete",))


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([of("a", 0, 0, 0)], "a reaches the best possible."),
        ([of("a", 0, 2, 0)], "a does not reach the best possible: 7 moves, where 5 would do."),
        ([of("a", legal=False)], "a gives a wrong answer, or none."),
        ([of("a", legal=False), of("b", legal=False)], "Neither assignor gives a right answer."),
        ([of(each, legal=False) for each in "abcd"], "None of the 4 assignors gives a right answer."),
        ([of("a", 0, 0, 0), of("b", 1, -2, 0)], "a reaches the best possible; b does not: 6 apart, where 5 is possible."),
        ([of("a", 0, 2, 0), of("b", 0, 1, 3)], "Neither assignor reaches the best possible; a comes nearest: 7 moves, where 5 would do."),
        ([of("a", 1, 2, 0), of("b", 0, 1, 3)], "Neither assignor reaches the best possible; b comes nearest: 6 moves, where 5 would do; 8 reads across racks, where 5 would do."),
        ([of("a", 0, 2, 0), of("b", 0, 2, 0), of("c", legal=False)], "None of the 3 assignors reaches the best possible; a and b come nearest: 7 moves, where 5 would do."),
        ([of("a", 0, 0, 0), of("b", legal=False), *(of(each, 0, 0, 1) for each in "cde")],
         "a reaches the best possible; b gives a wrong answer, or none; c does not: 6 reads across racks, where 5 would do; d does not: 6 reads across racks, where 5 would do; nor does 1 more."),
        ([of("a"), of("b", legal=False)], "a gives a right answer; b gives a wrong answer, or none."),
        ([of("a", 0, 0, 0), of("b")], "a reaches the best possible; b gives an answer that is not compared with the best possible."),
    ],
)  # fmt: skip
def test_the_headline_says_who_reaches_the_best(answers, said):
    assert render_headline(answers) == said


def test_what_has_no_optimum_is_not_called_illegal():
    kafka_s = replace(of("a")[1], target="consumer/sticky")
    assert advise(Facts(replace(CONSUMER, oracles=None), [kafka_s])).says == (
        "No recommendation: the answers cannot be compared with an optimum. Compare the numbers."
    )
    assert describe_other_targets([of("a", 0, 2, 0), of("b"), of("c", legal=False)]) == (
        "a: 7 moves, where 5 would do; b: an answer that is not compared with the best possible; c: a wrong answer, or none."
    )
