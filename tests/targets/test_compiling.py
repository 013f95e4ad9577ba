"""Classes that were compiled before are used again, and made again where they are spoiled."""

import pytest

from kassay.errors import TargetGoneError
from kassay.targets.maven import java_programs
from kassay.targets.maven.java_programs import compile_sources


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Count compilations, each of which writes two classes."""
    counted = []

    def compile_(sources, _jars, into):
        counted.append(sources)
        (into / "a").mkdir(parents=True)
        (into / "a" / "A.class").write_bytes(b"A" * 100)
        (into / "B.class").write_bytes(b"B" * 100)

    monkeypatch.setenv("KASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(java_programs, "_compile", compile_)
    return counted


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "A.java"
    path.write_text("class A {}")
    return path


def test_whole_classes_are_used_again(runs, source):
    assert compile_sources([source], []) == compile_sources([source], [])
    assert len(runs) == 1


@pytest.mark.parametrize("harm", ["truncated", "missing", "unnoted", "misnoted", "foreign"])
def test_spoiled_classes_are_made_again(harm, runs, source):
    folder = compile_sources([source], [])
    match harm:
        case "truncated":
            (folder / "a" / "A.class").write_bytes(b"A" * 50)
        case "missing":
            (folder / "B.class").unlink()
        case "unnoted":
            (folder / java_programs.NOTE).unlink()
        case "misnoted":
            (folder / java_programs.NOTE).write_bytes(b"\xff")
        case "foreign":
            (folder / "C.class").write_bytes(b"C")
    assert compile_sources([source], []) == folder
    assert len(runs) == 2
    assert (folder / "a" / "A.class").read_bytes() == b"A" * 100
    assert {path.name for path in folder.iterdir()} == {"a", "B.class", java_programs.NOTE}
    assert {path.name for path in folder.parent.iterdir()} == {folder.name}
    compile_sources([source], [])
    assert len(runs) == 2


def test_a_compiler_that_fails_is_a_sentence(source, tmp_path, monkeypatch):
    class Failing:
        def command(self, *_):
            return ["sh", "-c", "echo no such thing >&2; exit 1"]

    monkeypatch.setenv("KASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(java_programs, "find_java", Failing)
    monkeypatch.setattr(java_programs, "fetch", lambda _: tmp_path / "ecj.jar")
    with pytest.raises(TargetGoneError, match="cannot be compiled by sh: no such thing"):
        compile_sources([source], [])
    assert not list((tmp_path / "cache" / "classes").iterdir())
