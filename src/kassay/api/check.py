"""Check a target from Python: evaluate its promises on given and generated groups.

A target is a name as on the command line, an Assignor, a function, or an assignor class of a client library.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from kassay.conformance.fixtures import list_groups
from kassay.defaults import CHECKED, FAMILY
from kassay.engine.check import Unheld
from kassay.engine.finding import Finding
from kassay.engine.plan import Plan, check_opened
from kassay.engine.verdict import Distance, Tally, Verdict, exit_status
from kassay.families import FAMILIES, family
from kassay.families.assignors import ASSIGNORS
from kassay.model import Assignor
from kassay.output.block import BROKEN, KEPT, KNOWN_DEFECT, LIMIT
from kassay.targets import Options, Target, open_target
from kassay.targets.reference import find_reference
from kassay.targets.target import wrap_function

Candidate: TypeAlias = str | Assignor | Callable[[Any], Any]
"""The name of a target as on the command line, or code of this process.

Such code is an Assignor, a function from a group to an assignment, or an assignor class of kafka-python or aiokafka.
"""


def open_candidate(candidate: Candidate, options: Options) -> Target:
    """Open a candidate; the caller closes it.

    Code runs in this process: an exception is its failure, but its time and memory have no limits. Raises InputError
    if there is no such target, TargetGoneError if it does not start.
    """
    if isinstance(candidate, str):
        return open_target(candidate, options)
    place = options.family
    if isinstance(candidate, Assignor) and candidate.family in FAMILIES:
        place = candidate.family
    of_family = family(place)
    from kassay.targets.clients import adapt_for  # Commands without a Python target start faster without it.

    made = candidate if isinstance(candidate, Assignor) else adapt_for(of_family, candidate)
    assign = wrap_function(made.assign if made else candidate, of_family)  # type: ignore[arg-type]
    return Target(
        name_candidate(candidate), of_family.name if place in FAMILIES else place, assign, assign,
        (made.promises or None) if made else None,
        except_in=made.except_in if made else {},
        reference=find_reference(made.name, made.except_in) if made and ASSIGNORS.get(made.name) is not made else "",
        limits=made.limits if made else frozenset(),
        fails=made.fails if made and ASSIGNORS.get(made.name) is made else frozenset(),
    )  # fmt: skip


def name_candidate(candidate: Candidate) -> str:
    """Return the name of a candidate in messages and tables."""
    if isinstance(candidate, str):
        return candidate
    if isinstance(candidate, Assignor):
        return candidate.name
    return str(getattr(candidate, "__name__", type(candidate).__name__))


@dataclass(frozen=True, slots=True)
class Report:
    """The results for one target: a verdict for each property, findings, distances from the optimum, and the tally."""

    target: str
    verdicts: Sequence[Verdict]
    findings: Sequence[Finding]
    distances: Sequence[Distance]
    tally: Tally
    unheld: Unheld | None = None
    """The promises that a target without own promises was not checked for; None if it has some, or others were named."""

    @property
    def kept(self) -> bool:
        """True if every promise was checked and kept; known defects and limits do not count."""
        return exit_status(self.verdicts) == 0

    @property
    def broken(self) -> tuple[str, ...]:
        """The promises that are broken."""
        return tuple(one.property for one in self.verdicts if one.outcome == BROKEN)

    def __str__(self) -> str:
        counts = {
            name: sum(one.outcome == name for one in self.verdicts)
            for name in (KEPT, BROKEN, KNOWN_DEFECT, LIMIT)
        }
        said = ", ".join(f"{number} {name}" for name, number in counts.items() if number)
        lines = [f"{self.target}: {said or 'nothing could be checked'} ({self.tally.groups} groups)"]
        lines += [f"{one.property}: {one.outcome}: {one.message}" for one in self.verdicts if one.message]
        return "\n".join(lines)


def check(
    target: Candidate,
    groups: Iterable[Any] = (),
    *,
    before: Iterable[Any] = (),
    examples: int | None = None,
    seed: int = 0,
    properties: Collection[str] = (),
    promises: Collection[str] | None = None,
    promises_of: str | None = None,
    except_in: Mapping[str, Collection[str]] | None = None,
    against: str | None = None,
    everything: bool = False,
    like_kafka: bool = False,
    timed: bool = False,
    family: str = FAMILY,
    options: Options | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Report:
    """Check a target on the given groups and on `examples` generated ones.

    The default of `examples` is 2,000 without given groups, else 0.

    - `before` are groups that one instance of the target answers before each given group, as a leader that lives long. A target by name gets
      a new process; code of this process keeps what it remembers.
    - `properties` are patterns of the properties to check, by default the promised ones, or all with `everything`.
    - `promises` (patterns) or `promises_of` (an assignor of kassay) replace the promises of the target.
      The known defects of `promises_of` excuse only Kafka's own classes, or any target with `like_kafka`.
    - `except_in` adds situations in which a promise is known to be broken.
    - `against` names a target that must give the same answers; `timed` also checks response times.
    - `family` is the family of a function; `options` limit the processes of targets.
    - `progress` is called with the number of groups so far.

    Raises InputError if something named does not exist, and TargetGoneError if the target does not start.
    """
    given = [(f"groups[{at}]", group) for at, group in enumerate(groups)]
    number = examples if examples is not None else 0 if given else CHECKED
    how = options or Options(family=family)
    plan = Plan(
        number, seed, tuple(properties), None if promises is None else frozenset(promises), how, against, promises_of,
        {name: frozenset(terms) for name, terms in (except_in or {}).items()}, everything, timed, alone=True,
        like_kafka=like_kafka, sampled=examples is None, before=tuple(before), fixtures=list_groups,
    )  # fmt: skip
    with open_candidate(target, how) as open_:
        results = list(check_opened(open_, plan, given, progress))
    (tally,) = (one for one in results if isinstance(one, Tally))
    return Report(
        open_.name,
        tuple(one for one in results if isinstance(one, Verdict)),
        tuple(one for one in results if isinstance(one, Finding)),
        tuple(one for one in results if isinstance(one, Distance)),
        tally,
        next((one for one in results if isinstance(one, Unheld)), None),
    )
