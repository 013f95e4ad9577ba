"""Settings of one group compared: which value to set, what it costs, and what no measure settles."""

import json
from itertools import permutations

import pytest

from kassay.cli import main
from kassay.comparison.what_if import apply_setting, read_vary
from kassay.errors import InputError
from kassay.families import FAMILIES, family

STRATEGY = "rack.aware.assignment.strategy"
IDS = [f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2)]
ALL = {name: family(name) for name in FAMILIES}


def application(*racks, config=None):
    """Return an application of four tasks on two clients, which run what stands in the other one's rack, if they tell their racks."""
    clients = [
        {"id": name, "threads": 1, "active": active} | ({"rack": rack} if rack else {})
        for name, rack, active in zip(IDS, racks, (["0_0", "0_1"], ["0_2", "0_3"]), strict=True)
    ]
    near = [["a"], ["a"], ["b"], ["b"]]
    return {
        "family": "streams", "topics": [{"name": "t", "partitions": 4, "racks": near}],
        "tasks": [{"id": f"0_{n}", "inputs": [["t", n]]} for n in range(4)], "clients": clients,
        **({"config": config} if config else {}),
    }  # fmt: skip


@pytest.fixture
def told(tmp_path, capsys):
    """Return a function that compares values of a setting of a group, and gives status, records and what was said."""

    def run(target, group, vary, *more):
        file = tmp_path / "group.json"
        file.write_text(json.dumps(group))
        status = main(["compare", target, "--group", str(file), "--vary", vary, "--json", *more])
        printed = capsys.readouterr()
        return status, [json.loads(line) for line in printed.out.splitlines()], printed.err

    return run


@pytest.mark.parametrize("values", [*permutations(["none", "min_traffic"])])
def test_the_setting_and_its_price_are_named(told, values):
    status, records, _ = told(
        "streams/high-availability", application("b", "a"), f"{STRATEGY}={','.join(values)}"
    )
    assert status == 0
    found = {one["value"]: one["measures"] for one in records if one["record"] == "compared"}
    assert {(one["target"], one["setting"]) for one in records if one["record"] == "compared"} == {
        ("streams/high-availability", STRATEGY)
    }
    assert (found["none"]["cross_rack"], found["min_traffic"]["cross_rack"]) == (2, 0)
    advice = records[-1]
    assert advice["set"] == [f"{STRATEGY}=min_traffic"]
    assert "0 reads across racks instead of 2" in advice["says"]
    assert advice["advice"] == "Set this on all instances:"
    assert advice["price"].startswith("The price: 4 active tasks that move instead of 2")


def test_what_is_set_now_is_compared_too_and_stays_among_equals(told):
    group = application("b", "a", config={STRATEGY: "min_traffic"})
    _, records, _ = told("streams/high-availability", group, f"{STRATEGY}=none,balance_subtopology")
    assert [one["value"] for one in records if one["record"] == "compared"] == [
        "balance_subtopology",
        "min_traffic",
        "none",
    ]
    assert records[-1]["set"] == []
    assert records[-1]["says"] == f"No value of {STRATEGY} is better than min_traffic."


@pytest.mark.parametrize("racks", [(None, None), ("a", None)])
def test_a_strategy_without_racks_of_clients_is_warned_of(told, racks):
    _, records, err = told("streams/sticky", application(*racks), f"{STRATEGY}=none,min_traffic")
    who = f"client {IDS[1]} has no rack" if any(racks) else "no client has a rack"
    assert f"{STRATEGY} is min_traffic, but {who} (client.rack)" in " ".join(err.split())
    assert records[-1]["says"].startswith(f"{STRATEGY} changes nothing here:")
    assert records[-1]["set"] == []


def test_a_strategy_without_racks_is_warned_of_where_assignors_are_compared(tmp_path, capsys):
    file = tmp_path / "app.json"
    for racks in ((None, None), ("b", "a")):
        file.write_text(json.dumps(application(*racks, config={STRATEGY: "min_traffic"})))
        assert main(["compare", "streams/sticky", "--group", str(file)]) == 0
        assert ("  rack.aware" in capsys.readouterr().out) == (racks == (None, None))


