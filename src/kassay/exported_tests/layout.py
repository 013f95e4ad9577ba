"""The parts of a test that all languages write alike: names, the lines on top, and the checks as statements."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kassay.engine.finding import Finding
from kassay.exported_tests.evidence import Call, Evidence
from kassay.exported_tests.rows import Check, Rows
from kassay.families.family import Family
from kassay.sentences import end_sentence, read_first_sentence

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


@dataclass(frozen=True, slots=True)
class Job:
    """A test to write: the finding, the target that is tested, and the evidence."""

    finding: Finding
    target: str
    of: Family
    evidence: Evidence
    assignor: str
    """The name by which a program knows the assignor."""


def list_answer_names(calls: Sequence[Call]) -> list[str]:
    """Return a variable name for the answer to each call."""
    if len(calls) == 1:
        return ["answer"]
    return [ORDINALS[at] if at < len(ORDINALS) else f"answer{at + 1}" for at in range(len(calls))]


def show(text: str) -> str:
    """Return a text for a comment, in one line of printable characters."""
    return "".join(each if each.isprintable() else f"<U+{ord(each):04X}>" for each in text)


def write_header(job: Job, library: str, run: Sequence[str], comment: str = "//") -> str:
    """Return the comment on top of a test: the defect, the promise, the library, and how to run it."""
    finding = job.finding
    lines = [f"{library}: {end_sentence(job.evidence.checks[0].message)}"]
    lines += [end_sentence(finding.title)] * bool(finding.title)
    said = read_first_sentence(job.of.properties[finding.property].__doc__)
    lines.append(f'Broken promise "{finding.property}": {end_sentence(said)}')
    if len(job.evidence.calls) == 1 and finding.smallest and not finding.given:
        lines.append("No smaller group that kassay tried shows it.")
    if finding.before:
        lines.append("One instance answers all groups. A new one keeps the promise on the last group.")
    if any(check.kind == "unlike" for check in job.evidence.checks):
        lines.append("The test refuses this one answer. Any other answer passes, so let kassay check it too.")
    return "".join(f"{comment} {show(each)}\n" for each in (*lines, *run))


def list_unanswered(job: Job, at: int) -> list[Check]:
    """Return the checks that a call is answered at all."""
    return [check for check in job.evidence.checks if check.kind == "answers" and check.at == at]


def write_helpers(code: str, helpers: Mapping[str, str]) -> str:
    """Return the helpers that the code of a test calls; `same` calls `kept`."""
    return "".join(
        text for name, text in helpers.items() if f"{name}(" in code or (name == "kept" and "same(" in code)
    )


def format_property(finding: Finding) -> str:
    """Return the name of the property as an identifier, such as ``joined_evenly``."""
    return re.sub(r"\W", "_", finding.property)


def fill(template: str, parts: Mapping[str, str]) -> str:
    """Return a template of this folder with its parts, each written as ``@NAME@``."""
    text = (Path(__file__).parent / "templates" / template).read_text(encoding="utf-8")
    return re.sub(r"@([A-Z]+)@", lambda found: parts[found[1]], text)


def write_json_text(text: str) -> str:
    """Return a text in double quotes, in ASCII, as JSON, Java and JavaScript read it."""
    return json.dumps(text)


@dataclass(frozen=True, slots=True)
class Syntax:
    """The expressions of a language. Each function returns code of what it is named after."""

    text: Callable[[str], str]
    texts: Callable[[Sequence[str]], str]
    count: Callable[[str, str, str], str]
    """Takes an answer, owners and items as lists."""
    demand: Callable[[str, str, str], str]
    """A statement; takes a condition, the message as code, and the answer that it shows."""
    same: Callable[[str, str], str]
    kept: Callable[[str, str], str]
    """A condition that a later answer has all rows of an earlier one; takes earlier and later."""
    rows: Callable[[Rows], str]
    comment: str = "//"


def write_checks(job: Job, syntax: Syntax) -> list[str]:
    """Return the statements that check the answers, but for a call that has to answer at all."""
    names = list_answer_names(job.evidence.calls)
    lines: list[str] = []
    for check in job.evidence.checks:
        lines += [f"{syntax.comment} {show(check.proof)}"] * bool(check.proof)
        if check.kind != "answers":
            demand = _write_condition(check, names, syntax)
            lines.append(syntax.demand(demand, syntax.text(check.message), names[check.at]))
    return lines


def _write_condition(check: Check, names: Sequence[str], syntax: Syntax) -> str:
    answer = names[check.at]
    if check.kind == "same":
        return syntax.same(names[check.than], answer)
    if check.kind == "kept":
        return syntax.kept(names[check.than], answer)
    if check.kind == "unlike":
        return f"!{syntax.same(syntax.rows(check.rows or {}), answer)}"
    parts = [
        f"{'+' if each.sign > 0 else '-'} {syntax.count(answer, syntax.texts(each.owners), syntax.texts(each.items))}"
        for each in check.counts
    ]
    return f"{' '.join(parts).removeprefix('+ ')} {check.relation} {check.bound}"


def write_members(
    call: Call, names: Sequence[str], owned: Callable[[str, str], str], text: Callable[[Any], str]
) -> Any:
    """Return a function from an owner and what it owns to code: the earlier answer's rows if the members own these."""

    def write(owner: str, items: Sequence[str]) -> str:
        return text(items) if call.fed is None else owned(names[call.fed], owner)

    return write
