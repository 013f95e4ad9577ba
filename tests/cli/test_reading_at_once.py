"""A long text is read as one group at once, and gives what reading it step by step gives, or the same sentence."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.cli import main
from kassay.cli.render.optimum import render_optimum
from kassay.errors import InputError
from kassay.families.consumer import CONSUMER
from kassay.files.reading import read_groups, read_groups_of_any_family, read_groups_or_refusals
from kassay.model.partitions_json import decode_group, read_group, write_assignment, write_group
from kassay.output.block import json_line
from kassay.properties.partitions.strategies import groups
from kassay.reference.consumer.range import assign

SMALL = {
    "topics": [{"name": "t", "partitions": 2, "racks": [["a", None], None]}],
    "members": [{"id": "m", "topics": ["t"], "owned": [["t", 0]], "generation": 1, "rack": "a"}],
}


@given(groups())
def test_at_once_and_step_by_step_give_the_same_group(of):
    text = json.dumps({"family": "consumer", **write_group(of), "name": "g"})
    assert decode_group(text) == ("consumer", "g", of)
    assert read_group(json.loads(text)) == of


@given(groups())
def test_an_assignment_without_copies_is_the_same_json(of):
    answer = assign(of)
    light = CONSUMER.shape.write_without_copies(answer)
    assert light == {member: tuple(given) for member, given in answer.items()}
    for encode in (json.dumps, json_line):
        assert encode(light) == encode(write_assignment(answer))


@given(st.sampled_from(["topics", "members"]), st.data())
def test_what_is_refused_step_by_step_is_not_taken_at_once(part, data):
    """Any key of a topic or member left out or made anything else."""
    of = json.loads(json.dumps(SMALL))
    key = data.draw(st.sampled_from([*of[part][0], "unknown"]))
    wrong = data.draw(
        st.sampled_from([None, -1, 2**40, 1.5, True, "x", [], [[]], [["t", -1]], [["t", 0], ["t", 0]], {}])
    )
    of[part][0][key] = wrong
    try:
        expected = read_group(of)
    except InputError:
        expected = None
    found = decode_group(json.dumps(of))
    assert (found and found[2]) == expected


def test_long_files_keep_their_names_and_their_sentences(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("kassay.files.reading.LONG", 10)
    good, bad, broken = (tmp_path / name for name in ("good.json", "bad.json", "broken.json"))
    good.write_text(json.dumps(SMALL | {"name": "mine"}))
    bad.write_text(json.dumps(SMALL | {"members": [{"id": "m", "topics": ["t"], "rack": 1}]}))
    broken.write_text(json.dumps(SMALL)[:-2] + "?}")
    (read,) = read_groups([str(good)], CONSUMER)
    assert (read.where, read.value) == ("mine", read_group(SMALL))
    assert read_groups_of_any_family([str(good)], None) == (CONSUMER, [read])
    assert len(read_groups([str(good), str(good)], CONSUMER)) == 2
    assert read_groups_or_refusals([str(good)], CONSUMER) == [read]
    for file, says in (
        (bad, "bad.json: members[0].rack: Expected `str | null`, got `int`"),
        (broken, "line 1: is not JSON"),
    ):
        assert main(["optimum", "balance", str(file)]) == 2
        assert says in capsys.readouterr().err


@pytest.mark.parametrize("format_", ["json", "pretty"])
def test_only_formats_with_tables_make_them(format_, tmp_path, monkeypatch, capsys):
    made = []
    shape = replace(CONSUMER.shape, show=lambda *given: made.append(1) or CONSUMER.shape.show(*given))
    seen = replace(CONSUMER, shape=shape)
    monkeypatch.setattr("kassay.families.consumer.CONSUMER", seen)
    monkeypatch.setattr(
        "kassay.cli.render.optimum.render_optimum",
        lambda *given, **more: made.append(1) or render_optimum(*given, **more),
    )
    file = tmp_path / "group.json"
    file.write_text(json.dumps(SMALL))
    for command, words in (
        (["assign", "consumer/range"], "subscribes to"),
        (["optimum", "balance"], "+t-1"),
    ):
        assert main([*command, str(file), "--format", format_]) == 0
        assert (words in capsys.readouterr().out) == bool(made) == (format_ == "pretty")
        made.clear()
