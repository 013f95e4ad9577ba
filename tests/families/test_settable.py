"""Which assignors can be set in Kafka, which it has inside, and which are studies: known in one place, and right."""

import pytest

from kassay.families import FAMILIES, family
from kassay.families.assignors import ASSIGNORS
from kassay.families.family import INSIDE, SETTABLE, STUDY
from kassay.targets.java.releases import KAFKA


@pytest.mark.parametrize("name", FAMILIES)
def test_what_can_be_set_and_what_is_inside_are_kafka_s_assignors_and_the_rest_are_studies(name):
    known = family(name)
    own = [each for each in ASSIGNORS if each.startswith(f"{name}/")]
    kafka_s = [each for each in KAFKA if each.startswith(f"{name}/")]
    assert sorted([*known.settable, *known.inside]) == sorted(kafka_s), (
        f"src/kassay/families/{name}.py: say in SETTABLE of {kafka_s} how each is set, or that it is inside Kafka"
    )
    assert {known.classify_target(each) for each in own if each not in kafka_s} <= {STUDY}
    assert [setting.default for setting in known.settable.values()].count(True) == 1
    assert known.settable[known.default].default


def test_the_standing_of_a_release_is_that_of_its_name():
    assert family("consumer").classify_target("consumer/sticky@2.3.1") == SETTABLE
    assert family("streams").classify_target("streams/legacy-sticky") == INSIDE
    assert family("consumer").classify_target("consumer/optimal") == STUDY


def test_a_class_in_a_setting_is_kafka_s():
    for name, setting in ((n, s) for each in FAMILIES for n, s in family(each).settable.items()):
        for line in setting.lines:
            value = line.partition("=")[2]
            if "." in value:
                newest = KAFKA[name].class_name(KAFKA[name].versions()[-1])
                assert value == newest, name


@pytest.mark.parametrize("name", ["streams", "streams-group", "connect"])
def test_only_consumers_are_told_a_strategy_of_consumers(name):
    told = " ".join(
        part for each in family(name).settable.values() for part in (*each.lines, each.note, each.how)
    )
    assert "partition.assignment.strategy" not in told
    assert "group.remote.assignor" not in told


def test_what_a_change_takes_is_what_the_protocol_asks_for():
    """Streams groups start anew under the other protocol; a leader decides by its own setting; workers offer all protocols up to their own."""
    assert (
        family("streams-group")
        .settable["streams-group/sticky"]
        .how.startswith("a full stop: shut down all instances")
    )
    assert "leads the group decides by its own setting" in family("streams").settable["streams/sticky"].how
    connect = family("connect").settable
    assert connect["connect/incremental-cooperative"].how.endswith("when the last worker has it")
    assert connect["connect/eager"].how.endswith("when the first worker has it")
