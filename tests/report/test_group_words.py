"""The sentences of the page of one group: who reaches the best possible, who comes near, and who gives no answer that counts."""

from dataclasses import replace

import pytest
from report.plain_sums import CONSUMER

from kassay.comparison.advice import Known, advice
from kassay.comparison.headline import headline, others
from kassay.comparison.measured import Measured
from kassay.oracles.answers import Gap


def of(name, *gaps, legal=True):
    """Return an answer with so much above the optimum of each level."""
    found = tuple(Gap(level, 5 + over, 5) for level, over in zip(CONSUMER.oracles.levels, gaps, strict=False))
    return name, Measured(name, {}, {}, found, None, {}, () if legal else ("complete",))


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([of("a", 0, 0, 0)], "a reaches the best possible."),
        ([of("a", 0, 2, 0)], "a misses the best possible: moves 7 for 5."),
        ([of("a", legal=False)], "a gives no complete and legal answer."),
        ([of("a", legal=False), of("b", legal=False)], "Neither assignor gives a complete and legal answer."),
        ([of(each, legal=False) for each in "abcd"], "None of the 4 assignors gives a complete and legal answer."),
        ([of("a", 0, 0, 0), of("b", 1, -2, 0)], "a reaches the best possible; b misses it: balance 6 for 5."),
        ([of("a", 0, 2, 0), of("b", 0, 1, 3)], "Neither assignor reaches the best possible; a comes nearest: moves 7 for 5."),
        ([of("a", 1, 2, 0), of("b", 0, 1, 3)], "Neither assignor reaches the best possible; b comes nearest: moves 6 for 5 and cross-rack 8 for 5."),
        ([of("a", 0, 2, 0), of("b", 0, 2, 0), of("c", legal=False)], "None of the 3 assignors reaches the best possible; a and b come nearest: moves 7 for 5."),
        ([of("a", 0, 0, 0), of("b", legal=False), *(of(each, 0, 0, 1) for each in "cde")],
         "a reaches the best possible; b gives no complete and legal answer; c misses it: cross-rack 6 for 5; d misses it: cross-rack 6 for 5; 1 more does not reach it."),
        ([of("a"), of("b", legal=False)], "a gives a complete and legal answer; b gives no complete and legal answer."),
        ([of("a", 0, 0, 0), of("b")], "a reaches the best possible; b gives an answer that is not compared with the optimum."),
    ],
)  # fmt: skip
def test_the_headline_says_who_reaches_the_best(answers, said):
    assert headline(answers) == said


def test_what_has_no_optimum_is_not_called_illegal():
    kafka_s = replace(of("a")[1], target="consumer/sticky")
    assert advice(Known(replace(CONSUMER, oracles=None), [kafka_s])).says == (
        "None of these answers is compared with an optimum: compare the measures."
    )
    assert others([of("a", 0, 2, 0), of("b"), of("c", legal=False)]) == (
        "a: moves 7 for 5; b: an answer that is not compared with the optimum; c: no complete and legal answer."
    )
