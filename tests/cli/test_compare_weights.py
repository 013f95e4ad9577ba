"""`kassay compare --weights`: answers beside the least that even counts allow, in the terminal, as JSON and on the page; refusals."""

import json
import re

import pytest

from kassay.cli import main

GROUP = {
    "family": "consumer",
    "topics": [{"name": "t", "partitions": 4, "weights": [900, 40, 700, 30]}],
    "members": [
        {"id": "a", "topics": ["t"], "owned": [["t", 0], ["t", 2]], "generation": 1},
        {"id": "b", "topics": ["t"], "owned": [["t", 1], ["t", 3]], "generation": 1},
    ],
    "weight_unit": "records of lag",
}


@pytest.fixture
def compared(tmp_path, capsys):
    def run(group, *options):
        (tmp_path / "group.json").write_text(json.dumps(group))
        asked = ["compare", "consumer/sticky", "consumer/range", "--group", str(tmp_path / "group.json")]
        status = main([*asked, *options])
        return status, capsys.readouterr()

    return run


def test_the_heaviest_member_stands_beside_the_least_possible(compared):
    status, shown = compared(GROUP, "--weights", "lag")
    assert status == 0
    said = [" ".join(line.split()) for line in shown.out.splitlines()]
    assert "With even counts, the heaviest member holds 930 records at the least: proved." in said
    assert "now 1,600 70 72 %" in said
    assert "sticky 1,600 70 72 %" in said
    assert "range 940 730 1 %" in said
    assert "optimum 930 740" in said
    assert "Closest to the optimum by weight: range. The rest counts partitions." in said
    assert "and lag" not in shown.out
    assert all(len(line) <= 160 for line in shown.out.splitlines() if not line.startswith("Next: "))


def test_without_the_option_nothing_is_said_of_weights(compared):
    _, shown = compared(GROUP)
    assert "weight" not in shown.out
    assert "lag." in shown.out


def test_json_has_a_record_of_it(compared):
    _, shown = compared(GROUP, "--weights", "lag", "--json")
    (record,) = [
        each for line in shown.out.splitlines() if (each := json.loads(line)).get("record") == "weights"
    ]
    assert record["best"] == {"value": 930, "least": 930, "proved": True, "agreed": False}
    assert record["held"]["consumer/range"] == {"a": 940, "b": 730}
    assert record["question"] == "balance,weighted-balance,moves"


def test_the_page_draws_bars_by_weight(compared, tmp_path):
    status, _ = compared(GROUP, "--weights", "lag", "--html", str(tmp_path / "page.html"))
    page = (tmp_path / "page.html").read_text()
    assert status == 0
    section = page[page.index('id="weights"') : page.index('id="why"')]
    assert "By weight: records of lag" in section
    assert 'style="--n: 900"' in section
    assert "1,600 → <strong>" in section
    assert ">930</b>" in section


def test_weights_come_from_a_file_too(compared, tmp_path):
    bare = {**GROUP, "topics": [{"name": "t", "partitions": 4}], "weight_unit": None}
    (tmp_path / "w.json").write_text(json.dumps({"topics": [{"name": "t", "weights": [1, 2, 3, 4]}, {"name": "u", "weights": [9]}], "weight_unit": "bytes/s"}))  # fmt: skip
    status, shown = compared(bare, "--weights", str(tmp_path / "w.json"))
    assert status == 0
    assert "the heaviest member holds 5 bytes/s at the least: proved." in shown.out
    (tmp_path / "group-with-weights.json").write_text(json.dumps(GROUP))
    status, shown = compared(bare, "--weights", str(tmp_path / "group-with-weights.json"))
    assert "the heaviest member holds 930 records at the least" in shown.out


def of_file(**changed):
    return {"topics": [{"name": "t", "weights": [1, 2, 3, 4]}], "weight_unit": "records of lag"} | changed


REFUSED = [
    (of_file(weight_unit="bytes/s"), "weight_unit is 'bytes/s', but the group has 'records of lag'. Give both in one unit"),
    (of_file(topics=[{"name": "t", "weights": [1, 2]}]), "topics.weights: topic 't' has 4 partitions but 2 entries"),
    (of_file(topics=[{"name": "t", "weights": [1, 2, 3, -4]}]), "topics.weights: partition 3 of topic 't' weighs -4. Give a whole number"),
    (of_file(topics=[{"name": "t", "weights": [1, 2, 3, 0.5]}]), "partition 3 of topic 't' weighs 0.5. Give a whole number"),
    (of_file(topics=[]), "w.json: topic 't' has no weight for t-0. Give a whole number, 0 if it weighs nothing."),
    (of_file(topics=[{"name": "t", "weights": [1, 2, 3, None]}]), "w.json: topic 't' has no weight for t-3. Give a whole number, 0 if it weighs nothing."),
    ([1], 'Expected `object`, got `array`. Give {"topics": [{"name": "t", "weights": [3, 1]}], "weight_unit": "bytes/s"}'),
]  # fmt: skip


@pytest.mark.parametrize(("file", "sentence"), REFUSED)
def test_a_wrong_file_is_refused_in_a_sentence(compared, tmp_path, file, sentence):
    (tmp_path / "w.json").write_text(json.dumps(file))
    status, shown = compared(GROUP, "--weights", str(tmp_path / "w.json"))
    assert (status, sentence in shown.err) == (2, True), shown.err
    assert f"--weights {tmp_path / 'w.json'}: " in shown.err


def test_what_the_group_does_not_have_is_refused(compared, capsys):
    status, shown = compared(GROUP, "--weights", "rate")
    assert (status, "--weights rate: the group's partitions weigh 'records of lag'. Make it with kassay import" in shown.err) == (2, True)  # fmt: skip
    status, shown = compared({**GROUP, "weight_unit": None}, "--weights", "lag")
    assert (status, "--weights lag: the group's partitions weigh nothing. Give" in shown.err) == (
        2,
        True,
    )
    assert re.search(r"^kassay: \S+group\S*: --weights lag", shown.err), shown.err
    assert main(["compare", "consumer/range", "--weights", "lag"]) == 2
    assert "--weights: is of given groups. Name one: --group FILE" in capsys.readouterr().err


def test_partitions_of_several_owners_are_refused(tmp_path, capsys):
    share = {**GROUP, "family": "share", "members": [{"id": "a", "topics": ["t"]}]}
    (tmp_path / "share.json").write_text(json.dumps(share))
    assert main(["compare", "share/simple", "--group", str(tmp_path / "share.json"), "--weights", "lag"]) == 2
    assert "--weights: only partitions of consumer and broker groups have weights. Leave it out." in capsys.readouterr().err  # fmt: skip
