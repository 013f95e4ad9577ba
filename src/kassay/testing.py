"""Tests for other projects: one pytest test for each property that an assignor should keep.

::

    from kassay.testing import parametrize_with_properties

    @parametrize_with_properties([my_assignor])
    def test_my_assignor(assignor, keeps):
        keeps(assignor)
"""

import json
import os
import shlex
from collections.abc import Callable, Iterable, Mapping

import pytest

from kassay.api.check import Candidate, name_candidate, open_candidate
from kassay.defaults import FAMILY
from kassay.engine.check import check
from kassay.engine.finding import Finding, as_python, merge_findings
from kassay.engine.promises import build_promises, read_promises
from kassay.engine.verdict import Verdict
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.model import Assignor
from kassay.output.block import KEPT, KNOWN_DEFECT, LIMIT
from kassay.targets import Options


def parametrize_with_properties(
    assignors: Iterable[Candidate],
    *,
    family_name: str = FAMILY,
    properties: Iterable[str] | None = None,
    expected_failures: Mapping[str, str] | None = None,
    examples: int = 300,
    seed: int = 0,
    strict: bool = False,
) -> pytest.MarkDecorator:
    """Give a test the arguments `assignor` and `keeps`, once for each assignor and property.

    An assignor is the name of a target, a kassay Assignor, a function from a group to an assignment, or an assignor class of
    kafka-python or aiokafka. The properties default to the promises of an Assignor, or to the expectations of its family.
    A breach is a known defect if the promise declares an exception for the situation: an expected failure unless `strict`.
    If the exception is a design limit, the test passes. `expected_failures` maps a property to the reason why it fails;
    such a test must fail. The run equals ``kassay check`` with the same `examples` and `seed`.
    Raises InputError if a family or property does not exist.
    """
    reasons = dict(expected_failures or {})
    cases = []
    for assignor in assignors:
        trial = _Check(
            assignor,
            family_name,
            None if properties is None else tuple(properties),
            examples,
            seed,
            strict=strict,
        )
        unknown = [name for name in reasons if name not in trial.names]
        if unknown:
            raise ValueError(
                f"expected_failures: {', '.join(unknown)} is not tested. Known are {', '.join(trial.names)}"
            )
        for name in trial.names:
            marks = [pytest.mark.xfail(reason=reasons[name], strict=True)] if name in reasons else []
            cases.append(pytest.param(assignor, trial.keeps(name), id=f"{trial.title}-{name}", marks=marks))
    return pytest.mark.parametrize(("assignor", "keeps"), cases)


class _Check:
    """One check of all properties of an assignor. It runs with the first of its tests."""

    def __init__(
        self,
        assignor: Candidate,
        family_name: str,
        properties: tuple[str, ...] | None,
        examples: int,
        seed: int,
        *,
        strict: bool,
    ) -> None:
        self._strict, self._examples, self._seed = strict, examples, seed
        self.title = name_candidate(assignor)
        self._target = open_candidate(assignor, Options(family=family_name))
        self._family = family(self._target.family)
        self._promises = (
            build_promises(properties, {}, self._family)
            if properties
            else read_promises(self._target, self._family)
        )
        self.names = [name for name in self._family.properties if name in self._promises.names]
        unknown = sorted(self._promises.names - set(self.names))
        if unknown:
            raise ValueError(
                f"properties: there is no {', '.join(unknown)} in the {self._family.name} family"
            )
        self._command = find_command(assignor)
        self._told: list[Finding | Verdict] = []

    def keeps(self, name: str) -> Callable[[Candidate], None]:
        """Return the test of one property, which fails with the smallest group that breaks it."""

        def keeps(_assignor: Candidate) -> None:
            told = [item for item in self._run() if item.property == name]
            (verdict,) = (item for item in told if isinstance(item, Verdict))
            findings = [item for item in told if isinstance(item, Finding)]
            said = "\n\n".join(
                describe_finding(one, self._command) for one in findings if one.outcome == verdict.outcome
            )
            if verdict.outcome == KNOWN_DEFECT and not self._strict:
                pytest.xfail(f"known defect: {said}")
            if verdict.outcome not in {KEPT, LIMIT}:
                pytest.fail(said or f"{name} could not be checked: {verdict.message}", pytrace=False)

        return keeps

    def _run(self) -> list[Finding | Verdict]:
        if not self._told:
            told = check(
                self._target, self._family, examples=self._examples, seed=self._seed, wanted=self.names,
                promises=self._promises,
            )  # fmt: skip
            self._told = [item for item in told if isinstance(item, (Finding, Verdict))]
        return self._told


BEFORE = 5
"""The groups before that are shown of a finding."""


def find_command(assignor: Candidate) -> str | None:
    """Return the name of an assignor on the command line; None if it has no name."""
    if isinstance(assignor, str):
        return assignor
    if isinstance(assignor, Assignor):
        return assignor.name if ASSIGNORS.get(assignor.name) is assignor else None
    module, name = getattr(assignor, "__module__", None), getattr(assignor, "__qualname__", None)
    return f"python:{module}:{name}" if module and name and "<" not in name else None


def describe_findings(findings: Iterable[Finding], target: str | None) -> list[str]:
    """Return a text for each cause: the worst broken promise, then the others that the same smallest group breaks."""
    return [
        "\n".join(
            [
                describe_finding(first, target),
                *(f"the same group breaks {one.property}: {one.messages[0]}" for one in others),
            ]
        )
        for first, *others in merge_findings(findings)
    ]


def describe_finding(finding: Finding, target: str | None) -> str:
    """Return the text of a finding: breach, group, and how to replay it; `target` is the name on the command line."""
    of_family = family(finding.family)
    group = json.dumps(of_family.write_group(finding.group))
    answer = "none" if finding.assignment is None else json.dumps(of_family.shape.brief(finding.assignment))
    lines = [
        f"{finding.target} breaks {finding.property}: {finding.messages[0]}",
        *finding.messages[1:],
        *(f"  {frame}" for frame in finding.stack.splitlines()),
        *(f"before it, on one instance: {as_python(each)}" for each in finding.before[:BEFORE]),
        *[f"and {len(finding.before) - BEFORE} more groups before it"] * (len(finding.before) > BEFORE),
        f"smallest group: {as_python(finding.group)}",
        f"as JSON: {group}",
        f"answer: {answer}",
        f"seen on {finding.count} groups, seed {finding.seed}, kassay {finding.version}",
        f"replay: pytest '{os.environ.get('PYTEST_CURRENT_TEST', '').rpartition(' ')[0]}'",
    ]
    if target is not None and not finding.before:
        lines.append(
            f"or: echo {shlex.quote(group)} | kassay check {shlex.quote(target)} --promise {finding.property} --group -"
        )
    return "\n".join(lines)
