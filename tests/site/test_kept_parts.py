"""A slow part of a page is not made again while its inputs and its text are those of the record, and only then."""

from pathlib import Path

import kept_parts
import pytest


def test_every_changed_added_or_renamed_source_changes_the_hash(tmp_path: Path) -> None:
    source = tmp_path / "reference" / "consumer" / "range.py"
    source.parent.mkdir(parents=True)
    source.write_text("a = 1\n")
    hashes = [kept_parts.hash_inputs(tmp_path)]
    source.write_text("a = 2\n")
    hashes.append(kept_parts.hash_inputs(tmp_path))
    (tmp_path / "grids").mkdir()
    (tmp_path / "grids" / "quick.toml").write_text("")
    hashes.append(kept_parts.hash_inputs(tmp_path))
    source.rename(source.with_name("uniform.py"))
    hashes.append(kept_parts.hash_inputs(tmp_path))
    assert len({*hashes}) == len(hashes)
    source.with_name("uniform.pyc").write_bytes(b"no source")
    assert kept_parts.hash_inputs(tmp_path) == hashes[-1]


def test_a_release_of_a_solver_changes_the_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = kept_parts.hash_inputs(tmp_path)
    monkeypatch.setattr(kept_parts, "version", lambda package: "9.9" if package == "ortools" else "1")
    after = kept_parts.hash_inputs(tmp_path)
    monkeypatch.setattr(kept_parts, "version", lambda _: "1")
    assert len({before, after, kept_parts.hash_inputs(tmp_path)}) == 3


def test_a_part_is_fresh_with_its_inputs_and_its_text_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_parts, "RECORD", tmp_path / "record.json")
    assert not kept_parts.is_fresh("verdicts", "inputs", "text")
    kept_parts.keep("verdicts", "inputs", "text")
    kept_parts.keep("assignors", "inputs", "other")
    assert kept_parts.is_fresh("verdicts", "inputs", "text")
    assert not kept_parts.is_fresh("verdicts", "changed", "text")
    assert not kept_parts.is_fresh("verdicts", "inputs", "changed")
    assert not kept_parts.is_fresh("assignors", "inputs", "text")
