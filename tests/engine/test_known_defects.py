"""Known defects: the grave ones stand first, with a small group, when it happens and the way out."""

import json

import pytest
from printed import json_lines
from whole import cases, some

from kassay.cli import main
from kassay.comparison.group_facts import describe_releases, find_severe_defects
from kassay.engine import trial
from kassay.engine.check import check
from kassay.engine.finding import Finding
from kassay.engine.generate import BATCH, DIRECTED, draw_batches, draw_examples
from kassay.engine.promises import read_promises
from kassay.engine.trial import find_recorded, read_defects
from kassay.engine.verdict import Distance, Tally, Verdict
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.families.words import severity, way_out
from kassay.output.block import KNOWN_DEFECT
from kassay.properties.minimise import Minimised
from kassay.properties.partitions.laws import settling
from kassay.targets import Options, open_target

CONSUMER = family("consumer")
STICKY = ASSIGNORS["consumer/sticky"]
VANISHED = {
    "topics": [{"name": "t0", "partitions": 1}],
    "members": [{"id": "m0", "topics": ["t0"], "owned": [["t0", 1]]}],
}


@pytest.mark.parametrize("seed", cases(2, 6))
def test_directed_groups_find_the_endless_rebalance_with_three_members(seed):
    found = [
        group
        for group in draw_examples(CONSUMER.shape.directed(), 200, seed)
        if next(settling(STICKY.assign, group), None)
    ]
    assert found
    assert all(len(group.members) == 3 for group in found)
    assert all(CONSUMER.situations["mixed_subscriptions"](group) for group in found)
    assert all(CONSUMER.situations["racks_decide"](group) for group in found)


def test_a_full_batch_has_directed_groups_and_the_others_are_as_before():
    groups, timelines = next(draw_batches(CONSUMER, BATCH, 0))
    assert len(groups) + len(timelines) == BATCH + DIRECTED
    few, _ = next(draw_batches(CONSUMER, 20, 0))
    assert len(few) == 15
    broker, _ = next(draw_batches(family("broker"), BATCH, 0))
    assert len(broker) == BATCH - BATCH // 4 + DIRECTED


def test_the_smallest_group_of_the_endless_rebalance_has_three_members():
    target = open_target("consumer/sticky", Options())
    group = next(
        group
        for group in draw_examples(CONSUMER.shape.directed(), 200, 1)
        if next(settling(STICKY.assign, group), None)
    )
    promises = read_promises(target, CONSUMER)
    told = check(target, CONSUMER, examples=0, given=[("g", group)], wanted=["settling"], promises=promises)
    (one,) = find_severe_defects([item for item in told if isinstance(item, Finding)])
    assert one.sizes["members"] == 3
    assert one.sizes["partitions"] <= 8
    assert (one.graveness, one.releases) == ("endless", "3.7.1 to 4.4.0")
    assert one.when == "members that read different topics and racks"
    assert one.way_out == "let all members read the same topics, or leave client.rack out on all members"


def test_grave_ones_stand_before_the_table_and_first_in_the_records(tmp_path, capsys):
    file = tmp_path / "vanished.json"
    file.write_text(json.dumps(VANISHED))
    asked = ["--property", "crash_free", "--group", str(file), "-o", str(tmp_path)]
    command = ["check", "consumer/sticky", *asked]
    assert main([*command, "--json"]) == 0
    records = json_lines(capsys)
    graves = [one for one in records if one["record"] == "grave defect"]
    assert records[0]["record"] == "check"
    assert records[1 : 1 + len(graves)] == graves
    assert "crash_free" in {one["property"] for one in graves}
    known = {one["property"] for one in records if one.get("outcome") == KNOWN_DEFECT}
    assert {one["property"] for one in graves} == {*filter(severity, known)}
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "it throws an exception" in out
    assert "Workaround: restart the members that had the topic" in " ".join(out.split())


def test_releases_are_those_that_behave_alike():
    assert (
        describe_releases("consumer/sticky")
        == describe_releases("kafka:4.4.0#consumer/sticky")
        == "3.7.1 to 4.4.0"
    )
    assert describe_releases("consumer/sticky@2.4.0") != describe_releases("consumer/sticky")
    assert describe_releases("consumer/fair") == describe_releases("exec:./mine") == ""


def test_every_situation_of_a_grave_defect_of_kafkas_consumers_has_a_way_out():
    for assignor in ASSIGNORS.values():
        if assignor.family == "consumer":
            for promise in filter(severity, assignor.except_in):
                assert all(map(way_out, assignor.except_in[promise])), (assignor.name, promise)


OPENED_STICKY = open_target("consumer/sticky", Options())
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
    groups = {defect.group for defect in read_defects("consumer/sticky")}
    shown = found(OPENED_STICKY, "stable")
    assert shown
    for one in shown:
        assert one.outcome == KNOWN_DEFECT
        assert one.group in groups
        assert one.smallest
        assert list(CONSUMER.laws["stable"](OPENED_STICKY.assign, one.group))[:1]


def test_a_recorded_group_that_is_not_broken_any_more_is_not_shown(monkeypatch):
    harmless = CONSUMER.shape.read_group(HARMLESS)
    made_small = []

    def minimise(group, holds, *_, **__):
        made_small.append(group)
        assert holds(group)
        return Minimised(group, 0, finished=False)

    monkeypatch.setattr(trial, "find_recorded", lambda *_: [harmless])
    monkeypatch.setattr(trial, "minimise", minimise)
    shown = found(OPENED_STICKY, "stable")
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
    assert find_recorded("consumer/sticky", "stable", {"racks_decide"})
    assert find_recorded("consumer/sticky@3.5.0", "stable", {"racks_decide"}) == find_recorded(
        "consumer/sticky", "stable", {"racks_decide"}
    )
    assert find_recorded("python:my:assign", "stable", {"racks_decide"}) == []
    assert find_recorded("consumer/sticky", "stable", {"single_member"}) == []


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
    given = [
        (f"{number}", group) for number, group in enumerate(draw_examples(of_target.shape.groups(), 3, 0))
    ]
    wanted = ["complete"]
    (one, *_) = (
        each
        for each in check(target, of_target, examples=16, given=given, wanted=wanted, measured=True)
        if isinstance(each, Distance)
    )
    assert len(given) < one.groups < one.tried
    assert one.sampled
