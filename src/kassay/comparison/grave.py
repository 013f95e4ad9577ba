"""Known defects that are grave: no rest, a crash, something given twice or to nobody; each with its smallest group and the way out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kassay.engine.finding import Finding
from kassay.engine.verdict import GRAVE, KNOWN_DEFECT, gravest
from kassay.families import family
from kassay.families.words import does, plainest_first, way_out, when
from kassay.reference.releases import behaviours


@dataclass(frozen=True, slots=True)
class GraveDefect:
    """A grave known defect of a target, as its smallest group shows it.

    `graveness` is a word of :mod:`kassay.engine.verdict`; `does` and `when` say what happens, and when a user meets it; `way_out` how to stay
    out of that, "" where it is not known; `releases` are those of Kafka that do so, "" where the target is none of Kafka's. It was
    seen on `groups` groups; `sizes` count what is in the smallest, that of `finding`.
    """

    target: str
    property: str
    graveness: str
    does: str
    when: str
    way_out: str
    releases: str
    groups: int
    sizes: dict[str, int]
    finding: Finding

    def json(self) -> dict[str, Any]:
        """Make the JSON of it; the finding has a record of its own."""
        return {
            "record": "grave defect",
            **{name: getattr(self, name) for name in self.__dataclass_fields__ if name != "finding"},
        }


def grave_defects(findings: Sequence[Finding]) -> list[GraveDefect]:
    """Return the grave known defects among findings, by target, the gravest first; of one promise the plainest cause first."""
    grave = [one for one in findings if is_grave(one)]
    targets = list(dict.fromkeys(one.target for one in grave))
    order = gravest({one.property for one in grave})
    plain = plainest_first({_term(one) for one in grave})
    return [
        _defect(one)
        for one in sorted(
            grave,
            key=lambda one: (
                targets.index(one.target), order.index(one.property), plain.index(_term(one)), -one.count,
            ),
        )
    ]  # fmt: skip


def is_grave(finding: Finding) -> bool:
    """Say whether a finding is a grave known defect."""
    return finding.outcome == KNOWN_DEFECT and finding.property in GRAVE


def _term(finding: Finding) -> str:
    return plainest_first(finding.met)[0]


def _defect(one: Finding) -> GraveDefect:
    of, term = family(one.family), _term(one)
    sizes = {name: count(one.group) for name, count in of.shape.sizes.items()}
    return GraveDefect(
        one.target, one.property, GRAVE[one.property], does(of, one.property), when(of, term), way_out(term),
        releases(one.target), one.count, sizes, one,
    )  # fmt: skip


def releases(target: str) -> str:
    """Return the releases of Kafka that behave as a target does: a reference, one of a release, or Kafka's class of one; "" for others."""
    if target.startswith("kafka:"):
        release, _, name = target.removeprefix("kafka:").partition("#")
    else:
        name, _, release = target.partition("@")
    known = behaviours(name)
    return next((str(one) for one in known[::-1] if not release or release in one.releases), "")
