"""Groups that the coordinator assigns, as the tools of Kafka 4.3.1 printed them: of consumers (KIP-848) and of share consumers (KIP-932).

The tools of 4.1.2 and 4.2.1 printed the same of these groups, but for the LAG of share groups (4.2).
"""

import pytest
from listings.headers import FOLDER, MIGRATING, SHARE, STATE
from printed import json_lines

from kassay.cli import main
from kassay.listings import read_listings


def file(name):
    return name, (FOLDER / f"{name}.txt").read_text()


def read(*names, **details):
    return {one.name: one for one in read_listings([file(name) for name in names], **details)}


def test_groups_of_consumers():
    found = read("coordinated-members", "coordinated-states", "coordinated-topics")
    assert {one.family for one in found.values()} == {"broker"}
    assert {member.generation for member in found["b-uniform"].group.members} == {5}
    assert [member.instance_id for member in found["b-uniform"].group.members] == ["inst-1", None, None, None]
    ids = {topic.name: topic.id for topic in found["b-uniform"].group.topics}
    assert ids == {
        "payments": "UFMCjTZsTwyb2g2-1ruQ-Q",
        "clicks": "NsAhj5AJTv6eQtN09XA5Iw",
        "orders": "vAo-GaEKR1C4ohzFAhCupw",
    }
    said = "\n".join(found["b-mixed"].warnings)
    facts = found["b-mixed"].facts
    assert facts is not None
    assert (facts.strategy, facts.state) == ("uniform", "Stable")
    assert (
        "1 member ('tioUJaTBTkysX5hfAHMi5A') speaks the classic protocol still (UPGRADED). The group is migrating"
        in said
    )


def test_they_can_be_taken_for_groups_of_the_classic_protocol():
    taken, own = (read("coordinated-members", family=name)["b-range"] for name in ("consumer", None))
    assert (taken.family, own.family) == ("consumer", "broker")
    assert taken.group == own.group  # without a listing of topics nothing has an id
    assert (
        "consumer group 'b-range' is of family broker, but is taken to be of family consumer"
        in taken.warnings
    )


@pytest.mark.parametrize("briefly", [True, False])
def test_share_groups(briefly):
    members = "share-members-briefly" if briefly else "share-members"
    found = read(members, "share-states", "share-offsets", "coordinated-topics")["sh"]
    assert found.family == "share"
    assert {member.generation for member in found.group.members} == {None if briefly else 7}
    assert {topic.name: topic.partitions for topic in found.group.topics} == {
        "orders": 7,
        "payments": 5,
        "clicks": 6,
        "logins": 6,
    }
    assert [str(one) for one in found.group.members[0].owned] == [
        "clicks-3",
        "orders-2",
        "orders-5",
        "payments-2",
    ]
    assert found.warnings == ("all 4 members subscribe to all 4 topics (--subscriptions held)",)


def test_members_of_a_share_group_hold_partitions_together():
    rows = "g a /h c 1 2 t:0\ng b /h c 1 2 t:0\n"
    (found,) = read_listings([("g", SHARE + rows)])
    assert [[str(one) for one in member.owned] for member in found.group.members] == [["t-0"], ["t-0"]]
    assert not any("listed for 2 members" in said for said in found.warnings)
    (found,) = read_listings([("g", SHARE.replace("MEMBER-EPOCH ", "") + "g a /h c 0\n")])
    assert (found.family, found.group.members[0].owned) == ("share", ())
    (found,) = read_listings([("g", "Share group 'g' has no active members.\n")])
    assert (found.family, found.group.members) == ("share", ())


def test_what_states_say():
    rows = "g a /h c 1 2 t:0 3 t:0;u:0 true\n"
    state = "g host:1 (3) uniform Reconciling 4 3 2\n"
    (found,) = read_listings([("g", MIGRATING + rows + "\n" + STATE + state)])
    assert list(found.warnings[:3]) == [
        "g:5: The group is Reconciling. Members may soon own something else.",
        "g:5: GROUP-EPOCH is 4, but the target assignment is of epoch 3. The coordinator has not assigned later changes yet.",
        "g:5: #MEMBERS is 2, but 1 member is listed. Take both listings at the same time.",
    ]
    assert any("owns other partitions than the target assignment" in said for said in found.warnings)


def test_epochs_of_a_state_tell_a_group_whose_members_show_none():
    rows = "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS\ng a /h c 0\n\n"
    (found,) = read_listings([("g", rows + STATE + "g host:1 (3) uniform Stable 4 4 1\n")])
    assert found.family == "broker"
    (found,) = read_listings([("g", rows + STATE + "g host:1 (3) range Stable - - 1\n")])
    assert (found.family, found.in_use, found.facts and found.facts.strategy) == (
        "consumer",
        "consumer/range",
        "range",
    )
    (found,) = read_listings([("g", rows + STATE + "g host:1 (3) ours Stable - - 1\n")])
    assert (found.in_use, found.facts and found.facts.strategy) == ("", "ours")


@pytest.mark.parametrize("target", ["broker/uniform", "consumer/cooperative-sticky"])
def test_assignors_of_either_side_take_them(target, tmp_path, capsys):
    listed = tmp_path / "listed.txt"
    listed.write_text("".join(file(f"coordinated-{name}")[1] for name in ("members", "topics")))
    assert main(["assign", target, str(listed)]) == 0
    given = json_lines(capsys)
    assert len(given) == 3
    assert main(["check", target, "--group", str(listed), "-o", str(tmp_path)]) == 0


def test_an_assignor_of_consumers_takes_no_share_group(capsys):
    assert main(["assign", "consumer/range", str(FOLDER / "share-members.txt")]) == 2
    assert "family: is 'share', but the target's family is 'consumer'" in capsys.readouterr().err
    assert main(["assign", "share/simple", str(FOLDER / "share-members.txt")]) == 0


def test_options_say_something_of_the_groups_that_are_there(capsys):
    members = str(FOLDER / "share-members.txt")
    assert main(["import", members, "--stateful", "0"]) == 2
    assert capsys.readouterr().err == (
        "kassay: --stateful: is for --family streams-group, not share. Leave it out, or give groups of that family.\n"
    )
    assert main(["import", members, "--family", "connect"]) == 2
    assert (
        "there is no group of family connect in the listings, which show: sh (share)"
        in capsys.readouterr().err
    )
