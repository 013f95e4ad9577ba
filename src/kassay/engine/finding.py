"""Findings: the smallest groups on which a target breaks a property, one for each cause, as files that can be replayed."""

import builtins
import hashlib
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

import msgspec

from kassay import __version__
from kassay.engine.judge import Breach
from kassay.engine.promises import refuse_unknown
from kassay.errors import InputError
from kassay.families import family
from kassay.files.output import write_whole
from kassay.files.reading import Read, group_of, read_json
from kassay.files.writing import refuse_unregistered
from kassay.model.json_text import convert_json
from kassay.output.block import BROKEN, KNOWN_DEFECT, LIMIT, NOT_PROMISED, json_line
from kassay.properties.runs import Run
from kassay.sentences import unknown

MOST_CAUSES = 3
"""How many findings a property has at most, of different causes, the most frequent ones."""


@dataclass(frozen=True, slots=True)
class Cause:
    """What tells breaches of one property apart: the kind of failure, and the excepted situations that were met."""

    property: str
    failure: str
    met: frozenset[str]


@dataclass
class BreachSummary:
    """The breaches of one cause: how many, and the one with the smallest group, by the length of its JSON.

    `given` is the name of the first group that was given, if one of them was; `seed` that of the smallest,
    which is `least` where it was made small in an earlier run.
    """

    group: Any
    breach: Breach
    size: int
    given: str
    seed: int
    least: bool = False
    count: int = 0


def frequent(causes: Sequence[Cause], count: Callable[[Cause], int]) -> Iterator[Cause]:
    """Yield the causes of one property's breaches that are worth a finding, the most frequent first.

    These are up to MOST_CAUSES of broken promises, then of known defects. A known defect is left out where the same failure breaks the promise, or is seen in fewer of its situations.
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
    """A target, a property, the smallest group found that breaks it, and what was said of it.

    `assignment` is the target's answer to that group, None where it gave none; `smallest` tells whether the minimiser
    came to its end, so that nothing a little smaller breaks the property; `against` is the target it was to equal.
    `except_in` are the situations in which the promise is known to be broken, `met` those of them that this breach comes
    to; in those of `wholly` whatever breaks it is excused, in the others what the reference `beside` breaks alike, if there is
    one. `count` groups were seen to break the property in this way, the first of them `given`, if it has that name;
    `seen_in` are the excepted situations of these groups: where `met` is empty, a group was made smaller until it was in none of
    them and broke the property still. `of_limit` says that these exceptions are a limit, what the target was never made for. `stack` are the frames of the target's own code where it failed;
    `title` is what somebody has called the defect, in a sentence.
    """

    target: str
    family: str
    property: str
    promised: bool
    group: Any
    assignment: Any
    messages: tuple[str, ...]
    seed: int
    smallest: bool = True
    version: str = __version__
    against: str | None = None
    except_in: tuple[str, ...] = ()
    met: tuple[str, ...] = ()
    count: int = 1
    given: str = ""
    stack: str = ""
    wholly: tuple[str, ...] = ()
    beside: str = ""
    seen_in: tuple[str, ...] = ()
    of_limit: bool = False
    title: str = ""
    runs: tuple[Run, ...] = field(default=(), compare=False, repr=False)
    """The two runs that contradict each other, if it is about two; a file does not have them, for a replay makes them again."""

    @builtins.property
    def known(self) -> bool:
        """Whether it is a known defect, or a limit: a breach in a situation for which the promise has a declared exception."""
        return self.promised and bool(self.met)

    @builtins.property
    def left_its_exceptions(self) -> bool:
        """Whether all groups that were seen are in excepted situations, and only the smallest is not."""
        return bool(self.seen_in) and not self.met

    @builtins.property
    def outcome(self) -> str:
        """What it makes of the property: broken, known defect, limit or not promised."""
        if not self.promised:
            return NOT_PROMISED
        return (LIMIT if self.of_limit else KNOWN_DEFECT) if self.met else BROKEN

    def replay(self, path: object) -> str:
        """Write the command that replays the finding from a file; a target that is code asks for trust in the file."""
        foreign = [spec for spec in (self.target, self.against or "") if ":" in spec]
        return f"kassay explain {path}{' --trust' if foreign else ''}"

    def json(self) -> dict[str, Any]:
        """Make the JSON of the finding."""
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
            "group": of_family.write_group(self.group),
            "assignment": None if self.assignment is None else shape.write_assignment(self.assignment),
            **({"beside": beside} if beside else {}),
        }

    def file_name(self) -> str:
        """Name the finding's file by what it holds, so that the same finding is always the same file."""
        text = msgspec.json.encode([self.target, self.property, self.json()["group"]], order="sorted")
        return f"finding-{hashlib.sha256(text).hexdigest()[:10]}.json"

    def save(self, folder: Path) -> Path:
        """Write the finding into a folder, whole or not at all; raises InputError where that cannot be."""
        path = folder / self.file_name()
        write_whole(path, msgspec.json.format(json_line(self.json())) + "\n")
        return path


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


def load_finding(path: str, *, trust: bool = False) -> Finding:
    """Read a saved finding; raises InputError naming the file and the field, also for a foreign family without `trust`."""
    read, *more = read_json(path)
    if more:
        raise InputError(f"{more[0].where}: a finding is one JSON value; give one finding a file")
    if isinstance(read.value, dict) and not {"property", "group", "target"} & set(read.value):
        raise InputError(
            f"{read.where} is no finding of a check. Is it a group? What each strategy does with it:",
            [f"kassay compare --group {shlex.quote(path)}"],
        )
    try:
        form = convert_json(read.value, _FindingForm)
        refuse_unregistered("family", form.family, trust=trust)
        of_family = family(form.family)
        group = group_of(Read(f"{read.where}: group", form.group), of_family)
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
        said = unknown("promise", form.property, of_family.properties, "kassay list promises")
        raise InputError(f"{read.where}: property: {said}")
    refuse_unknown({form.property: form.except_in} if form.except_in else {}, of_family)
    return Finding(
        form.target, form.family, form.property, form.promised, group, answer, tuple(form.messages), form.seed,
        form.smallest, form.kassay, form.against, form.except_in, form.met, form.count, form.given, form.stack,
        form.except_wholly, form.held_beside, form.seen_in, form.limit, form.title,
    )  # fmt: skip


def as_python(value: Any) -> str:
    """Write a value as Python that makes it again, leaving out fields at their defaults."""
    if is_dataclass(value) and not isinstance(value, type):
        given = [(f.name, getattr(value, f.name), f.default) for f in fields(value) if f.init]
        parts = [f"{name}={as_python(is_)}" for name, is_, default in given if is_ != default]
        return f"{type(value).__name__}({', '.join(parts)})"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return f"{type(value).__name__}({', '.join(map(as_python, value))})"
    if isinstance(value, tuple):
        return f"({', '.join(map(as_python, value))}{',' if len(value) == 1 else ''})"
    return repr(value)
