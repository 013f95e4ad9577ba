"""Failures that are kept from run to run in a readable JSON file. The next run checks their groups first."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from kassay import __version__
from kassay.defaults import STATE
from kassay.engine.finding import Finding
from kassay.engine.verdict import Tally, Verdict
from kassay.errors import InputError
from kassay.families import family
from kassay.families.family import Family
from kassay.files.output import is_stream, lock_folder, write_whole
from kassay.files.reading import Read, build_group, read_json
from kassay.model.json_text import convert_json
from kassay.output.block import ERRORED, SKIPPED, json_line
from kassay.sentences import describe_missing

FORMAT = 1
LAST = "failures.json"
CALLED = "the last run's failure"
OF_BASELINE = "the baseline's finding"


@dataclass(frozen=True, slots=True)
class Failure:
    """A group on which a target is known to break a promise, with a sentence that says how."""

    target: str
    promise: str
    family: str
    says: str
    group: Mapping[str, Any]
    broken: int = 0
    """The number of groups on which the target broke the promise in the run that found it."""
    checked: int = 0
    """The number of groups that were checked for the promise in that run; 0 if it is not known."""
    where: str = ""
    """The name of the failure in messages."""
    file: str = ""
    """The file that holds it."""
    before: Sequence[Mapping[str, Any]] = ()
    """The groups that one instance answers first."""

    @property
    def key(self) -> tuple[str, str, bytes]:
        """The identity of a failure: target, promise and group, with the groups before it."""
        groups = [*self.before, self.group] if self.before else self.group
        return self.target, self.promise, msgspec.json.encode(groups, order="sorted")


class FailedGroup(NamedTuple):
    """A group on which a target broke a promise, after others on the same instance if there are any."""

    name: str
    group: Any
    promise: str = ""
    before: tuple[Any, ...] = ()


def make_failure(finding: Finding) -> Failure:
    """Return the failure to keep of a finding."""
    write = family(finding.family).write_group
    before = tuple(map(write, finding.before))
    return Failure(
        finding.target,
        finding.property,
        finding.family,
        finding.messages[0],
        write(finding.group),
        before=before,
    )


class _Entry(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    target: str
    promise: str
    family: str
    says: str
    group: dict[str, Any]
    broken: int = 0
    checked: int = 0
    before: tuple[dict[str, Any], ...] = ()


class _File(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    kassay: str
    failures: list[_Entry]


def read_failures(path: Path, called: str) -> list[Failure]:
    """Read a file of :func:`write_failures`; `called` and a number name each failure.

    Raises InputError naming file and field.
    """
    read, *_ = read_json(str(path))
    try:
        form = convert_json(read.value, _File)
    except InputError as wrong:
        raise InputError(f"{path}: {wrong}. Delete it") from None
    if form.format != FORMAT:
        raise InputError(
            f"{path}: format: is {form.format}, but kassay {__version__} reads {FORMAT}. Delete the file"
        )
    return [
        Failure(**msgspec.structs.asdict(one), where=f"{called} {at}", file=str(path))
        for at, one in enumerate(form.failures, 1)
    ]


def read_failed_groups(
    failures: Iterable[Failure], target: str, promises: Collection[str], of_target: Family
) -> list[FailedGroup]:
    """Return the groups on which a target broke one of these promises, each with its name.

    Raises InputError naming file and field, also if the family has no such promise.
    """
    found = []
    for one in failures:
        if one.target != target:
            continue
        if one.promise not in of_target.properties:
            said = describe_missing("promise", one.promise, of_target.properties, "kassay list promises")
            raise InputError(f"{one.file}: {one.where}: {said}")
        if one.promise in promises:
            place = f"{one.file}: {one.where}"
            group, *before = (build_group(Read(place, each), of_target) for each in (one.group, *one.before))
            found.append(FailedGroup(one.where, group, one.promise, tuple(before)))
    return found


def read_baseline(file: str | None, written: str | None) -> list[Failure]:
    """Return the failures of a baseline; for a baseline that is to be written, its failures so far.

    Raises InputError if the file of --baseline does not exist or cannot be read.
    """
    if file is None and written is None:
        return []
    path = Path(file or written or "")
    if file is None and is_stream(path):
        return []
    if path.exists():
        return read_failures(path, OF_BASELINE)
    if written is None or path != Path(written):
        raise InputError(f"--baseline {file}: is no file yet. Write it with --write-baseline {file}")
    return []


def update_failures(
    path: Path, called: str, before: Sequence[Failure], failed: Sequence[Failure], still: Sequence[Failure]
) -> list[Failure]:
    """Write the failures of a run, and those that are still open, into a file; returns the failures that the file holds now.

    `before` are the failures that the file held when the run began. If another run has added or removed entries since then,
    its changes stay, unless the same groups failed in this run too.
    """
    with lock_folder(path):
        held = read_failures(path, called) if path.is_file() and not is_stream(path) else []
        known, there = {one.key for one in before}, {one.key for one in held}
        merged = [*failed, *(one for one in still if one.key in there or one.key not in known)]
        merged += [replace(one, where="") for one in held if one.key not in known]
        write_failures(path, merged)
    return merged


def write_failures(path: Path, failures: Iterable[Failure]) -> None:
    """Write failures in the order of their keys, completely or not at all; raises InputError if the file cannot be written."""
    ordered = sorted({one.key: one for one in failures}.values(), key=lambda one: one.key)
    entries = [
        msgspec.to_builtins(_Entry(**{name: getattr(one, name) for name in _Entry.__struct_fields__}))
        for one in ordered
    ]
    text = json_line({"format": FORMAT, "kassay": __version__, "failures": entries})
    write_whole(path, msgspec.json.format(text) + "\n")


def read_last_failures(project: Path) -> list[Failure]:
    """Return the failures of the last run; raises InputError naming a file that cannot be read."""
    path = project / STATE / LAST
    return read_failures(path, CALLED) if path.exists() else []


def keep_last(
    project: Path, before: Sequence[Failure], failed: Sequence[Failure], still: Sequence[Failure]
) -> None:
    """Keep the failures for the next run, in a folder that git ignores; writes nothing if nothing is new."""
    if {one.key for one in before} == {one.key for one in (*failed, *still)}:
        return
    ignore = project / STATE / ".gitignore"
    if not ignore.exists():
        write_whole(ignore, "*\n")
    update_failures(project / STATE / LAST, CALLED, before, failed, still)


def find_outcome(failure: Failure, tallies: Iterable[Tally]) -> str | None:
    """Return the outcome of a promise on a group on which it was broken before; None if this run did not check it."""
    for tally in tallies:
        if tally.target == failure.target and failure.where in tally.again:
            return tally.again[failure.where].get(failure.promise)
    return None


RARE = 20
"""A promise is broken more often than before if its chance is below one in this number."""


def is_more_frequent(failure: Failure, broken: int, checked: int) -> bool:
    """Return True if the promise of a failure is broken on significantly more groups than in the run that found it.

    Source: Fisher's exact test, one-sided, in whole numbers.
    """
    if not failure.checked or not checked:
        return False
    every, of_both = failure.checked + checked, failure.broken + broken
    ways = sum(
        comb(of_both, number) * comb(every - of_both, checked - number)
        for number in range(broken, min(of_both, checked) + 1)
    )
    return RARE * ways < comb(every, checked)


def select_open(failures: Sequence[Failure], verdicts: Sequence[Verdict], *, whole: bool) -> list[Failure]:
    """Return the failures that a run did not check: of other targets, of promises that it could not check, and of promises outside a run that is not `whole`."""
    judged = {(v.target, v.property) for v in verdicts if v.outcome not in {SKIPPED, ERRORED}}
    untold = {(v.target, v.property) for v in verdicts} - judged
    targets = {target for target, _ in judged}
    return [
        one
        for one in failures
        if (one.target, one.promise) not in judged
        and (one.target not in targets or (one.target, one.promise) in untold or not whole)
    ]
