"""`kassay what-if`: what becomes of a group to which something happens, what each strategy does then, and what stands still."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from over_the_wire.recorded_cluster import HEARD, recorded_cluster

from kassay.cli import main
from kassay.comparison.what_if import Change, apply_change, resolve_members
from kassay.errors import InputError
from kassay.families import FAMILIES, family

LISTINGS = Path(__file__).parents[1] / "listings" / "kafka-4.3"
GROUP = {
    "family": "consumer", "name": "shop",
    "topics": [{"name": "t", "partitions": 4, "racks": [["a"], ["b"], ["a"], ["b"]]}, {"name": "u", "partitions": 2}],
    "members": [
        {"id": "m1", "topics": ["t", "u"], "owned": [["t", 0], ["t", 1]], "generation": 1, "rack": "a"},
        {"id": "m2", "topics": ["t", "u"], "owned": [["t", 2], ["u", 0]], "generation": 1, "rack": "b", "instance_id": "i2"},
        {"id": "m3", "topics": ["t", "u"], "owned": [["t", 3], ["u", 1]], "generation": 1, "rack": "a"},
    ],
}  # fmt: skip


@pytest.fixture
def path(tmp_path):
    (tmp_path / "shop.json").write_text(json.dumps(GROUP))
    return str(tmp_path / "shop.json")


def run(capsys, *arguments):
    status = main(["what-if", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def records(capsys, *arguments):
    status, out, err = run(capsys, *arguments, "--json")
    assert status == 0, err
    first, *rest = map(json.loads, out.splitlines())
    return first, {one["target"]: one for one in rest if one["record"] == "compared"}


@pytest.mark.parametrize("name", FAMILIES)
@given(data=st.data())
def test_what_happens_and_nothing_else(name, data):
    """Who stays has what they had, so many are new, and only what is named has other partitions."""
    of = family(name)
    group = data.draw(of.shape.groups())
    who, before = next(iter(of.shape.sizes)), of.shape.write_group(group)
    ids = [one["id"] for one in before[who]]
    if not ids:
        return
    sizes = {
        str(one.get("name", one.get("id"))): one["partitions"]
        for one in before.get("topics", before.get("subtopologies", ()))
    }
    change = Change(
        data.draw(st.integers(0, 3)),
        tuple(data.draw(st.lists(st.sampled_from(ids), unique=True, max_size=len(ids) - 1))),
        {one: sizes[one] + data.draw(st.integers(1, 3)) for one in data.draw(st.lists(st.sampled_from(sorted(sizes)), unique=True, max_size=1) if sizes else st.just([]))},
    )  # fmt: skip
    after = of.shape.write_group(apply_change(of, group, change))
    stay = [one for one in before[who] if one["id"] not in change.leave]
    kept = ("owned", "active", "standby", "connectors", "tasks", "rack", "topics")
    assert [{k: one.get(k) for k in kept} for one in after[who]][: len(stay)] == [
        {k: one.get(k) for k in kept} for one in stay
    ]
    assert len(after[who]) == len(stay) + change.join
    assert len({one["id"] for one in after[who]}) == len(after[who])
    for number, new in enumerate(after[who][len(stay) :]):
        assert new.get("rack") == before[who][number % len(ids)].get("rack")
        assert not any(new.get(k) for k in ("owned", "active", "standby", "connectors", "tasks"))
    counts = {
        str(one.get("name", one.get("id"))): one["partitions"]
        for one in after.get("topics", after.get("subtopologies", ()))
    }
    assert {one: counts[one] for one in change.partitions} == change.partitions
    assert all(counts[one] >= number for one, number in sizes.items())


def test_each_strategy_is_told_as_compare_tells_it_of_the_group_that_becomes(path, tmp_path, capsys):
    first, told = records(capsys, "--group", path, "--join", "2", "--leave", "m3", "--add-partitions", "t:6")
    (tmp_path / "next.json").write_text(json.dumps(first["group"]))
    assert main(["compare", "--group", str(tmp_path / "next.json"), "--json"]) == 0
    again = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for one in again:
        if one["record"] == "compared":
            same = {"measures", "assignment", "gaps", "legal", "rebalances"}
            assert {key: one[key] for key in same} == {key: told[one["target"]][key] for key in same}
    assert first["change"] == {"join": 2, "leave": ["m3"], "partitions": {"t": 6}}


def test_what_stands_still(path, capsys):
    """All where members stop; else what moves from who stays and what those had who left."""
    _, told = records(capsys, "--group", path, "--leave", "m3", "--join", "1")
    still = {name.removeprefix("consumer/"): one["stand_still"] for name, one in told.items()}
    moves = told["consumer/cooperative-sticky"]["measures"]["moves"]
    assert still == {"range": 6, "roundrobin": 6, "sticky": 6, "cooperative-sticky": moves + 2}
    _, told = records(capsys, "--group", path, "--add-partitions", "u:3")
    own = told["consumer/cooperative-sticky"]
    assert own["stand_still"] == own["measures"]["moves"]


def test_what_is_in_use_is_told_first(path, capsys):
    _, out, _ = run(capsys, "--group", path, "--join", "1", "--in-use", "consumer/range")
    assert out.startswith("shop, if 1 member joins: with range members hold ")


@pytest.mark.parametrize(
    "listing",
    [
        "members.txt",
        "share-members.txt",
        "streams-groups-members.txt",
        "connect.json",
        "coordinated-members.txt",
    ],
)
def test_every_family_at_80_columns(listing, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "80")
    main(["import", str(LISTINGS / listing)])
    one = capsys.readouterr().out.splitlines()[0]
    (tmp_path / "group.json").write_text(one)
    who = next(iter(family(json.loads(one)["family"]).shape.sizes))
    leaves = json.loads(one)[who][0]["id"]
    status, out, err = run(capsys, "--group", str(tmp_path / "group.json"), "--join", "2", "--leave", leaves)
    assert status == 0, err
    assert f"if 2 {who} join and" in " ".join(out.split())
    assert "optimum" in out
    assert all(len(line) <= 80 for line in out.splitlines() if not line.startswith("Next: "))


def test_a_page(path, tmp_path, capsys):
    page = tmp_path / "page.html"
    assert run(capsys, "--group", path, "--join", "1", "--html", str(page))[0] == 0
    assert "shop, if 1 member joins: with " in page.read_text()


def test_a_running_group(capsys):
    with recorded_cluster(HEARD) as cluster:
        line = ("--bootstrap-server", cluster.address, "--group", "live-static")
        first, told = records(capsys, *line, "--join", "1", "--leave", "live-1")
        assert "with cooperative-sticky members hold 6 partitions each" in first["says"]
        assert told["consumer/range"]["stand_still"] == 18
        status, _, err = run(capsys, *line, "--leave", "m3")
    assert status == 2
    assert "there is no 'm3'" in err


def test_no_group_and_too_many(path, capsys):
    assert run(capsys, "--join", "1")[0] == 2
    status, _, err = run(capsys, "--group", path, "--group", path, "--join", "1")
    assert status == 2
    assert "the input has 2 groups (shop, shop). Choose one: --consumer-group NAME" in err


def test_workers_have_no_partitions():
    of = family("connect")
    cluster = of.shape.read_group({"connectors": [{"name": "c", "tasks": 1}], "workers": [{"id": "w0"}]})
    with pytest.raises(InputError, match="--add-partitions c:3: workers run nothing that has partitions"):
        resolve_members(of, cluster, Change(partitions={"c": 3}))
