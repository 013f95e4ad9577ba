"""Findings: the smallest groups on which a target breaks a property, one for each cause, as files that can be replayed."""

import builtins
import hashlib
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

import msgspec

from kassay import __version__
from kassay.engine.judge import Breach
from kassay.engine.promises import refuse_unknown
from kassay.errors import InputError
from kassay.families import family
from kassay.families.words import worst_first
from kassay.files.output import write_whole
from kassay.files.reading import Read, build_group, read_json
from kassay.files.writing import refuse_unregistered
from kassay.model.json_text import convert_json
from kassay.output.block import BROKEN, KNOWN_DEFECT, LIMIT, NOT_PROMISED, json_line
from kassay.properties.runs import Run
from kassay.sentences import describe_missing

MOST_CAUSES = 3
"""The most findings of one property; the most frequent causes are chosen."""


@dataclass(frozen=True, slots=True)
class Cause:
    """The cause of a breach of a property: the kind of failure, and the excepted situations that were met."""

    property: str
    failure: str
    met: frozenset[str]


@dataclass
class BreachSummary:
    """The number of breaches of one cause, and the breach with the smallest group."""

    group: Any
    breach: Breach
    size: int
    """The length of the group's JSON, in bytes."""
    given: str
    """The name of the first given group of this cause, "" if all groups were generated."""
    seed: int
    """The seed of the smallest group."""
    least: bool = False
    """True if an earlier run minimised the smallest group."""
    before: tuple[Any, ...] = ()
    """The last groups that the target was asked about before, if it runs in a process of its own."""
    count: int = 0


def select_causes(causes: Sequence[Cause], count: Callable[[Cause], int]) -> Iterator[Cause]:
    """Yield the causes of one property's breaches that are worth a finding, the most frequent first.

    Up to MOST_CAUSES broken promises come first, then up to MOST_CAUSES known defects. A known defect is left out if the same failure
    also breaks the promise outside its situations, or occurs in fewer of them.
    """
    for known in (False, True):
        telling = [
            cause
            for cause in causes
            if bool(cause.met) is known
            and not any(other.failure == cause.failure and other.met < cause.met for other in causes)
        ]
        yield from sorted(telling, key=count, reverse=True)[:MOST_CAUSES]


@dataclass(frozen=True, slots=True)
class Finding:
    """The smallest group found on which a target breaks a property, and the sentences that describe the breach."""

    target: str
    family: str
    property: str
    promised: bool
    group: Any
    assignment: Any
    """The target's answer to the group, None if it gave no answer."""
    messages: tuple[str, ...]
    seed: int
    smallest: bool = True
    """True if the minimiser finished: no slightly smaller group breaks the property."""
    version: str = __version__
    against: str | None = None
    """The target that this one should equal."""
    except_in: tuple[str, ...] = ()
    """The situations in which the promise is known to be broken."""
    met: tuple[str, ...] = ()
    """The situations of `except_in` that this breach is in."""
    count: int = 1
    """The number of groups that break the property in this way."""
    given: str = ""
    """The name of the first such group, "" if it was generated."""
    stack: str = ""
    """The frames of the target's own code in which it failed."""
    wholly: tuple[str, ...] = ()
    """The situations that excuse every breach; in the other ones, the reference `beside` must break the promise too."""
    beside: str = ""
    seen_in: tuple[str, ...] = ()
    """The excepted situations of the groups as they were generated. If `met` is empty, minimisation left these situations."""
    of_limit: bool = False
    """True if the exceptions are a design limit and not a defect."""
    title: str = ""
    """The sentence that a person wrote about the defect."""
    before: tuple[Any, ...] = ()
    """The groups that one instance answers first; a new instance keeps the property on `group`."""
    runs: tuple[Run, ...] = field(default=(), compare=False, repr=False)
    """The two runs that contradict each other, if the property compares two. They are not saved, because a replay repeats them."""

    @builtins.property
    def known(self) -> bool:
        """True for a known defect or a limit: a breach in a situation for which the promise declares an exception."""
        return self.promised and bool(self.met)

    @builtins.property
    def left_its_exceptions(self) -> bool:
        """True if all generated groups are in excepted situations, and only the minimised group is not."""
        return bool(self.seen_in) and not self.met

    @builtins.property
    def outcome(self) -> str:
        """The outcome for the property: broken, known defect, limit or not promised."""
        if not self.promised:
            return NOT_PROMISED
        return (LIMIT if self.of_limit else KNOWN_DEFECT) if self.met else BROKEN

    def replay(self, path: object) -> str:
        """Return the command that replays the finding from a file; a target that runs code needs trust in the file."""
        foreign = [spec for spec in (self.target, self.against or "") if ":" in spec]
        return f"kassay explain {path}{' --trust' if foreign else ''}"

    def json(self) -> dict[str, Any]:
        """Return the JSON of the finding."""
        of_family = family(self.family)
        shape = of_family.shape
        beside = {} if self.assignment is None else dict(shape.write_beside(self.assignment))
        return {
            "kassay": self.version,
            "target": self.target,
            **({"title": self.title} if self.title else {}),
            "family": self.family,
            "property": self.property,
            "promised": self.promised,
            "seed": self.seed,
            "smallest": self.smallest,
            "outcome": self.outcome,
            "count": self.count,
            **({} if self.against is None else {"against": self.against}),
            **({"except_in": list(self.except_in), "met": list(self.met)} if self.except_in else {}),
            **({"except_wholly": list(self.wholly)} if self.wholly else {}),
            **({"held_beside": self.beside} if self.beside else {}),
            **({"limit": True} if self.of_limit else {}),
            **({"seen_in": list(self.seen_in)} if self.seen_in else {}),
            **({"given": self.given} if self.given else {}),
            **({"stack": self.stack} if self.stack else {}),
            "messages": list(self.messages),
            **({"before": [of_family.write_group(each) for each in self.before]} if self.before else {}),
            "group": of_family.write_group(self.group),
            "assignment": None if self.assignment is None else shape.write_assignment(self.assignment),
            **({"beside": beside} if beside else {}),
        }

    def file_name(self) -> str:
        """Return the file name, a hash of the content: the same finding always has the same file."""
        written = self.json()
        parts = [self.target, self.property, written["group"], *written.get("before", ())]
        text = msgspec.json.encode(parts, order="sorted")
        return f"finding-{hashlib.sha256(text).hexdigest()[:10]}.json"

    def save(self, folder: Path) -> Path:
        """Write the finding into a folder, completely or not at all; raises InputError if the file cannot be written."""
        path = folder / self.file_name()
        write_whole(path, msgspec.json.format(json_line(self.json())) + "\n")
        return path


