"""A wave of which a part is lost, copied or changed is refused by whatever reads it, in one sentence."""

import json
import shutil
from hashlib import sha256

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from mutations import changed

pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")

from kassay.cli import main
from kassay.errors import InputError, TargetGoneError
from kassay.reports.sweep.folder import note_wave, refuse_lost, verify_waves
from kassay.reports.sweep.manifest import NOTE, complete_waves, read_run, wave_folder

COMMANDS = (["report"], ["compare", "consumer/range", "consumer/sticky", "--sweep"])


def lost(place):
    (place / "part-00000.parquet").unlink()


def copied(place):
    shutil.copy(place / "part-00000.parquet", place / "part-00001.parquet")


def halved(place):
    part = place / "part-00000.parquet"
    pq.write_table(pq.read_table(part, partitioning=None).slice(7), part)


def unread(place):
    (place / NOTE).write_bytes(b'{"part-00000.parquet": "\xff"}')


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lost, r"part-00000.parquet: is missing, with"),
        (copied, r"part-00001.parquet: was added"),
        (halved, r"part-00000.parquet: was changed after it was written"),
        (unread, f"{NOTE}: cannot be read"),
    ],
)
def test_a_part_that_is_not_as_it_was_written(command, harm, said, copy, capsys):
    harm(wave_folder(copy, read_run(copy), 1))
    assert main([*command, str(copy)]) == 2
    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1
    assert said in printed.err
    assert "Remove" in printed.err
    assert not printed.out


def test_a_row_that_is_there_twice_is_refused_even_where_it_was_noted(copy, capsys):
    run = read_run(copy)
    copied(wave_folder(copy, run, 0))
    note_wave(copy, run, 0)
    assert main([*COMMANDS[1], str(copy)]) == 2
    assert "is there 2 times" in capsys.readouterr().err


def without(column):
    """A part without a column, or with one that is of another type, or there twice."""
    return {
        "left out": lambda rows: rows.drop_columns([column]),
        "other": lambda rows: rows.set_column(
            rows.column_names.index(column), column, pa.array(["x"] * len(rows))
        ),
        "twice": lambda rows: rows.append_column(column, rows[column]),
    }


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("column", ["seed", "measures", "situations", "micros"])
@pytest.mark.parametrize("how", ["left out", "other", "twice"])
def test_a_part_with_other_columns_is_refused_even_where_it_was_noted(how, column, command, copy, capsys):
    run = read_run(copy)
    part = wave_folder(copy, run, 1) / "part-00000.parquet"
    pq.write_table(without(column)[how](pq.read_table(part, partitioning=None)), part)
    note_wave(copy, run, 1)
    assert main([*command, str(copy)]) == 2
    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1
    assert f"{part.name}: has " in printed.err
    assert repr(column) in printed.err
    assert not printed.out


def test_a_part_that_is_no_parquet_is_refused_even_where_it_was_noted(copy, capsys):
    run = read_run(copy)
    place = wave_folder(copy, run, 1)
    part = place / "part-00000.parquet"
    part.write_bytes(b"PAR1 is all that there is of it PAR1")
    (place / NOTE).write_text(
        json.dumps({part.name: {"rows": 1, "sha256": sha256(part.read_bytes()).hexdigest()}})
    )
    for command in COMMANDS:
        assert main([*command, str(copy)]) == 2
        assert f"{part.name}: cannot be read (" in capsys.readouterr().err


def test_a_wave_counts_once_its_parts_are_noted(copy):
    run = read_run(copy)
    (wave_folder(copy, run, 0) / NOTE).unlink()
    assert complete_waves(copy, run) == [1]
    assert verify_waves(copy, run) == [1]


def test_a_wave_that_lost_a_row_or_has_one_twice_is_not_noted(copy):
    run = read_run(copy)
    place = wave_folder(copy, run, 0)
    refuse_lost(copy, run, 0)
    copied(place)
    with pytest.raises(InputError, match="2 times"):
        refuse_lost(copy, run, 0)
    (place / "part-00001.parquet").unlink()
    halved(place)
    with pytest.raises(TargetGoneError, match=r"rows of groups as drawn instead of \d+. Run the same"):
        refuse_lost(copy, run, 0)


def test_a_summary_of_another_sweep_is_refused(copy, capsys):
    summary = copy / "summary"
    shutil.copy(summary / "gaps.parquet", summary / "properties.parquet")
    assert main(["report", str(copy)]) == 2
    assert "properties.parquet: was changed after it was written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (["id"], "../x", "id: '../x' is not a hash"),
        (["groups"], 61, "groups: 61 does not match the cells and seeds"),
        (["waves"], 0, "waves: 0 is out of range for 60 groups"),
        (["waves"], 10**12, "waves: 1000000000000 is out of range"),
        (["timeout_s"], -1.0, "timeout_s, memory_mb: -1.0"),
        (["sample", "laws"], -1, "sample: a number is below 0"),
        (["targets"], [], "targets: the list is empty"),
        (["sizes"], ["beauty"], "sizes: beauty do not match consumer groups"),
        (["measures"], ["beauty"], "measures: there is no 'beauty'"),
        (["levels"], ["beauty"], "levels: there is no 'beauty'"),
        (["targets", 0, "promises"], ["beauty"], "promises: there is no 'beauty'"),
        (["targets", 0, "except_in"], {"stable": ["nowhere"]}, "except_in: stable: there is no situation"),
        (["cells", 0, "situations"], ["nowhere"], "situations: there is no 'nowhere'"),
        (["cells", 0, "ranges", "members"], [5, 1], "ranges: members is 5 to 1"),
        (["cells", 0, "ranges", "members"], [1, 10**9], "ranges: members is 1 to 1000000000"),
        (["cells", 0, "ranges", "beauty"], [1, 1], "ranges: there is no 'beauty'"),
        (["cells", 0, "mixes"], {"beauty": {"a": 1}}, "mixes: there is no 'beauty'"),
        (["cells", 0, "mixes"], {"names": {"plain": -1}}, "mixes: names has weights below 0"),
        (["seeds"], [], "groups: 60 does not match"),
    ],
)
def test_settings_that_do_not_fit_are_one_sentence(path, value, said, sweep, tmp_path):
    settings = changed(json.loads((sweep / "run.json").read_text()), path, value)
    (tmp_path / "run.json").write_text(json.dumps(settings))
    with pytest.raises(InputError) as refused:
        read_run(tmp_path)
    assert f"{tmp_path / 'run.json'}: {said}" in str(refused.value)


@pytest.mark.parametrize("text", [b"\xff\xfe{}", b"[" * 100_000, b'{"format": 4, "id": "\xff"}'])
def test_settings_that_are_no_json_are_one_sentence(text, tmp_path, capsys):
    (tmp_path / "run.json").write_bytes(text)
    assert main(["report", str(tmp_path)]) == 2
    assert "run.json: is not the run.json of a sweep" in capsys.readouterr().err
