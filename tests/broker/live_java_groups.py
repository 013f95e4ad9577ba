"""Groups of Java consumers settle on what the reference gives, round by round."""

import pytest
from java_members import CLASSES
from settling import settled

from kassay.group_json import read_group, write_assignment
from kassay.reference import ASSIGNORS


def held_against_reference(run):
    """The class that led answered as the reference does, to the last list."""
    given = ASSIGNORS[f"consumer/{run['assignor']}"].assign(read_group(run["group"]))
    assert write_assignment(given) == run["assignment"]


@pytest.fixture(params=[True, False], ids=["racks", "no racks"])
def racks(request):
    return dict(zip("abcde", ["a", "b", "c", "a", "b"] if request.param else [None] * 5, strict=True))


@pytest.mark.parametrize("strategy", CLASSES)
def test_rounds_and_outcome(java, strategy, racks):
    group = f"java-{strategy}-{racks['a']}"
    topics = dict.fromkeys("abcd", ["orders", "payments", "clicks"]) | {"e": ["clicks", "logins"]}
    present = set()

    def check():
        now = settled(java, group, present, lambda: java.held)
        run = java.runs[group][-1]
        assert run["assignor"] == strategy
        assert {m["id"] for m in run["group"]["members"]} == set(now.ids.values())
        asked = {m["id"]: m for m in run["group"]["members"]}
        for client, member in now.ids.items():
            letter = client[-1]
            assert sorted(asked[member]["topics"]) == sorted(topics[letter])
            assert asked[member]["rack"] == racks[letter]
        assert {m: {tuple(p) for p in some} for m, some in run["assignment"].items()} == now.by_member()

    def start(letter):
        client = f"{group}-{letter}"
        java.start(client, group, strategy, topics[letter], racks[letter])
        present.add(client)

    def stop(letter):
        java.stop(f"{group}-{letter}")
        present.remove(f"{group}-{letter}")

    for letter in "abc":
        start(letter)
    check()
    start("d")
    check()
    stop("b")
    check()
    start("e")  # subscribes to other topics
    check()
    for run in java.runs[group]:
        held_against_reference(run)
    assert len(java.runs[group]) >= 4
    for letter in "acde":
        stop(letter)
    assert not java.failures
