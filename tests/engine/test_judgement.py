"""The loop of check and sweep: it says of a group what the rule for one property, settling and the optima say."""

import re

import pytest
from hypothesis import given, settings
from mutants.tiny import any_choices, tiny_group

from kassay.engine.judge import judge_group, violations
from kassay.engine.promises import own_promises
from kassay.errors import DiedError, SkippedError, TargetGoneError
from kassay.families import family
from kassay.families.convergence import rest
from kassay.model import AssignorError, Group, Member, Topic
from kassay.reports.sweep.judge_rows import outliving
from kassay.targets import Options, Target, open_target

CONSUMER = family("consumer")
TARGETS = [
    open_target(f"consumer/{name}", Options()) for name in ("range", "cooperative-sticky", "redundant")
]
NAMES = (*CONSUMER.invariants, "crash_free", "stable", "settling")
ONE = Group((Topic("t", 2),), (Member("a", ("t",)),))


def judged(target, group, names=tuple(CONSUMER.properties)):
    promises = own_promises(target, CONSUMER)
    optima = CONSUMER.oracles.optima
    return judge_group(CONSUMER, target, promises, group, lambda _: names, optima=lambda: optima(group))


@settings(max_examples=25, deadline=None)
@given(any_choices())
def test_a_group_is_judged_as_each_property_alone(choices):
    group = tiny_group(choices)
    for target in TARGETS:
        found = judged(target, group, NAMES)
        told = {name: breach.messages if breach else () for name, breach in found.breaches.items()}
        alone = {name: violations(CONSUMER, name, group, target.assign, target) for name in told}
        assert told == alone
        if found.failure is not None:
            assert (found.settled, "crash_free" in told) == (None, True)
            continue
        if found.settled.failure is not None:
            with pytest.raises(AssignorError, match=re.escape(str(found.settled.failure))):
                rest(CONSUMER, target.assign, group)
            assert found.settled.rest.illegal
            assert found.settled.gaps is None
            continue
        at_rest = rest(CONSUMER, target.assign, group)
        assert found.settled.rest == at_rest
        assert (found.settled.gaps is None) == (not at_rest.legal)
        assert tuple(CONSUMER.oracles.gaps(group, at_rest.answer)) == (found.settled.gaps or ())


def raising(error, after=0):
    """Make a target that fails from some question on, and answers those before."""
    asked = iter(range(1000))

    def assign(group):
        if next(asked) >= after:
            raise error
        return {group.members[0].id: tuple(p for topic in group.topics for p in topic)}

    return Target("raising", "consumer", assign, assign)


def test_of_a_group_that_is_declined_nothing_is_judged():
    found = judged(raising(SkippedError("not mine")), ONE)
    assert (str(found.failure), found.breaches, found.settled) == ("not mine", {}, None)


def test_of_a_failure_only_what_needs_no_answer_is_judged():
    found = judged(raising(AssignorError("no")), ONE)
    assert found.breaches["crash_free"].messages == ("it fails: no",)
    assert not CONSUMER.invariants.keys() & found.breaches.keys()
    assert found.settled is None


def test_what_was_judged_before_a_target_was_gone_stands():
    found = judged(raising(TargetGoneError("used up"), after=1), ONE)
    assert found.breaches.keys() >= {*CONSUMER.invariants, "crash_free"}
    assert "deterministic" not in found.breaches
    assert str(found.gone) == "used up"
    with pytest.raises(TargetGoneError):
        judged(raising(TargetGoneError("used up")), ONE)


def test_for_a_sweep_what_is_gone_has_died():
    target = outliving(raising(TargetGoneError("used up"), after=1))
    found = judged(target, ONE)
    assert (found.gone, found.settled.rest.illegal) == (None, {})
    assert isinstance(judged(target, ONE).failure, DiedError)
