"""A certificate in which any key is missing, null, empty or there twice has one verdict, from `--verify` and from the checker by itself."""

import json
from random import Random

import pytest
from altering import HOW, keys, text
from drawing_tasks import APPLICATION
from verifying import CLUSTER, answers, verified
from whole import WHOLE

from kassay.cli import main

CONSUMERS = {
    "family": "consumer",
    "name": "g",
    "topics": [
        {"name": "t", "partitions": 3, "racks": [["a"], ["b"], None]},
        {"name": "u", "partitions": 2, "racks": None},
        {"name": "v", "partitions": 2},
    ],
    "members": [
        {"id": "m0", "topics": ["t", "u", "v"], "owned": [["t", 0], ["v", 0]], "generation": 1, "rack": "a", "user_data": "aG8="},
        {"id": "m1", "topics": ["t", "u", "v"], "rack": "b", "instance_id": "i"},
        {"id": "m2", "topics": ["t"]},
    ],
    "config": {"joined.topics": [["u", "v"]], "other.topics.assignor": "consumer/fair"},
}  # fmt: skip
PAIR = CONSUMERS | {"members": CONSUMERS["members"][:2]}
SHARES = {
    "family": "share",
    "topics": [{"name": "t", "partitions": 3, "unassignable": [1]}],
    "members": [{"id": "a", "topics": ["t"]}, {"id": "b", "topics": ["t"], "owned": [["t", 0]]}],
}
BROKERS = SHARES | {"family": "broker", "topics": [{"name": "t", "partitions": 2, "id": None}]}
MEMBERS = {
    "family": "streams-group",
    "subtopologies": [{"id": "0", "partitions": 2, "stateful": True}, {"id": "1", "partitions": 1}],
    "members": [
        {
            "id": "m0", "process_id": "p", "active": ["0_0"], "standby": [], "warmup": [], "offsets": {"0_0": 5},
            "end_offsets": {"0_0": 9}, "tags": {"z": "a"}, "rack": "r",
        },
        {"id": "m1", "process_id": "q", "standby": ["0_0"], "tags": {"z": "b"}},
    ],
    "config": {"num.standby.replicas": 1, "rack.aware.assignment.tags": ["z"]},
}  # fmt: skip
WEIGHED = {
    "topics": [{"name": "t", "partitions": 3, "weights": [3, 2, 2]}],
    "members": [
        {"id": "a", "topics": ["t"], "owned": [["t", 0], ["t", 1]], "capacity": 9},
        {"id": "b", "topics": ["t"]},
    ],
    "weight_unit": "records",
}
CASES = [
    ("balance,weighted-balance,moves", WEIGHED),
    ("balance,moves,cross-rack", CONSUMERS), ("co-partition", CONSUMERS), ("joined", CONSUMERS), ("joined", PAIR),
    ("copies=2,balance,moves", PAIR), ("shared", SHARES), ("balance,moves", BROKERS), ("balance,joint,moves", APPLICATION),
    ("moves", APPLICATION), ("subtopologies,joint", APPLICATION), ("balance,spread,restore,moves", MEMBERS), ("moves", MEMBERS),
    ("balance,moves", CLUSTER), ("moves", CLUSTER),
]  # fmt: skip


def some_keys(group, answer, seed, usual=60):
    """Some alterations of a group or an answer to it, all of them where all is tested: both texts, and what was altered."""
    every = [
        (which, place, how)
        for which, value in (("group", group), ("answer", answer))
        for place in keys(value)
        for how in HOW
    ]
    for which, place, how in every if WHOLE else Random(seed).sample(every, min(len(every), usual)):
        of = text(group, place, how) if which == "group" else json.dumps(group)
        to = text(answer, place, how) if which == "answer" else json.dumps(answer)
        yield of, to, (which, place, how)


@pytest.fixture
def both(folder, capsys):
    """Asks the command and the checker by itself of a group and an answer to it: how they end, and what the checker says."""
    return lambda group, answer, asked=("optimum",): verified(folder, group, answer, capsys, asked)


@pytest.mark.parametrize(("asked", "group"), CASES)
def test_both_say_the_same_of_any_key(asked, group, both, folder, capsys):
    (answer,) = answers(folder, asked, group)
    capsys.readouterr()
    assert both(group, answer)[0] == 0
    for of, to, altered in some_keys(group, answer, asked):
        status, said = both(of, to)
        if altered[2] == "twice":
            assert status == 2
            assert "stands twice in one object" in said, (altered, said)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"config": {"joined.topics": [["t", "u"]]}}, "config: a coordinator's assignors are not configured"),
        ({"members": [{"id": "a", "topics": ["t"], "user_data": "aG8="}]}, "user_data"),
        ({"topics": [{"name": "t", "partitions": 1, "hosts": [["h"]]}]}, "hosts"),
        ({"topics": [{"name": "t", "partitions": 1_000_001}]}, "Give at most 1"),
    ],
)
def test_what_share_groups_cannot_have_is_refused_by_both(change, says, both, folder, capsys):
    (answer,) = answers(folder, "shared", SHARES)
    capsys.readouterr()
    status, said = both(SHARES | change, answer)
    assert status == 2
    assert says in said


def test_both_say_the_same_of_any_key_of_cases(both, folder, capsys):
    """Two cases that leave nothing out, and in both the same prices."""
    (answer,) = answers(folder, "moves", APPLICATION)
    capsys.readouterr()
    prices = answer["certificate"]["proofs"][0]["proof"]
    side = prices | {"cases": [0]}
    split = {
        "by": "cases",
        "tasks": None,
        "clients": None,
        "role": "every",
        "most": 3,
        "fewer": side,
        "more": side,
    }
    answer["certificate"]["proofs"][0]["proof"] = split
    assert both(APPLICATION, answer)[0] == 0
    for key in split:
        for how in HOW:
            both(APPLICATION, text(answer, ("certificate", "proofs", 0, "proof", key), how))


@pytest.mark.parametrize("group", [PAIR, SHARES, APPLICATION], ids=["consumer", "share", "streams"])
def test_both_say_the_same_of_any_key_of_a_frontier(group, both, folder, capsys):
    (folder / "of.json").write_text(json.dumps(group))
    capsys.readouterr()
    main(["frontier", str(folder / "of.json"), "--json"])
    frontiers = [
        each for each in map(json.loads, capsys.readouterr().out.splitlines()) if each["record"] == "frontier"
    ]
    for frontier in frontiers:
        assert both(group, frontier, ("frontier",))[0] in (0, 3)
        for of, to, _ in some_keys(group, frontier, frontier["title"], 20):
            both(of, to, ("frontier",))
