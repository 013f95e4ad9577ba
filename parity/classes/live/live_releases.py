"""Kafka's own releases answer: the newest as recorded, all as the references of these releases."""

from itertools import islice

import pytest
from classes.groups import random_timelines
from classes.recorder import answers

from kassay.engine.differential import normalize_answer
from kassay.errors import InputError
from kassay.families import family
from kassay.model import Group, Member, Topic
from kassay.model.partitions_json import write_assignment, write_group
from kassay.reference.releases import has_release
from kassay.targets import Options, Target, open_target
from kassay.targets.java import find_newest_kafka, open_kafka
from kassay.targets.java.releases import KAFKA
from kassay.targets.maven.repository import list_versions

pytestmark = pytest.mark.usefixtures("java", "one_hash")

RECORDED = "4.4.0"
CONSUMER = family("consumer")
NAMES = [name for name, own in KAFKA.items() if own.artifact == "kafka-clients"]


def opened(version: str, name: str) -> Target:
    return open_kafka(f"kafka:{version}#{name}", f"{version}#{name}", Options(timeout_s=20.0))


@pytest.mark.parametrize("name", NAMES)
def test_the_newest_release_answers_as_recorded(name):
    recorded = answers.Recorded.read(answers.ANSWERS / f"{name.partition('/')[2]}@{RECORDED}.json")
    groups = list(islice(random_timelines.stream(recorded.seed), len(recorded.answers)))
    with opened(RECORDED, name) as target:
        assert [answers.hash_of_answer(answer) for answer in target.answers(groups)] == recorded.answers


@pytest.mark.parametrize("version", list_versions("org.apache.kafka", "kafka-clients"))
def test_every_release_known_answers_as_its_reference(version):
    groups = list(islice(random_timelines.stream(1), 500))
    for name in NAMES:
        if not has_release(name, version):
            with pytest.raises(InputError, match="hold no class"):
                opened(version, name)
            continue
        reference = open_target(f"{name}@{version}", Options())
        with opened(version, name) as target:
            pairs = zip(target.answers(groups), reference.answers(groups), strict=True)
            for group, (answer, wanted) in zip(groups, pairs, strict=True):
                assert normalize_answer(answer, CONSUMER) == normalize_answer(wanted, CONSUMER), write_group(
                    group
                )


def test_racks_count_from_the_release_that_knows_them():
    partitions = tuple(("b",) if number < 2 else ("a",) for number in range(4))
    group = Group(
        (Topic("t", 4, partitions),), (Member("m1", ("t",), rack="a"), Member("m2", ("t",), rack="b"))
    )
    swapped = {"m1": [["t", 2], ["t", 3]], "m2": [["t", 0], ["t", 1]]}
    ranges = {"m1": [["t", 0], ["t", 1]], "m2": [["t", 2], ["t", 3]]}
    for version, wanted in (("3.4.1", ranges), ("3.5.0", swapped), (find_newest_kafka().version, swapped)):
        with opened(version, "consumer/range") as target:
            assert write_assignment(target.assign(group)) == wanted, version


def test_two_releases_answer_side_by_side():
    with opened("2.2.2", "consumer/range") as old, opened(RECORDED, "consumer/range") as new:
        twice = Group((Topic("t", 4),), (Member("a", ("t", "t")), Member("b", ("t",))))
        assert [len(given) for given in old.assign(twice).values()] != [2, 2]
        assert [len(given) for given in new.assign(twice).values()] == [2, 2]
