"""A slow part of a page is not made again while its inputs and its text are those of the record, and only then."""

import json
import subprocess
import sys
from pathlib import Path

import kept_parts
import pytest

import kassay

CHECK = """
import json, sys
sys.path.insert(0, "docs/scripts")
from judged import check_assignor
check_assignor("consumer/optimal", 3)
print(json.dumps([module.__file__ for name, module in sys.modules.items() if name.startswith("kassay.") and module.__file__]))
"""


def test_every_changed_added_or_renamed_source_changes_the_hash(tmp_path: Path) -> None:
    source, data = (tmp_path / "reference" / "consumer" / name for name in ("range.py", "known.json"))
    script = tmp_path / kept_parts.SCRIPTS[0]
    for file in (source, script):
        file.parent.mkdir(parents=True)
    script.write_text("import kassay.reference.consumer.range\n")
    source.write_text("a = 1\n")
    hashes = [kept_parts.hash_inputs(tmp_path)]
    source.write_text("a = 2\n")
    hashes.append(kept_parts.hash_inputs(tmp_path))
    data.write_text("{}")
    hashes.append(kept_parts.hash_inputs(tmp_path))
    (tmp_path / "grids").mkdir()
    (tmp_path / "grids" / "quick.toml").write_text("")
    hashes.append(kept_parts.hash_inputs(tmp_path))
    source.rename(source.with_name("uniform.py"))
    hashes.append(kept_parts.hash_inputs(tmp_path))
    for begins in ("", "# Another table.\n"):
        script.write_text(f"{begins}OPENED = 'kassay.reference.consumer.uniform:assign'\n")
        hashes.append(kept_parts.hash_inputs(tmp_path))
    source.with_name("uniform.py").write_text("a = 3\n")
    hashes.append(kept_parts.hash_inputs(tmp_path))
    assert len({*hashes}) == len(hashes)
    source.with_name("uniform.pyc").write_bytes(b"no source")
    source.with_name("sticky.py").write_text("nobody = 'imports it'\n")
    assert kept_parts.hash_inputs(tmp_path) == hashes[-1]


def test_what_a_check_loads_is_hashed_and_commands_are_not() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHECK], cwd=kept_parts.ROOT, capture_output=True, text=True, check=True
    )
    # An installed package has copies of the files.
    top = Path(kassay.__file__).parent
    own = kept_parts.ROOT / "src" / "kassay"
    loaded = {(own / Path(file).relative_to(top)).resolve() for file in json.loads(done.stdout)}
    hashed = {*kept_parts.find_inputs()}
    assert len(loaded) > 100
    assert loaded - hashed == set()
    assert not [file for file in hashed if {"cli", "playground", "simulation"} & {*file.parts}]


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
