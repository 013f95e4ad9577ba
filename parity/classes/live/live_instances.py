"""Kafka's sticky assignors remember the highest generation that they have seen of any group; the others remember nothing."""

import pytest

from kassay.families import family
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.targets import Options, open_target

pytestmark = pytest.mark.usefixtures("java")

T1, U0 = TopicPartition("t", 1), TopicPartition("u", 0)
GROUP = Group(
    (Topic("t", 2), Topic("u", 1)),
    (Member("m0", ("u",), (T1,)), Member("m1", ("t", "u"), (U0,)), Member("m2", ("t",))),
)


@pytest.mark.parametrize("name", ["sticky", "cooperative-sticky", "range", "roundrobin"])
def test_a_later_generation_of_another_group_makes_claims_late(name):
    forms = family("consumer")
    with open_target(f"kafka:4.4.0#consumer/{name}", Options()) as target:
        assert bool(list(forms.laws["instance_isolated"](target.alternate_instances(), GROUP))) == (
            "sticky" in name
        )
        asked = target.alternate_instances()
        fresh = asked(GROUP)
        asked(Group(GROUP.topics, (Member("x", ("t",), (), 7),)))
        later = asked(GROUP)
    if name == "sticky":
        assert T1 not in fresh["m0"]
        assert T1 in later["m0"], "which does not subscribe to its topic any longer"
