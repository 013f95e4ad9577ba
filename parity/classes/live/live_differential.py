"""The references of all releases answer as Kafka's own classes, to the last list."""

import pytest
from classes.differ.counterparts import COUNTERPARTS, SOURCES, Counterpart

from kassay.engine.differential import Comparison, Course, run
from kassay.families import family
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.targets import Options, open_target
from kassay.targets.java import open_kafka

pytestmark = pytest.mark.usefixtures("java", "one_hash")


@pytest.mark.parametrize(
    ("held", "source"),
    [
        (held, source)
        for held in COUNTERPARTS
        for source in SOURCES
        if source == "hostile" or held.kind != "user-data"
    ],
    ids=lambda one: getattr(one, "file_name", one),
)
def test_equal_on_a_thousand_groups(held: Counterpart, source: str):
    options = Options(timeout_s=20.0)
    targets = [open_kafka(one, one.partition(":")[2], options) for one in held.classes]
    try:
        course = Course(list(held.classes), held.name, seed=0)
        comparison = Comparison(targets, open_target(held.reference, options), family(held.family))
        assert list(run(comparison, course, 1_000, source=SOURCES[source](held, 0))) == []
        assert course.groups >= 1_000
    finally:
        for target in targets:
            target.close()


ENDLESS = Group(
    (Topic("a", 8), Topic("b", 8), Topic("c", 8), Topic("d", 12), Topic("e", 3)),
    (
        Member("m0", ("b", "d"), tuple(TopicPartition("b", number) for number in range(8)), 1),
        Member("m1", ("b", "c", "d"), (TopicPartition("c", 1), TopicPartition("c", 6)), 1),
        Member("m2", ("c", "d"), (TopicPartition("c", 0),), 1),
        Member("m3", ("a", "c", "e"), (), 1),
        Member(
            "m4",
            ("a", "d"),
            (
                *(TopicPartition("a", number) for number in range(8)),
                *(TopicPartition("d", number) for number in range(2, 12)),
            ),
            1,
        ),
    ),
)


@pytest.mark.parametrize(
    ("release", "endless"),
    [("2.3.1", 0), ("2.4.0", 1), ("2.8.0", 0), ("3.0.0", 1), ("3.4.1", 1), ("4.4.0", 1)],
)
def test_a_group_without_an_answer_is_counted(release: str, endless: int):
    """Movements undo each other for ever: in 2.4 to 2.5.0, and since 3.0; between, what members hold is not heard."""
    name = f"kafka:{release}#consumer/sticky"
    with open_kafka(name, name.partition(":")[2], Options(timeout_s=3.0)) as target:
        course = Course([name], "consumer/sticky", seed=0)
        reference = open_target(f"consumer/sticky@{release}", Options())
        assert list(Comparison([target], reference, family("consumer")).compare([ENDLESS], course)) == []
        assert (course.groups, course.endless) == (1, endless)
