"""The order in which a live leader's assignor receives a group, and who is shown groups in it."""

import json

from hypothesis import given, settings
from whole import share

from kassay.cli import main
from kassay.families import family
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.properties.partitions.strategies import groups
from kassay.reference import ASSIGNORS
from kassay.reference.consumer.members import apply_leader_order

T0, T1, U0 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)
LISTED = Group(
    (Topic("t", 3), Topic("u", 1)),
    (Member("worker-10", ("t", "u")), Member("worker-9", ("t", "u"), (U0, T1, T0), 4), Member("b", ("t",))),
)


def test_members_come_in_the_order_of_a_hash_map_and_claims_by_topic():
    led = apply_leader_order(LISTED)
    assert [member.id for member in led.members] == ["worker-9", "b", "worker-10"]
    assert led.members[0].owned == (T1, T0, U0)
    assert led.topics == LISTED.topics


@settings(max_examples=share(40, 100), deadline=None)
@given(groups())
def test_nothing_but_the_order_changes(group):
    led = apply_leader_order(group)
    assert apply_leader_order(led) == led
    assert {m.id: m for m in led.members}.keys() == {m.id: m for m in group.members}.keys()
    for member in group.members:
        (same,) = (one for one in led.members if one.id == member.id)
        assert sorted(same.owned) == sorted(member.owned)
        assert (same.topics, same.generation) == (member.topics, member.generation)


def test_compare_asks_in_the_order_of_the_leader(tmp_path, capsys):
    """A member without a subscription counts as equal only where it comes first: so the order decides."""
    members = (Member("aa", ("t",)), Member("ab", ()))
    group = Group((Topic("t", 2),), members[::-1])
    led, listed = (ASSIGNORS["consumer/sticky"].assign(one) for one in (apply_leader_order(group), group))
    assert led != listed
    file = tmp_path / "g.json"
    file.write_text(json.dumps(family("consumer").write_group(group)))
    for order, answer in (("leader", led), ("as-given", listed)):
        command = ["compare", "consumer/sticky", "--group", str(file), "--json", "--order", order]
        assert main(command) == 0
        (record, *_) = map(json.loads, capsys.readouterr().out.splitlines())
        assert record["order"] == order
        assert record["assignment"] == family("consumer").shape.write_assignment(answer)


def test_import_lists_members_in_the_order_of_the_leader_which_is_no_news(tmp_path, capsys):
    file = tmp_path / "g.txt"
    head = "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT"
    rows = [f"g worker-{n} /h c 1 t({n})" for n in (10, 9)]
    file.write_text("\n".join([head, *rows]))
    for options, ids in (
        ([], ["worker-9", "worker-10"]),
        (["--order", "as-given"], ["worker-10", "worker-9"]),
    ):
        assert main(["import", str(file), *options]) == 0
        printed = capsys.readouterr()
        assert [member["id"] for member in json.loads(printed.out)["members"]] == ids
        assert "order" not in printed.err