def merge_findings(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Return findings with the same target, smallest group and groups before it together, the worst promise first."""
    of_each: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        write = family(finding.family).write_group
        groups = repr([write(each) for each in (*finding.before, finding.group)])
        of_each.setdefault((finding.target, groups), []).append(finding)
    order = worst_first({one.property for each in of_each.values() for one in each})
    for each in of_each.values():
        each.sort(key=lambda one: order.index(one.property))
    return sorted(of_each.values(), key=lambda each: (order.index(each[0].property), -each[0].count))


class _FindingForm(msgspec.Struct, forbid_unknown_fields=True):
    kassay: str
    target: str
    family: str
    property: str
    group: dict[str, Any]
    promised: bool = False
    seed: int = 0
    smallest: bool = False
    messages: list[str] = []
    assignment: Any = None
    beside: dict[str, Any] = {}
    against: str | None = None
    outcome: str = ""
    count: int = 1
    except_in: tuple[str, ...] = ()
    met: tuple[str, ...] = ()
    given: str = ""
    stack: str = ""
    except_wholly: tuple[str, ...] = ()
    held_beside: str = ""
    seen_in: tuple[str, ...] = ()
    limit: bool = False
    title: str = ""
    before: list[dict[str, Any]] = []


def load_finding(path: str, *, trust: bool = False) -> Finding:
    """Read a saved finding; raises InputError naming file and field, also for a foreign family without `trust`."""
    read, *more = read_json(path)
    if more:
        raise InputError(f"{more[0].where}: a finding is one JSON value. Give one finding a file")
    if isinstance(read.value, dict) and not {"property", "group", "target"} & set(read.value):
        raise InputError(
            f"{read.where}: is not a finding of a check. If it is a group, compare the strategies on it:",
            [f"kassay compare --group {shlex.quote(path)}"],
        )
    try:
        form = convert_json(read.value, _FindingForm)
        refuse_unregistered("family", form.family, trust=trust)
        of_family = family(form.family)
        group = build_group(Read(f"{read.where}: group", form.group), of_family)
        before = [
            build_group(Read(f"{read.where}: before[{at}]", each), of_family)
            for at, each in enumerate(form.before)
        ]
        answer = (
            None
            if form.assignment is None
            else of_family.shape.read_answer({**form.beside, "assignment": form.assignment})
        )
    except InputError as wrong:
        raise InputError(
            f"{wrong}" if str(wrong).startswith(read.where) else f"{read.where}: {wrong}"
        ) from None
    if form.property not in of_family.properties and form.against is None:
        said = describe_missing("promise", form.property, of_family.properties, "kassay list promises")
        raise InputError(f"{read.where}: property: {said}")
    refuse_unknown({form.property: form.except_in} if form.except_in else {}, of_family)
    return Finding(
        form.target, form.family, form.property, form.promised, group, answer, tuple(form.messages), form.seed,
        form.smallest, form.kassay, form.against, form.except_in, form.met, form.count, form.given, form.stack,
        form.except_wholly, form.held_beside, form.seen_in, form.limit, form.title, tuple(before),
    )  # fmt: skip


def as_python(value: Any) -> str:
    """Return Python code that builds a value; fields with their default value are left out."""
    if is_dataclass(value) and not isinstance(value, type):
        given = [(f.name, getattr(value, f.name), f.default) for f in fields(value) if f.init]
        parts = [f"{name}={as_python(is_)}" for name, is_, default in given if is_ != default]
        return f"{type(value).__name__}({', '.join(parts)})"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return f"{type(value).__name__}({', '.join(map(as_python, value))})"
    if isinstance(value, tuple):
        return f"({', '.join(map(as_python, value))}{',' if len(value) == 1 else ''})"
    return repr(value)
