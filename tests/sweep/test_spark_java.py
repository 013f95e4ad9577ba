import subprocess

import pytest

from kassay.errors import InputError
from kassay.reports import requirements as needs
from kassay.reports.sweep.spark import session


def fake_java(home, release):
    (home / "bin").mkdir(parents=True)
    script = home / "bin" / "java"
    script.write_text(
        f'#!/bin/sh\nfor word; do echo "[$word]"; done\necho \'openjdk version "{release}"\' >&2\n'
    )
    script.chmod(0o755)
    (home / "lib").mkdir()
    return home


@pytest.mark.parametrize(
    ("release", "fits"),
    [("1.8.0_392", False), ("11.0.2", False), ("17.0.15", True), ("21", True), ("21.0.8", True), ("25", False),
     ("25.0.2", False), ("25.0.3", True), ("26", False)],
)  # fmt: skip
def test_javas_that_spark_runs_on(tmp_path, monkeypatch, release, fits):
    home = fake_java(tmp_path / "home", release)
    monkeypatch.setenv("JAVA_HOME", str(home))
    monkeypatch.setattr(session, "find_spec", lambda _: None)
    if fits:
        assert session.find_java_home(tmp_path) is None
    else:
        with pytest.raises(InputError, match=r"there is no Java 17 or 21 .*home/bin/java is another"):
            session.find_java_home(tmp_path)


def test_a_java_of_the_path_is_taken_with_its_home(tmp_path, monkeypatch):
    home = fake_java(tmp_path / "home", "17.0.1")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(home / "bin"), prepend=":")
    assert session.find_java_home(tmp_path) == home.resolve()


def test_the_shim_leaves_out_one_switch_and_nothing_else(tmp_path):
    home = fake_java(tmp_path / "home", "21.0.8")
    shim = session._make_shim(home, tmp_path)
    words = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "a b", "-Dx=$HOME"]
    said = subprocess.run([shim / "bin" / "java", *words], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines() == ["[-Xmx1g]", "[a b]", "[-Dx=$HOME]"]
    assert (shim / "lib").is_symlink()


def test_what_is_not_installed_is_named_in_one_sentence(monkeypatch):
    monkeypatch.setattr(needs, "find_spec", lambda name: None if name == "pyspark" else True)
    with pytest.raises(
        InputError,
        match=r"sweep: pyspark is not installed. Run: pip install 'kassay\[reports\]'",
    ):
        needs.require_spark()
