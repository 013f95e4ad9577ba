"""Known defects of references are shown by the groups that are recorded of them, once these are confirmed, and never otherwise."""

import pytest
from whole import some

from kassay.engine import trial
from kassay.engine.check import check
from kassay.engine.finding import Finding
from kassay.engine.generate import drawn
from kassay.engine.trial import defects, recorded
from kassay.engine.verdict import KNOWN_DEFECT, Distance, Tally, Verdict
from kassay.families import family
from kassay.properties.minimise import Minimised
from kassay.targets import Options, open_target

CONSUMER = family("consumer")
STICKY = open_target("consumer/sticky", Options())
EXAMPLES = some(12, 400)


@pytest.fixture
def _no_minimising(monkeypatch):
    def minimise(*_, **__):
        raise AssertionError("made small")

    monkeypatch.setattr(trial, "minimise", minimise)


def found(target, name, **more):
    told = list(check(target, CONSUMER, examples=60, wanted=[name], **more))
    return [one for one in told if isinstance(one, Finding)]


@pytest.mark.usefixtures("_no_minimising")
def test_a_known_defect_is_not_made_small_again_and_is_confirmed():
    groups = {defect.group for defect in defects("consumer/sticky")}
    shown = found(STICKY, "stable")
    assert shown
    for one in shown:
        assert one.outcome == KNOWN_DEFECT
        assert one.group in groups
        assert one.smallest
        assert list(CONSUMER.laws["stable"](STICKY.assign, one.group))[:1]


def test_a_recorded_group_that_is_not_broken_any_more_is_not_shown(monkeypatch):
    harmless = CONSUMER.shape.read_group(HARMLESS)
    made_small = []

    def minimise(group, holds, *_, **__):
        made_small.append(group)
        assert holds(group)
        return Minimised(group, 0, finished=False)

    monkeypatch.setattr(trial, "recorded", lambda *_: [harmless])
    monkeypatch.setattr(trial, "minimise", minimise)
    shown = found(STICKY, "stable")
    assert {one.group for one in shown} <= set(made_small)
    for one in shown:
        assert one.group != harmless
        assert not one.smallest
    assert shown


HARMLESS = {
    "family": "consumer",
    "topics": [{"name": "t0", "partitions": 1}],
    "members": [{"id": "m0", "topics": ["t0"]}],
}


def test_other_targets_are_shown_by_their_own_groups():
    assert recorded("consumer/sticky", "stable", {"racks_decide"})
    assert recorded("consumer/sticky@3.5.0", "stable", {"racks_decide"}) == recorded(
        "consumer/sticky", "stable", {"racks_decide"}
    )
    assert recorded("python:my:assign", "stable", {"racks_decide"}) == []
    assert recorded("consumer/sticky", "stable", {"single_member"}) == []


def test_a_sample_is_said_and_its_laws_are_judged_on_it_alone():
    target = open_target("streams/fallback-prior", Options())
    of_target = family(target.family)
    told = list(check(target, of_target, examples=EXAMPLES, sampled=True))
    (tally,) = (one for one in told if isinstance(one, Tally))
    assert 0 < tally.sampled < tally.groups
    judged = {one.property: one.judged for one in told if isinstance(one, Verdict)}
    assert judged["complete"] == judged["crash_free"] == tally.groups
    assert judged["deterministic"] == tally.sampled
    (whole,) = (one for one in check(target, of_target, examples=EXAMPLES) if isinstance(one, Tally))
    assert whole.sampled is None
    assert whole.groups == tally.groups


def test_gaps_are_those_of_a_sample_and_of_every_group_that_is_given():
    target = open_target("streams/fallback-prior", Options())
    of_target = family(target.family)
    given = [(f"{number}", group) for number, group in enumerate(drawn(of_target.shape.groups(), 3, 0))]
    wanted = ["complete"]
    (one, *_) = (
        each
        for each in check(target, of_target, examples=16, given=given, wanted=wanted, measured=True)
        if isinstance(each, Distance)
    )
    assert len(given) < one.groups < one.tried
    assert one.sampled
