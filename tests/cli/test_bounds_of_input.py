"""Bounds on what is read and on how wide output is: a limit on the size of input, of jars too, and on COLUMNS."""

import json
import os
import sys
import zipfile
from pathlib import Path

import pytest

from kassay.cli import main
from kassay.input_size import DEFAULT_MB, MAX_INPUT_MB, get_limit
from kassay.output.block import clamp_width

GROUP = {"topics": [{"name": "t", "partitions": 2}], "members": [{"id": "a", "topics": ["t"]}]}


@pytest.fixture(autouse=True)
def unchanged(monkeypatch):
    """Let the option set the variable in this test alone."""
    monkeypatch.setenv(MAX_INPUT_MB, str(DEFAULT_MB))


def refused(capsys, *words):
    assert main([*words]) == 2, words
    return capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no such device")
@pytest.mark.parametrize(
    "words",
    [
        ("assign", "consumer/range", "/dev/zero"),
        ("compare", "--group", "/dev/zero"),
        ("explain", "/dev/zero"),
        ("diff", "/dev/zero", "/dev/zero"),
        ("optimum", "balance", "/dev/zero"),
        ("import", "/dev/zero"),
    ],
)
def test_a_device_without_an_end_is_refused_at_the_limit(words, capsys):
    said = refused(capsys, *words, "--max-input-mb", "1")
    assert "/dev/zero: is larger than 1 MB. Give a smaller input, or a larger --max-input-mb." in " ".join(
        said.split()
    )


def test_a_file_is_read_up_to_the_limit_and_not_beyond(tmp_path, capsys):
    file = tmp_path / "group.json"
    text = json.dumps(GROUP)
    file.write_text(text + " " * (2**20 - len(text)))
    assert main(["assign", "consumer/range", str(file), "--max-input-mb", "1"]) == 0
    file.write_text(text + " " * (2**20 - len(text) + 1))
    assert "is larger than 1 MB" in refused(
        capsys, "assign", "consumer/range", str(file), "--max-input-mb", "1"
    )
    assert main(["assign", "consumer/range", str(file), "--max-input-mb", "2"]) == 0


def test_standard_input_has_the_limit(tmp_path, capsys, monkeypatch):
    file = tmp_path / "long"
    file.write_bytes(b" " * (2**20 + 1))
    with file.open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        said = refused(capsys, "assign", "consumer/range", "-", "--max-input-mb", "1")
    assert "standard input: is larger than 1 MB" in said


def test_a_jar_and_what_is_packed_in_it_have_the_limit(tmp_path, capsys):
    jar = tmp_path / "bomb.jar"
    with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/B.class", b"\0" * (3 * 2**20))
    assert jar.stat().st_size < 2**20
    said = refused(capsys, "check", f"jar:{jar}#a.B", "--max-input-mb", "1")
    assert "what is packed in it: is larger than 1 MB" in " ".join(said.split())
    assert "is not a file. Name a jar, or a folder of classes." in refused(
        capsys, "check", "jar:/dev/zero#a.B"
    )


@pytest.mark.parametrize("text", ["", "0", "-1", "x", "1.5", "9" * 50, "²"])
def test_a_limit_that_is_no_number_is_refused(text, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv(MAX_INPUT_MB, text)
    (tmp_path / "group.json").write_text(json.dumps(GROUP))
    said = refused(capsys, "assign", "consumer/range", str(tmp_path / "group.json"))
    assert f"{MAX_INPUT_MB}: is {text!r}. Give a number of MB from 1 to 1,000,000, such as 256." in " ".join(
        said.split()
    )


def test_the_usual_limit_is_256_mb(monkeypatch):
    monkeypatch.delenv(MAX_INPUT_MB)
    assert get_limit() == 256 * 2**20


@pytest.mark.parametrize("columns", ["1", "19", "20", "500", "501", "99999999"])
def test_output_is_made_for_20_to_500_columns(columns, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("COLUMNS", columns)
    width = clamp_width(int(columns))
    assert 20 <= width <= 500
    (tmp_path / "group.json").write_text(json.dumps(GROUP))
    for words in (
        ["compare", "--group", str(tmp_path / "group.json")],
        ["assign", "consumer/range", "no-such-file"],
    ):
        main(words)
        shown = capsys.readouterr()
        assert max(map(len, (shown.out + shown.err).splitlines())) <= max(width, 160)
    with pytest.raises(SystemExit):
        main(["check", "--help"])
    longest = max(map(len, capsys.readouterr().out.splitlines()))
    assert longest <= 500
    assert os.environ["COLUMNS"] == columns


def test_json_120_000_levels_deep_is_refused_by_the_playground(tmp_path, capsys):
    (tmp_path / "deep.json").write_text("[" * 120_000 + "]" * 120_000)
    said = refused(capsys, "playground", "--group", str(tmp_path / "deep.json"), "--no-browser")
    assert "deep.json, line 1: is nested too deeply" in " ".join(said.split())
