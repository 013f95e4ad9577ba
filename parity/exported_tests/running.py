"""Run tests of a language: each function returns what the framework printed about each test that failed by an assertion."""

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).parent
ADAPTER = HERE.parents[1] / "adapters" / "go"


class BrokenTestError(Exception):
    """A test that does not compile, or fails by something else than its assertion."""


def run_pytest(tests: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Run files of pytest, each by itself; "" stands for a test that passes."""
    said = {}
    for name, text in tests.items():
        path = folder / f"test_{_identify(name)}.py"
        path.write_text(text + "\n")
        run = _run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-p",
                "no:cacheprovider",
                "-n",
                "0",
                "-c",
                "/dev/null",
                str(path),
            ],
            folder,
        )
        if run.returncode not in (0, 1) or (run.returncode and "AssertionError" not in run.stdout):
            raise BrokenTestError(f"{name}: {run.stdout}{run.stderr}")
        said[name] = run.stdout if run.returncode else ""
    return said


def run_java(tests: Mapping[str, str], folder: Path, release: str) -> dict[str, str]:
    """Compile all tests for a release of Kafka and run them by Maven."""
    sources = folder / "tests"
    sources.mkdir(parents=True)
    names = {}
    for name, text in tests.items():
        own = re.search(r"^class (\w+)", text, re.MULTILINE)
        assert own
        unique = f"{_identify(name).title().replace('_', '')}Test"
        names[unique] = name
        (sources / f"{unique}.java").write_text(re.sub(rf"\b{own[1]}\b", unique, text) + "\n")
    shutil.copy(HERE / "pom.xml", folder)
    run = _run(["mvn", "-q", "-B", f"-Dkafka={release}", f"-Dtests={sources}", "test"], folder)
    if run.returncode:
        raise BrokenTestError(run.stdout + run.stderr)
    said = {}
    for report in (folder / "target" / "surefire-reports").glob("*.xml"):
        for case in ElementTree.parse(report).iter("testcase"):
            name = names[case.attrib["classname"].rpartition(".")[2]]
            failed = case.find("failure")
            if case.find("error") is not None or (
                failed is not None and "AssertionFailedError" not in failed.attrib["type"]
            ):
                raise BrokenTestError(f"{name}: {ElementTree.tostring(case, 'unicode')}")
            said[name] = "" if failed is None else failed.attrib["message"]
    return said


def run_go(tests: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Run tests of Go, each in a package of one module."""
    folder.mkdir(parents=True)
    for file in ("go.mod", "go.sum"):
        shutil.copy(ADAPTER / file, folder)
    said = {}
    for name, text in tests.items():
        package = folder / _identify(name)
        package.mkdir()
        (package / "assignor_test.go").write_text(text + "\n")
        vet = _run(["go", "vet", "-mod=mod", f"./{package.name}"], folder)
        run = _run(["go", "test", "-mod=mod", "-count=1", f"./{package.name}"], folder)
        if vet.returncode or (run.returncode and "--- FAIL: Test" not in run.stdout) or "panic" in run.stdout:
            raise BrokenTestError(f"{name}: {vet.stderr}{run.stdout}{run.stderr}")
        said[name] = run.stdout if run.returncode else ""
    return said


def run_js(tests: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Run tests of node:test, each file by itself."""
    folder.mkdir(parents=True)
    said = {}
    for name, text in tests.items():
        path = folder / f"{_identify(name)}.test.mjs"
        path.write_text(text + "\n")
        run = _run(["node", "--test", str(path)], folder)
        if run.returncode and "ERR_ASSERTION" not in run.stdout:
            raise BrokenTestError(f"{name}: {run.stdout}{run.stderr}")
        said[name] = run.stdout if run.returncode else ""
    return said


def run_rust(tests: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Run tests of Rust, each in a file of one package."""
    (folder / "tests").mkdir(parents=True)
    (folder / "src").mkdir()
    (folder / "src" / "lib.rs").touch()
    (folder / "Cargo.toml").write_text(
        '[package]\nname = "exported"\nversion = "0.0.0"\nedition = "2021"\n\n[dev-dependencies]\nserde_json = "1"\n'
    )
    for name, text in tests.items():
        (folder / "tests" / f"{_identify(name)}.rs").write_text(text + "\n")
    said = {}
    for name in tests:
        run = _run(["cargo", "test", "-q", "--test", _identify(name)], folder)
        if run.returncode and "test result: FAILED" not in run.stdout:
            raise BrokenTestError(f"{name}: {run.stdout}{run.stderr}")
        said[name] = run.stdout + run.stderr if run.returncode else ""
    return said


def _run(command: list[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=900)


def _identify(name: str) -> str:
    return re.sub(r"\W", "_", name)
