"""For other projects' tests: one pytest test for each property that an assignor is to keep.

::

    from kassay.testing import parametrize_with_properties

    @parametrize_with_properties([my_assignor])
    def test_my_assignor(assignor, keeps):
        keeps(assignor)
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import pytest

from kassay.check import Verdict, check
from kassay.families import FAMILIES, family
from kassay.finding import Finding, as_python
from kassay.model import Assignor
from kassay.targets.target import Target, failing_softly

Candidate: TypeAlias = Assignor | Callable[[Any], Any]


def parametrize_with_properties(
    assignors: Iterable[Candidate],
    *,
    family_name: str = "consumer",
    properties: Iterable[str] | None = None,
    expected_failures: Mapping[str, str] | None = None,
    examples: int = 300,
    seed: int = 0,
) -> pytest.MarkDecorator:
    """Give a test the arguments `assignor` and `keeps`, once for each assignor and property.

    An assignor is a kassay Assignor, a function from a group to an assignment, or an assignor class of kafka-python or
    aiokafka. The properties default to what an Assignor promises, outside the situations where it does not, or to what its
    family expects of everybody.
    `expected_failures` maps a property to the reason why it is known to fail; such a test must fail. It is the same run
    as that of ``kassay check`` with as many `examples` and the same `seed`. Raises InputError where a family or property
    does not exist.
    """
    reasons = dict(expected_failures or {})
    cases = []
    for assignor in assignors:
        trial = _Trial(
            assignor, family_name, None if properties is None else tuple(properties), examples, seed
        )
        unknown = [name for name in reasons if name not in trial.names]
        if unknown:
            raise ValueError(
                f"expected_failures: {', '.join(unknown)} is not tested; known are {', '.join(trial.names)}"
            )
        for name in trial.names:
            marks = [pytest.mark.xfail(reason=reasons[name], strict=True)] if name in reasons else []
            cases.append(pytest.param(assignor, trial.keeps(name), id=f"{trial.title}-{name}", marks=marks))
    return pytest.mark.parametrize(("assignor", "keeps"), cases)


class _Trial:
    """One run of the check for all properties of one assignor, made when the first of its tests runs."""

    def __init__(
        self,
        assignor: Candidate,
        family_name: str,
        properties: tuple[str, ...] | None,
        examples: int,
        seed: int,
    ) -> None:
        promises: frozenset[str] | None = None
        except_in: Mapping[str, frozenset[str]] = {}
        assign: Callable[[Any], Any]
        if isinstance(assignor, Assignor):
            place = assignor.family if assignor.family in FAMILIES else family_name
            self.title, assign, promises = assignor.name, assignor.assign, assignor.promises
            except_in = {} if properties else assignor.except_in
        else:
            place = family_name
            adapted = family(place).adapt(assignor)
            self.title = str(getattr(assignor, "__name__", type(assignor).__name__))
            assign, promises = (adapted.assign, adapted.promises) if adapted else (assignor, None)
        softly = failing_softly(assign)
        self._family, self._examples, self._seed, self._except_in = family(place), examples, seed, except_in
        self._target = Target(self.title, place, softly, softly, promises)
        wanted = properties or promises or self._family.expected
        self.names = [name for name in self._family.properties if name in wanted]
        unknown = sorted(set(wanted) - set(self.names))
        if unknown:
            raise ValueError(
                f"properties: there is no {', '.join(unknown)} in the {self._family.name} family"
            )
        self._findings: dict[str, Finding] | None = None

    def keeps(self, name: str) -> Callable[[Candidate], None]:
        """Make the check of one property, which fails with the smallest group that breaks it."""

        def keeps(_assignor: Candidate) -> None:
            found = self._run().get(name)
            if found is not None:
                pytest.fail(_told(found), pytrace=False)

        return keeps

    def _run(self) -> dict[str, Finding]:
        if self._findings is None:
            told = list(
                check(
                    self._target, self._family, examples=self._examples, seed=self._seed, wanted=self.names,
                    promised=frozenset(self.names), except_in=self._except_in,
                )
            )  # fmt: skip
            self._findings = {item.property: item for item in told if isinstance(item, Finding)}
            assert any(isinstance(item, Verdict) for item in told), (
                "a check that judges nothing shows nothing"
            )
        return self._findings


def _told(finding: Finding) -> str:
    group = json.dumps(family(finding.family).write_group(finding.group))
    said = "\n".join(finding.messages)
    return (
        f"{finding.target} breaks {finding.property}: {said}\nsmallest group: {as_python(finding.group)}\n"
        f"as JSON: {group}\nseed {finding.seed}, kassay {finding.version}"
    )
