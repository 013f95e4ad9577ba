"""One client, one worker, one thread, nothing to assign: all oracles and commands answer."""

import json

import pytest

from kassay.cli import main
from kassay.comparison.headline import is_optimal_in_place
from kassay.comparison.measured import measure_answer, measure_current_assignment
from kassay.comparison.ranking import compute_dominance
from kassay.families import family
from kassay.targets import Options, open_target

ONE, TWO = (f"0000000{n}-0000-0000-0000-000000000000" for n in (1, 2))
TASKS = ["0_0", "0_1", "0_2"]


def client(name=ONE, active=(), threads=1, lags=None, **more):
    return {"id": name, "threads": threads, "active": list(active), "lags": lags or {}, **more}


def application(*clients, stateful=False, tasks=TASKS, standbys=0, topics=None):
    return {
        "family": "streams",
        "topics": topics or [],
        "tasks": [{"id": task, "stateful": stateful} | ({"inputs": [["t", 0]]} if topics else {}) for task in tasks],
        "clients": list(clients),
        "config": {"num.standby.replicas": standbys},
    }  # fmt: skip


def cluster(workers, **tasks):
    return {
        "family": "connect",
        "connectors": [{"name": name, "tasks": number} for name, number in tasks.items()],
        "workers": workers,
    }


RUNS_A = {"id": "w0", "connectors": ["a"], "tasks": [["a", 0], ["a", 1]]}
ALONE = {
    "one client": application(client(active=TASKS)),
    "one client that runs nothing yet": application(client()),
    "one client of three threads": application(client(active=TASKS, threads=3)),
    "one client where a standby is wanted": application(
        client(active=TASKS, lags=dict.fromkeys(TASKS, -2)), stateful=True, standbys=1
    ),
    "one task": application(client(active=TASKS[:1]), tasks=TASKS[:1]),
    "one task of two clients": application(
        client(active=TASKS[:1], lags={"0_0": -2}), client(TWO, lags={"0_0": 10**6}), tasks=TASKS[:1], stateful=True
    ),
    "one client elsewhere than its topic": application(
        client(active=TASKS[:1], rack="b"), tasks=TASKS[:1], topics=[{"name": "t", "partitions": 1, "racks": [["a"]]}]
    ),
    "no task": application(client(), client(TWO), tasks=()),
    "no task of one client": application(client(), tasks=()),
    "a task that is gone": application(client(active=["0_0"]), tasks=()),
    "one worker": cluster([RUNS_A], a=2),
    "one worker that runs nothing yet": cluster([{"id": "w0"}], a=2),
    "no task of two workers": cluster([{"id": "w0", "connectors": ["a"]}, {"id": "w1"}], a=0),
    "no task of one worker": cluster([{"id": "w0", "connectors": ["a"]}], a=0),
    "no connector": cluster([{"id": "w0"}, {"id": "w1"}]),
    "no connector of one worker": cluster([{"id": "w0"}]),
}  # fmt: skip
ASKED = {
    "streams": [
        "balance",
        "balance,moves",
        "joint",
        "balance,restore",
        "balance,subtopology-spread",
        "spread",
    ],
    "connect": [
        "balance,moves",
        "connector-spread",
        "balance,connector-spread,moves",
        "moves,connector-spread",
    ],
}


@pytest.mark.parametrize("name", ALONE)
def test_what_can_be_set_is_measured_and_compared(name):
    of = family(ALONE[name]["family"])
    group = of.shape.read_group(ALONE[name])
    optima = of.oracles.optima(group)
    row = [measure_answer(open_target(target, Options()), of, group, optima) for target in of.settable]
    for one in row:
        assert one.legal, (one.target, one.failure, one.broken)
        assert one.gaps, one.target
        assert all(gap.over <= 0 for gap in one.gaps), one.target
    assert not any(found.verdict for found in compute_dominance(of, group, row).values())
    now = measure_current_assignment(of, group, optima)
    if now is not None and now.legal:
        assert is_optimal_in_place(now)


@pytest.mark.parametrize("name", ALONE)
def test_optima_are_proved_and_verified(name):
    of = family(ALONE[name]["family"])
    group = of.shape.read_group(ALONE[name])
    for question in ASKED[of.name]:
        best = of.oracles.optimum(question, group, None)
        assert best.proved, question
        record = json.loads(json.dumps(best.record(of.shape.write_assignment(best.assignment))))
        proved, said = of.oracles.verify(group, record)
        assert proved, (question, said)
    assert dict(of.oracles.programmed(group)) == dict(of.oracles.optima(group).least)


@pytest.mark.parametrize("name", ALONE)
def test_commands_answer(name, tmp_path, capsys):
    of = ALONE[name]["family"]
    (tmp_path / "g.json").write_text(json.dumps(ALONE[name]))
    file = str(tmp_path / "g.json")
    default = {"streams": "streams/high-availability", "connect": "connect/incremental-cooperative"}[of]
    commands = [
        ["check", default, "--group", file], ["optimum", "balance,moves", file], ["what-if", "--join", "1", "--group", file],
        ["over-time", default, "--scale-out", "1", "--group", file], *([["frontier", file]] if of == "streams" else []),
    ]  # fmt: skip
    for command in commands:
        assert main(command) == 0, (command, capsys.readouterr())


def test_a_restart_of_the_only_one_is_refused_with_what_to_do(tmp_path, capsys):
    for name, many in (("one client", "clients"), ("one worker", "workers")):
        (tmp_path / "g.json").write_text(json.dumps(ALONE[name]))
        assert main(["over-time", "--group", str(tmp_path / "g.json"), "--restart", "1"]) == 2
        assert f"restart: 1 of 1 {many}. Take a" in capsys.readouterr().err
