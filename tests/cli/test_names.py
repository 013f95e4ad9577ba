"""Names are cut to what tells them apart."""

import json
import os
import subprocess
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from kassay.cli import main
from kassay.comparison.headline import label_targets_uniquely
from kassay.engine.differential import describe_difference
from kassay.families.names import cut, within

FINDING = Path(__file__).parents[2] / "examples/findings/kafka-python-range-static.json"
ID = "4f1c9f0e-1111-2222-3333-abcdefabcdef"


@given(st.lists(st.text(st.sampled_from("ab-_.1é"), max_size=12), max_size=6))
def test_cut_names_are_beginnings_that_differ(names):
    found = cut(names)
    assert set(found) == set(names)
    assert len({*found.values()}) == len(found)
    assert all(name.startswith(short) for name, short in found.items())


def test_the_ids_that_kafka_makes_lose_what_says_nothing():
    assert [*cut([f"order-svc-{n}-{ID}" for n in range(11)]).values()][:2] == ["order-svc-0", "order-svc-1"]
    assert [*cut([f"order-svc-{n}-{ID}" for n in range(11)]).values()][-1] == "order-svc-10"
    hosts = [f"my-consumer-{piece}-{ID}" for piece in ("0ca4f2ff", "2fcb7788", "2f12aabb")]
    assert [*cut(hosts).values()] == ["my-consumer-0ca4", "my-consumer-2fcb", "my-consumer-2f12"]


def test_short_names_and_a_single_one_stay_whole():
    assert dict(cut(["m0", "m1"])) == {"m0": "m0", "m1": "m1"}
    assert dict(cut(["alone-in-the-world"])) == {"alone-in-the-world": "alone-in-the-world"}
    assert dict(cut([f"alone-{ID}"])) == {f"alone-{ID}": "alone-4f1c"}


def test_of_a_uuid_in_the_middle_a_piece_stays():
    threads = [f"shop-{ID}-StreamThread-1", f"shop-{ID}-StreamThread-2", f"shop-9{ID[1:]}-StreamThread-1"]
    assert [*cut(threads).values()] == [
        "shop-4f1c-StreamThread-1", "shop-4f1c-StreamThread-2", "shop-9f1c-StreamThread-1",
    ]  # fmt: skip
    numbered = [f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2)]
    assert [*cut(numbered).values()] == ["...0001", "...0002"]


@given(st.lists(st.text(st.sampled_from("ab-1"), min_size=1, max_size=4), unique=True, max_size=5), st.data())
def test_names_in_a_sentence_are_cut_where_they_stand_alone(names, data):
    short = {name: f"<{n}>" for n, name in enumerate(names)}
    words = data.draw(st.lists(st.sampled_from([*names, "x", "moves"]), max_size=6))
    assert within(" ".join(words), short) == " ".join(short.get(word, word) for word in words)


def test_a_name_in_front_of_a_partition_is_cut_and_a_part_of_a_name_is_not():
    short = {"shop": "s", "m0": "m"}
    assert within("shop-0 from m0 to shop-eu, shop-0-a and ~m0; shop:0-1", short) == (
        "s-0 from m to shop-eu, shop-0-a and ~m0; s:0-1"
    )


def test_targets_are_called_what_people_call_them_and_whole_where_two_would_be_called_alike():
    called = {
        "consumer/sticky": "sticky",
        "python:kafka.coordinator.assignors.range:RangePartitionAssignor": "kafka-python's RangePartitionAssignor",
        "python:my_package.assignors:assign": "assignors:assign",
        "jar:target/mine-1.0.jar#com.acme.ZoneAssignor": "com.acme.ZoneAssignor",
        "kafka:4.4.0#consumer/range": "Kafka 4.4.0's range",
        "exec:./my-assignor --json": "./my-assignor --json",
        "client:python my_consumer.py": "python my_consumer.py",
    }
    assert label_targets_uniquely(list(called)) == called
    two = ["jar:a.jar#com.acme.Zone", "jar:b.jar#com.acme.Zone"]
    assert label_targets_uniquely(two) == dict(zip(two, two, strict=True))
    assert label_targets_uniquely(["consumer/range", "connect/eager"])["connect/eager"] == "connect/eager"


def test_explain_names_the_target_in_short_and_ends_with_what_somebody_called_the_defect(tmp_path):
    (tmp_path / "mine.py").write_text(
        "def assign(group):\n    return {member.id: [] for member in group.members}\n"
    )
    finding = json.loads(FINDING.read_text()) | {"target": "python:mine:assign", "property": "complete"}
    (tmp_path / "finding.json").write_text(json.dumps(finding))
    ran = subprocess.run(
        [sys.executable, "-m", "kassay", "explain", "finding.json", "--trust"],
        capture_output=True, text=True, cwd=tmp_path, check=False, env=os.environ | {"COLUMNS": "80"},
    )  # fmt: skip
    assert ran.stdout.startswith("FAIL  mine:assign: t0-0 has no owner")
    assert f"Cause: {finding['title']}" in " ".join(ran.stdout.split())
    assert max(map(len, (ran.stdout + ran.stderr).splitlines())) <= 80


def test_two_answers_are_told_apart_by_the_first_owner_that_gets_something_else():
    one, other = {"m0": [["t", 0], ["t", 1]], "m1": []}, {"m0": [["t", 1], ["t", 0]], "m1": []}
    assert (
        describe_difference(one, other, "x")
        == "m0 gets t-0, t-1, and with x t-1, t-0, the same in another order"
    )
    assert describe_difference({"m0": [["t", 0]], "m1": []}, {"m0": [], "m1": [["t", 0]]}, "x") == (
        "m0 gets t-0, and with x nothing; 1 more differs"
    )
    roles = {"assignment": {"c": {"active": ["0_0"], "standby": []}}, "probing": False}
    assert describe_difference(
        roles, {"assignment": {"c": {"active": [], "standby": ["0_0"]}}, "probing": False}, "x"
    ) == ("c gets active 0_0, and with x standby 0_0")
    assert describe_difference(roles, {**roles, "probing": True}, "x").startswith("it answers {")
    assert (
        describe_difference("no answer (died)", one, "x") == "it gives no answer (died), and x an assignment"
    )


def test_a_check_against_another_says_whose_answers_are_not_the_same(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    line = "check consumer/range --against consumer/roundrobin --property equal --examples 9"
    assert main(line.split()) == 1
    out = capsys.readouterr().out
    assert "differs from consumer/roundrobin in" in out
    assert "{" not in out
