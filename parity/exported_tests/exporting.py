"""Each finding of the docs as a test in the languages that fit, and the same test of an assignor whose answers pass it."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import findings

from kassay.engine.finding import Finding
from kassay.exported_tests import LANGUAGES, find_obstacle
from kassay.exported_tests.evidence import Evidence, collect_evidence
from kassay.exported_tests.go import FRANZ_GO
from kassay.exported_tests.layout import Job
from kassay.exported_tests.rows import ROLES, Rows, list_answer_rows, list_members
from kassay.families import family
from kassay.model import AssignorError
from kassay.targets import Options, open_target
from kassay.targets.java.releases import KAFKA

ROOT = Path(__file__).parents[2]
FINDINGS = {entry.file: finding for entry, finding in findings.load_findings()}
PYTHON = {
    "kafka": ("range:RangePartitionAssignor", "roundrobin:RoundRobinPartitionAssignor"),
    "aiokafka": ("range:RangePartitionAssignor", "roundrobin:RoundRobinPartitionAssignor"),
}
"""The first name of a module of assignors -> other classes of the library."""


@dataclass(frozen=True, slots=True)
class Exported:
    """The tests of one finding in one language."""

    name: str
    language: str
    message: str
    """The message of the check that fails."""
    failing: str
    passing: str
    """The same test of another assignor, "" if no other one passes it."""
    release: str = ""
    """The release of Kafka, "" in other languages than Java."""
    other_release: str = ""


def export(name: str, folder: Path) -> list[Exported]:
    """Return the tests of a finding; a copy of kassay's adapter for franz-go in the folder is a program like any other."""
    finding = FINDINGS[name]
    of, found = family(finding.family), []
    for target in _list_targets(finding, folder):
        with open_target(target, Options()) as opened:
            evidence, offered = collect_evidence(finding, opened, of), opened.offered
        told = next(
            each
            for each in evidence.checks
            if each.kind == "answers" or each.is_failed_by(_answers(evidence))
        )
        languages = [each for each in LANGUAGES if not find_obstacle(each, finding, target)]
        others = (
            one
            for one in _list_others(target)
            if all(not find_obstacle(each, finding, one) for each in languages)
        )
        other, other_offered = next(_passing(others, finding, evidence), ("", ""))
        for language in languages:
            write = LANGUAGES[language].write
            passing = write(Job(finding, other, of, evidence, other_offered)) if other else ""
            releases = [
                each.partition(":")[2].partition("#")[0] * (language == "java") for each in (target, other)
            ]
            failing = write(Job(finding, target, of, evidence, offered))
            found.append(Exported(name, language, told.message, failing, passing, *releases))
    return found


def _answers(evidence: Evidence) -> list[Rows]:
    return [call.answer or {} for call in evidence.calls]


def _list_targets(finding: Finding, folder: Path) -> list[str]:
    if not finding.target.startswith("exec:"):
        return [finding.target]
    adapter, program = ROOT / "adapters" / "go" / "franz-go", folder / "balancers"
    if not program.exists():
        shutil.copy(adapter, program)
    strategy = finding.target.split()[-1]
    return [f"exec:{adapter} {strategy}", f"exec:{program} {strategy}"]


def _list_others(target: str) -> list[str]:
    """Return other assignors for the same groups: other classes of the library, and other releases of the class."""
    kind, _, rest = target.partition(":")
    if kind == "kafka":
        release, _, own = rest.partition("#")
        named = [name for name in KAFKA if name.split("/")[0] == own.split("/")[0] and name != own]
        return [
            *(f"kafka:{release}#{name}" for name in named),
            *(f"kafka:{each}#{own}" for each in ("4.1.2", "3.4.1") if each in KAFKA[own].versions()),
        ]
    if kind == "python":
        root = rest.partition(".")[0]
        return [f"python:{root}.coordinator.assignors.{place}" for place in PYTHON[root]]
    program, own = rest.rsplit(" ", 1)
    return [f"exec:{program} {name}" for name in FRANZ_GO if name != own]


def _passing(others: Iterator[str], finding: Finding, evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Yield the assignors whose answers keep all checks, with the names by which programs know them."""
    of = family(finding.family)
    for other in others:
        with open_target(other, Options()) as opened:
            try:
                answers = _replay(evidence, opened.assign, of)
            except AssignorError:
                continue
            if not any(check.is_failed_by(answers) for check in evidence.checks):
                yield other, opened.offered


def _replay(evidence: Evidence, assign: Any, of: Any) -> list[Rows]:
    answers: list[Rows] = []
    for call in evidence.calls:
        group = {**call.group}
        if call.fed is not None:
            key = next(each for each in ("members", "clients", "workers") if each in group)
            group[key] = [_own(member, answers[call.fed]) for member in list_members(group)]
        answers.append(list_answer_rows(of.shape.write_answer(assign(of.shape.read_group(group)))))
    return answers


def _own(member: Any, answer: Rows) -> Any:
    if "threads" in member or "process_id" in member:
        return {**member, **{role: [*answer.get(f"{member['id']} {role}", ())] for role in ROLES[:2]}}
    pairs = (item.rpartition("-") for item in answer.get(member["id"], ()))
    return {**member, "owned": [[topic, int(number)] for topic, _, number in pairs]}
