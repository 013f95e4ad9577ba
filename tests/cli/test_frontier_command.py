"""`kassay frontier`: tables, JSON, plots, and what it refuses."""

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from printed import json_lines

from kassay.cli import main
from kassay.families import consumer

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/reference/frontier.schema.json").read_text())
LISTINGS = Path(__file__).parent.parent / "listings" / "kafka-4.3"
GROUP = {
    "topics": [{"name": "t", "partitions": 4, "racks": [["a"], ["b"], ["b"], ["a"]]}],
    "members": [
        {"id": "m", "topics": ["t"], "owned": [["t", 0], ["t", 1]], "rack": "a"},
        {"id": "n", "topics": ["t"], "owned": [["t", 2], ["t", 3]], "rack": "b"},
    ],
}
"""Two partitions that should change places: at the most even loads no single move helps."""


@pytest.fixture
def group(tmp_path):
    file = tmp_path / "group.json"
    file.write_text(json.dumps(GROUP))
    return file


def test_the_tables_have_points_and_answers_and_say_what_a_move_buys(group, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["frontier", str(group), "--target", "consumer/range"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert " ".join(lines[: lines.index("")]).endswith(
        ": with balanced loads, 0 moves give 2 reads across racks, and 2 moves 0 reads across racks."
    )
    even, free = lines.index("At the most even loads"), lines.index("At any loads")
    assert [line.split() for line in lines[even + 2 : even + 4]] == [
        ["0", "2", "now"],
        ["2", "0", "consumer/range,", "minimal", "reads"],
    ]
    assert any(line.split()[:3] == ["1", "2", "1"] for line in lines[free:])  # a trade with uneven loads
    assert all(len(line) <= 80 for line in lines if str(group) not in line)
    assert lines[-1] == "Exit status 0."


def test_an_answer_beside_the_frontier_is_told_what_is_better(tmp_path, capsys):
    lopsided = {
        "topics": [{"name": f"t{n}", "partitions": 3} for n in range(4)],
        "members": [
            {
                "id": name,
                "topics": [f"t{n}" for n in range(4)],
                "owned": [[f"t{n}", p] for n in range(4) for p in owned],
            }
            for name, owned in (("a", [0, 1]), ("b", [2]))
        ],
    }
    file = tmp_path / "g.json"
    file.write_text(json.dumps(lopsided))
    assert main(["frontier", str(file), "--target", "consumer/roundrobin"]) == 0
    said = capsys.readouterr().out
    assert "2 moves reduce max - min load from 4 to 0 (the optimum)" in said
    assert "Dominated by: moves 2, max - min load 0." in said
    assert "Not considered: reads across racks. The group has no racks." in said
    assert [line.split()[:2] for line in said.splitlines() if "now" in line.split()] == [["0", "4"]]
    assert main(["frontier", str(file), "--json"]) == 0
    first, *_ = json_lines(capsys)
    assert first["says"].endswith("(the optimum), 1 move to 2.")


def test_json_has_points_with_proofs_and_where_answers_lie(group, capsys):
    assert main(["frontier", str(group), "--json", "--target", "consumer/range"]) == 0
    even, now, target, spread, _, _, free, *_ = json_lines(capsys)
    for each in (even, spread, free):
        jsonschema.validate(each, SCHEMA)
    assert [point["values"] for point in even["points"]] == [
        {"balance": 0, "squared-loads": 8, "moves": 0, "cross-rack": 2},
        {"balance": 0, "squared-loads": 8, "moves": 2, "cross-rack": 0},
    ]
    for point in even["points"]:
        proof = even["proofs"][point["proof"]]
        assert (
            sum(weight * point["values"][level] for level, weight in proof["weights"].items())
            == proof["least"]
        )
        assert set(proof["prices"]) == {"m", "n"}
    assert even["bought"] == [{"moves": 0, "least": 2, "most": 2}, {"moves": 2, "least": 0, "most": 0}]
    assert (now["target"], now["on_it"], now["values"]["moves"]) == ("now", True, 0)
    assert (target["target"], target["on_it"], target["better"]) == ("consumer/range", True, None)
    one_move = next(point for point in free["points"] if point["values"]["moves"] == 1)
    assert (one_move["supported"], one_move["proof"], one_move["proved_by"]) == (False, None, "two solvers")
    assert free["levels"] == ["squared-loads", "moves", "cross-rack"]


@pytest.mark.parametrize(("ending", "starts"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_the_plot_is_the_same_each_time(group, tmp_path, capsys, ending, starts):
    plot = tmp_path / f"plot.{ending}"
    drawn = []
    for _ in range(2):
        assert main(["frontier", str(group), "--plot", str(plot), "--target", "consumer/range"]) == 0
        drawn.append(plot.read_bytes())
    assert drawn[0] == drawn[1]
    assert drawn[0].startswith(starts)
    if ending == "svg":
        text = drawn[0].decode()
        words = ["moves", "cross-rack", "consumer/range", "now"]
        words += ["on the frontier", "impossible at the most even loads", "the least at any loads"]
        assert [word for word in words if word not in text] == []
    assert f"Plot: {plot}" in capsys.readouterr().out


def test_an_application_has_a_frontier(tmp_path, capsys):
    files = [str(LISTINGS / name) for name in ("streams-members.txt", "streams-topics.txt")]
    assert main(["import", "--family", "streams", *files, "--consumer-group", "shop", "--json"]) == 0
    (tmp_path / "shop.json").write_text(capsys.readouterr().out)
    assert main(["frontier", str(tmp_path / "shop.json"), "--json", "--target", "streams/sticky"]) == 0
    even, *placed, free, now, sticky = json_lines(capsys)
    for found, levels, proofs in (
        (even, ["moves", "joint"], {"balance", "total-balance", "weighted"}),
        (free, ["squared-loads", "moves", "joint"], {"weighted"}),
    ):
        jsonschema.validate(found, SCHEMA)
        assert (found["levels"], found["whole"]) == (levels, True)
        assert found["points"][0]["assignment"]
        assert proofs == set(found["proofs"][0]["proofs"])
    assert [each["target"] for each in (*placed, now, sticky)] == ["now", "streams/sticky"] * 2


def test_what_is_not_proved_in_time_is_open(group, tmp_path, capsys):
    plot = tmp_path / "plot.svg"
    assert main(["frontier", str(group), "--time-limit", "0.000001", "--plot", str(plot)]) == 3
    said = capsys.readouterr().out
    assert "Rows may be missing: not all is proven in 1e-06 seconds" in said
    assert said.endswith("Exit status 3: rows may be missing.\n")
    assert "impossible" not in plot.read_text()


def test_a_target_without_an_answer_is_named(group, tmp_path, capsys, monkeypatch):
    (tmp_path / "failing.py").write_text("def assign(group):\n    raise ValueError('no')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["frontier", str(group), "--target", "python:failing:assign"]) == 3
    assert "python:failing:assign returned no assignment" in capsys.readouterr().out


def test_a_family_of_the_shape_has_frontiers_at_once(group, capsys):
    assert main(["frontier", str(group), "--family", "toy_partitions.family:TOY"]) == 0
    assert "0 moves give 2 reads across racks, and 2 moves 0 reads" in capsys.readouterr().out


def test_several_groups_are_refused(tmp_path, capsys):
    file = tmp_path / "groups.jsonl"
    file.write_text(f"{json.dumps(GROUP)}\n{json.dumps(GROUP)}\n")
    assert main(["frontier", str(file)]) == 2
    assert "has 2 groups. Give one." in capsys.readouterr().err


def test_a_family_without_frontiers_is_refused(group, capsys, monkeypatch):
    without = replace(consumer.CONSUMER, oracles=replace(consumer.CONSUMER.oracles, frontiers=None))
    monkeypatch.setattr(consumer, "CONSUMER", without)
    assert main(["frontier", str(group)]) == 2
    said = "no frontier is known for the consumer family. Use groups of broker, share, streams."
    assert said in capsys.readouterr().err