def test_what_no_measure_settles_is_not_advised(told):
    group = application("b", "a")
    for task in group["tasks"]:
        task["stateful"] = True
    for client in group["clients"]:
        client["lags"] = {f"0_{n}": -2 if f"0_{n}" in client["active"] else 0 for n in range(4)}
    _, records, _ = told("streams/high-availability", group, "num.standby.replicas=0,1")
    assert records[-1]["set"] == []
    assert records[-1]["advice"].startswith("Leave it at 0")
    assert "Not measured: standbys shorten the time without a task" in records[-1]["advice"]
    cluster = {
        "family": "connect", "connectors": [{"name": "c", "tasks": 4}], "workers": [{"id": "w1"}, {"id": "w2", "connectors": ["c"], "tasks": [["c", 0]]}],
        "generation": 3, "last_completed_generation": 2,
        "memory": {"generation": 2, "members": ["w2", "w3"], "assignment": {"connectors": ["c"], "tasks": [["c", n] for n in range(4)]}},
    }  # fmt: skip
    name = "scheduled.rebalance.max.delay.ms"
    _, records, _ = told("connect/incremental-cooperative", cluster, f"{name}=0,300000")
    assert records[-1]["says"].startswith(f"The numbers favour {name}=0 over 300000: ")
    assert records[-1]["advice"].startswith(
        "Leave it at 300000, unless only the numbers matter. With 0, better: "
    )
    assert "Not measured: the work of a lost worker does not run during this delay" in records[-1]["advice"]
    assert records[-1]["set"] == []


def test_the_order_of_the_values_changes_nothing(told):
    group = application("b", "a")
    _, first, _ = told("streams/high-availability", group, f"{STRATEGY}=none,min_traffic,balance_subtopology")
    _, second, _ = told(
        "streams/high-availability", group, f"{STRATEGY}=balance_subtopology,none,min_traffic"
    )
    assert first == second


@pytest.mark.parametrize("name", FAMILIES)
def test_every_setting_of_every_family_can_be_varied_and_no_other_is_listed(name):
    of, plain = (
        ALL[name],
        {"consumer": {"topics": [], "members": []}, "streams": {"tasks": [], "clients": []}},
    )
    group = of.shape.read_group(
        plain.get(name) or {"connect": {"connectors": [], "workers": [{"id": "w"}]}, "streams-group": {"subtopologies": [], "members": []}}.get(name)
        or {"topics": [], "members": []}
    )  # fmt: skip
    usual = {list: [["x", "y"]], str: "min_traffic", int: 7, type(None): 7}
    for setting, tunable in of.tunable.items():
        value = {"rack.from.host": "(.*)", "joined.topics": [["x", "y"]], "other.topics.assignor": "consumer/range", "rack.aware.assignment.tags": ["x"]}.get(
            setting, usual[type(tunable.default)]
        )  # fmt: skip
        changed = apply_setting(of, group, setting, value)
        assert of.shape.write_group(changed)["config"] == {setting: value}
        assert apply_setting(of, changed, setting, None) == group
        assert apply_setting(of, changed, setting, tunable.default) == group
    if not of.tunable:
        with pytest.raises(InputError, match=r"have no settings. Compare assignors"):
            read_vary("a=1,2", of)


@pytest.mark.parametrize(
    ("vary", "said"),
    [
        ("rack.aware.asignment.strategy=none,min_traffic", "streams assignors read no such setting"),
        (STRATEGY, "names fewer than two values. Give"),
        (f"{STRATEGY}=none", "names fewer than two values. Give"),
        (f"{STRATEGY}=none,", "names fewer than two values. Give"),
        (f"{STRATEGY}=none,none", "names none twice. Name each value once"),
        (f"{STRATEGY}=none,most", "--vary rack.aware.assignment.strategy=most: config"),
        ("num.standby.replicas=0,-1", "--vary num.standby.replicas=-1: config"),
        ("num.standby.replicas=0,NaN", "--vary num.standby.replicas=NaN: config"),
        ("num.standby.replicas=0," + "[" * 5000, "--vary num.standby.replicas="),
    ],
)
def test_what_is_wrong_is_one_sentence(told, vary, said):
    status, records, err = told("streams/sticky", application("a", "b"), vary)
    assert (status, records) == (2, [])
    assert said in " ".join(err.split())


def test_options_that_do_not_go_together(tmp_path, told, capsys):
    group, vary = application("a", "b"), f"{STRATEGY}=none,min_traffic"
    assert told("streams/*", group, vary)[0] == 2
    assert told("streams/sticky", group, vary, "--html", str(tmp_path / "p.html"))[0] == 2
    assert main(["compare", "streams/sticky", "--vary", vary]) == 2
    assert "Name one: --group FILE" in " ".join(capsys.readouterr().err.split())
    assert main(["compare", "streams/sticky", "--sweep", str(tmp_path), "--vary", vary]) == 2
    assert "needs a group, not a sweep" in " ".join(capsys.readouterr().err.split())
