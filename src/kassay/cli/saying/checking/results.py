"""All that a check found, and its records as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kassay.comparison.differential import Distance
from kassay.comparison.holdings import Unheld
from kassay.engine.failures import Failure
from kassay.engine.finding import Finding
from kassay.engine.verdict import (
    Tally,
    Verdict,
)


@dataclass
class Results:
    """All that a check found of its targets; the findings with the files they are saved in."""

    specs: Sequence[str]
    seeds: Sequence[int]
    strict: bool
    usual: bool = False
    """Whether no target was named, so that these are Kafka's own."""
    known: bool = False
    """Whether all known defects are to be shown."""
    before: Sequence[Failure] = ()
    """What failed in the last run, which was tried first."""
    verdicts: list[Verdict] = field(default_factory=list)
    findings: list[tuple[Finding, Path]] = field(default_factory=list)
    distances: list[Distance] = field(default_factory=list)
    tallies: list[Tally] = field(default_factory=list)
    unheld: list[Unheld] = field(default_factory=list)

    def add(self, item: Finding | Verdict | Distance | Tally | Unheld, folder: Path) -> None:
        """Take one thing that a check yields; a finding is saved into the folder."""
        match item:
            case Finding():
                self.findings.append((item, item.save(folder)))
            case Verdict():
                self.verdicts.append(item)
            case Distance():
                self.distances.append(item)
            case Tally():
                self.tallies.append(item)
            case Unheld():
                self.unheld.append(item)

    def family_of(self, verdict: Verdict) -> str:
        """Return the family of a verdict with a breach: that of its finding."""
        return self.of(verdict)[0][0].family

    def of(self, verdict: Verdict) -> list[tuple[Finding, Path]]:
        """Return the findings that a verdict rests on."""
        return [
            (one, path)
            for one, path in self.findings
            if (one.target, one.property) == (verdict.target, verdict.property)
        ]


def verdict_record(verdict: Verdict) -> dict[str, object]:
    """Return a verdict as JSON."""
    limits = {"except_in": list(verdict.except_in)} if verdict.except_in else {}
    return {
        "record": "verdict",
        "target": verdict.target,
        "property": verdict.property,
        "outcome": verdict.outcome,
        "message": verdict.message,
        "judged": verdict.judged,
        "breaches": verdict.breaches,
        **({"reduced": verdict.reduced} if verdict.reduced else {}),
        **limits,
    }
