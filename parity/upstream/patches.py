"""The reports for Kafka's developers in this folder, and Kafka's classes compiled with and without their patches."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from kassay.defaults import cache_folder
from kassay.errors import InputError
from kassay.targets.java import SLF4J_API, SLF4J_NOP
from kassay.targets.java.releases import KAFKA
from kassay.targets.maven.java_programs import find_java
from kassay.targets.maven.repository import fetch, open_network, read_url

HERE = Path(__file__).parent
MEASURED = "measured.json"
RELEASE = "4.3.1"
"""The newest release with sources on Maven Central."""
MODULES = {
    "kafka-clients": "clients", "kafka-streams": "streams", "kafka-group-coordinator": "group-coordinator",
    "connect-runtime": "connect/runtime",
}  # fmt: skip
"""Artifact -> its folder in Kafka's repository."""
JUNIT = "junit-platform-console-standalone"
FILE_IN_PATCH = re.compile(r"^\+\+\+ b/(\S+)", re.MULTILINE)
RESULT = re.compile(r"\[\s*(\d+) tests (successful|failed)\s*\]")


@dataclass(frozen=True)
class Report:
    """One defect: the folder with report.toml, and a test and a patch if there are any."""

    folder: Path

    @cached_property
    def facts(self) -> dict[str, Any]:
        """The fields of report.toml."""
        return tomllib.loads((self.folder / "report.toml").read_text(encoding="utf-8"))

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.folder.name

    @property
    def test(self) -> Path | None:
        """The JUnit test."""
        return next(self.folder.glob("*Test.java"), None)

    @property
    def patch(self) -> Path | None:
        """The unified diff."""
        return next(self.folder.glob("fix.patch"), None)

    @property
    def measured(self) -> dict[str, Any]:
        """The figures that verify.py wrote."""
        path = self.folder / MEASURED
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def write_measured(self, figures: Mapping[str, Any]) -> None:
        """Add figures to those that were measured before."""
        text = json.dumps(self.measured | figures, indent=1, sort_keys=True)
        (self.folder / MEASURED).write_text(f"{text}\n", encoding="utf-8")

    @cached_property
    def jars(self) -> list[Path]:
        """The released jars that the classes need."""
        own = KAFKA[self.facts["assignors"][0]]
        return [fetch(one) for one in [*own.needs(RELEASE), SLF4J_API, SLF4J_NOP]]

    def write_target(self, assignor: str, classes: Path) -> str:
        """Return the target of an assignor with patched classes before the released ones."""
        path = os.pathsep.join(map(str, [classes, *self.jars]))
        return f"jar:{path}#{KAFKA[assignor].class_name(RELEASE)}"


def read_reports() -> list[Report]:
    """Return all reports, in the order of their numbers; the folder of the KIP draft has none."""
    reports = [Report(path.parent) for path in HERE.glob("*/report.toml")]
    return sorted(
        (one for one in reports if "number" in one.facts), key=lambda report: report.facts["number"]
    )


def fetch_pinned(name: str) -> Path:
    """Return a jar of jars.sha256 whose file name begins with `name`; raises InputError if the repository has another one."""
    lines = (line.split() for line in (HERE / "jars.sha256").read_text(encoding="ascii").splitlines())
    digest, path = next(each for each in lines if each[1].rpartition("/")[2].startswith(name))
    jar = cache_folder() / "jars" / path
    if not jar.is_file() or hashlib.sha256(jar.read_bytes()).hexdigest() != digest:
        content = read_url(f"{open_network().url}/{path}")
        if hashlib.sha256(content).hexdigest() != digest:
            raise InputError(f"{path}: the SHA-256 is not {digest}. Set KASSAY_MAVEN_URL to Maven Central.")
        jar.parent.mkdir(parents=True, exist_ok=True)
        jar.write_bytes(content)
    return jar


def compile_java(sources: Sequence[Path], jars: Sequence[Path], into: Path) -> None:
    """Compile Java files; raises SystemExit with the errors of the compiler."""
    javac = shutil.which("javac") or str(Path(os.environ.get("JAVA_HOME", "")) / "bin" / "javac")
    into.mkdir(parents=True, exist_ok=True)
    class_path = os.pathsep.join(map(str, jars))
    command = [javac, "--release", "17", "-nowarn", "-proc:none", "-cp", class_path, "-d", str(into)]
    done = subprocess.run([*command, *map(str, sources)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)


def patch_classes(report: Report, into: Path) -> Path:
    """Compile the files that a patch changes, and those that call a changed signature, and return the folder of the classes.

    Raises SystemExit if the patch does not apply to the sources, or the result does not compile.
    """
    artifact = KAFKA[report.facts["assignors"][0]].artifact
    module = f"{MODULES[artifact]}/src/main/java/"
    text = report.patch.read_text(encoding="utf-8")
    all_files = [*FILE_IN_PATCH.findall(text), *report.facts.get("recompile", ())]
    shutil.rmtree(into, ignore_errors=True)
    with ZipFile(fetch_pinned(f"{artifact}-{RELEASE}-sources")) as sources:
        for file in all_files:
            (into / file).parent.mkdir(parents=True, exist_ok=True)
            (into / file).write_bytes(sources.read(file.removeprefix(module)))
    command = ["patch", "--batch", "--fuzz=0", "-p1", "-d", str(into)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{report.name}: the patch does not apply to {RELEASE}: {done.stdout}")
    compile_java([into / file for file in all_files], report.jars, into / "classes")
    return into / "classes"


def run_test(report: Report, into: Path, classes: Sequence[Path] = ()) -> dict[str, int]:
    """Run a JUnit test with these classes before the released ones; return how many methods are successful, and how many failed."""
    junit = fetch_pinned(JUNIT)
    path = [into / "test", *classes, *report.jars]
    compile_java([report.test], [*classes, *report.jars, junit], into / "test")
    command = find_java().command(
        [junit], "org.junit.platform.console.ConsoleLauncher", "execute", "-cp", os.pathsep.join(map(str, path)),
        "--scan-classpath", str(into / "test"), "--disable-banner", "--details=tree", "--disable-ansi-colors",
    )  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    found = {kind: int(number) for number, kind in RESULT.findall(done.stdout)}
    if done.returncode not in (0, 1) or not sum(found.values()):
        raise SystemExit(f"{report.name}: JUnit did not run: {done.stdout}{done.stderr}")
    (into / "junit.txt").write_text(done.stdout)
    return found
