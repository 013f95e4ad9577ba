"""The comparison of targets with another target on the same groups: answers must be identical.

The law `equal` is for `kassay check --against`. The bulk comparison takes a million groups, and continues an earlier run.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from kassay.engine.generate import draw_batches
from kassay.engine.promises import JAVA_STACK
from kassay.errors import DiedError, InputError, SkippedError, TargetGoneError
from kassay.families.family import Family, Law
from kassay.families.shape import Assign, Json
from kassay.files.output import write_whole
from kassay.model import AssignorError
from kassay.model.json_text import RepeatedKeyError, decode_json
from kassay.properties.minimise import minimise
from kassay.properties.runs import format_items
from kassay.targets.target import Target, read_outcome

EQUAL = "equal"


def with_equality(family: Family, target: Target, other: Target) -> Family:
    """Return the family with one more law, `equal`: the target answers as the other one.

    Raises InputError if the two have different families.
    """
    if target.family != other.family:
        raise InputError(
            f"--against {other.name}: is of the {other.family} family. Name an assignor of the {target.family} family"
        )
    return replace(family, laws={**family.laws, EQUAL: make_equality(other, family)})


def make_equality(other: Target, family: Family) -> Law:
    """Return the law that an assignor answers as the other one, with lists in order. If one fails, the other must fail too."""

    def equal(assign: Assign, group: Any) -> Iterator[str]:
        """Every answer is identical to the answer of the other target."""
        try:
            theirs = _read_answer(other.assign, group, family)
        except SkippedError:
            return
        own = _read_answer(assign, group, family)
        if own != theirs:
            yield describe_difference(own, theirs, other.name)

    return equal


def describe_difference(own: Json, theirs: Json, other: str) -> str:
    """Return the first owner that gets something else in two answers (as JSON), and the number of further ones.

    If one of them is not an assignment, the sentence shows both.
    """
    mine, others = map(_read_owners, (own, theirs))
    if not mine or not others:
        return f"it gives {own if not mine else 'an assignment'}, and {other} {theirs if not others else 'an assignment'}"
    owners = [owner for owner in dict.fromkeys([*mine, *others]) if mine.get(owner) != others.get(owner)]
    if not owners:  # The assignments are equal: other fields of the answers differ.
        return f"it answers {own}, and {other} {theirs}"
    first = owners[0]
    one, two = (each.get(first, []) for each in (mine, others))
    order = ", the same in another order" if sorted(one) == sorted(two) else ""
    more = f"; {len(owners) - 1} more differ{'s' * (len(owners) == 2)}" if len(owners) > 1 else ""
    return f"{first} gets {format_items(one)}, and with {other} {format_items(two)}{order}{more}"


def _read_owners(answer: Json) -> dict[str, list[str]]:
    """Return owner -> what it gets, in words; empty if the answer is not an assignment."""
    assignment = answer.get("assignment", answer) if isinstance(answer, dict) else None
    found = {}
    for owner, given in assignment.items() if isinstance(assignment, dict) else ():
        roles = given if isinstance(given, dict) else {"": given}
        found[owner] = [
            f"{role} {item if isinstance(item, str) else '-'.join(map(str, item))}".lstrip()
            for role, items in roles.items()
            for item in items
        ]
    return found


def _read_answer(assign: Assign, group: Any, family: Family) -> Any:
    """Return the answer as JSON, so that tuples equal lists. A failure is an answer too: its first words."""
    try:
        return normalize_answer(assign(group), family)
    except AssignorError as failure:
        return f"no answer ({normalize_answer(failure, family).partition(':')[0]})"


MOST_DEATHS = 10
"""If the process of a target dies or hangs on more groups of a chunk, the target is given up."""

CHUNK = 1_000
"""Groups between two writings of the state."""

MOST = 20
"""The number of differing groups that are minimised and kept; further ones are counted."""

JVM_WORDS = "NullPointerException"
"""The text of this exception comes from the Java machine, not from the assignor."""

NO_ANSWER = "no answer"
"""The answer that stands for an endless search: one assignor detects it, the other one runs into its timeout."""

Source: TypeAlias = Callable[[Family, Assign, int], list[Any]]
"""The groups of a chunk by its number, the same each time; the assignor is for timelines to be played with."""


class Difference(msgspec.Struct, frozen=True):
    """A group on which a target differs from the other one, with both answers, as JSON.

    An answer is an assignment or the words of a failure. `smallest` is True if no slightly smaller group differs.
    """

    target: str
    group: Json
    answer: Json
    other: Json
    smallest: bool


class Course(msgspec.Struct):
    """The state of a comparison: the numbers of chunks, of groups compared and declined, and of answers that differ.

    `endless` is the number of groups to which the target compared with has no answer. `stamp` names everything else
    that the result depends on, such as the commit of the code that is compared.
    """

    targets: list[str]
    against: str
    seed: int
    stamp: str = ""
    chunks: int = 0
    groups: int = 0
    declined: int = 0
    endless: int = 0
    differing: int = 0
    differences: list[Difference] = []

    def add(self, part: "Course") -> Iterator[Difference]:
        """Add the results of further chunks; yields the new differences."""
        for name in ("chunks", "groups", "declined", "endless", "differing"):
            setattr(self, name, getattr(self, name) + getattr(part, name))
        for difference in part.differences:
            if difference not in self.differences and len(self.differences) < MOST:
                self.differences.append(difference)
                yield difference

    def save(self, path: Path) -> None:
        """Write the state into a file, completely or not at all."""
        write_whole(path, msgspec.json.format(msgspec.json.encode(self)).decode() + "\n")


def load_course(path: Path, start: Course) -> Course:
    """Return the state that a file holds, or `start` if there is no file; raises InputError if it belongs to another comparison."""
    if not path.exists():
        return start
    try:
        held = decode_json(path.read_bytes(), Course)
    except (msgspec.DecodeError, RepeatedKeyError, UnicodeDecodeError, RecursionError) as wrong:
        raise InputError(f"{path}: holds no state of a comparison ({wrong}). Remove it") from None
    for name in ("targets", "against", "seed", "stamp"):
        if getattr(held, name) != getattr(start, name):
            raise InputError(
                f"{path}: is of another comparison ({name}: {getattr(held, name)!r} instead of {getattr(start, name)!r}). "
                "Remove it, or name another file"
            )
    return held


@dataclass
class Comparison:
    """Targets of one family, each of which should answer as the other one."""

    targets: Sequence[Target]
    against: Target
    family: Family
    tries: int = 2_000
    wall_s: float = 20.0
    """The limits of each minimisation: number of groups, and seconds."""

    def compare(
        self, groups: Sequence[Any], course: Course, texts: Sequence[msgspec.Raw] | None = None
    ) -> Iterator[Difference]:
        """Compare the answers to some groups, add the numbers to the state, and yield the new differences, minimised.

        `texts` are the groups as :func:`write_groups` returns them, if several comparisons share the groups.
        """
        texts = texts or write_groups(groups, self.family)
        others = self.against.answers(groups)
        every = [
            self._answers(target, texts if target.assign_all else groups, others) for target in self.targets
        ]
        for group, other, *answers in zip(groups, others, *every, strict=True):
            if any(isinstance(answer, SkippedError) for answer in (other, *answers)):
                course.declined += 1
                continue
            course.groups += 1
            wanted = normalize_answer(other, self.family)
            course.endless += wanted == NO_ANSWER
            for target, given in zip(self.targets, answers, strict=True):
                answer = normalize_answer(given, self.family)
                if answer == wanted:
                    continue
                course.differing += 1
                if course.differing > MOST:
                    continue
                difference = self._minimise(target, group, answer, wanted)
                if difference not in course.differences:
                    course.differences.append(difference)
                    yield difference

    def _answers(self, target: Target, groups: Sequence[Any], others: Sequence[Any]) -> list[Any]:
        answers = target.answers(groups)
        deaths = [
            answer
            for answer, other in zip(answers, others, strict=True)
            if isinstance(answer, DiedError) and normalize_answer(other, self.family) != NO_ANSWER
        ]
        if len(deaths) > MOST_DEATHS:
            raise TargetGoneError(
                f"{target.name}: its process died or hung {len(deaths)} times, last because {deaths[-1]}"
            )
        return answers

    def _minimise(self, target: Target, group: Any, answer: Json, wanted: Json) -> Difference:
        def both(candidate: Any) -> tuple[Json, Json]:
            one, two = (read_outcome(of.assign, candidate) for of in (target, self.against))
            return normalize_answer(one, self.family), normalize_answer(two, self.family)

        def differ(candidate: Any) -> bool:
            one, two = both(candidate)
            return bool(one != two)

        write = self.family.write_group
        if not differ(group):  # It differs only sometimes, so it cannot be minimised.
            return Difference(target.name, write(group), answer, wanted, smallest=False)
        least = minimise(group, differ, self.family.shape.smaller, tries=self.tries, wall_s=self.wall_s)
        return Difference(target.name, write(least.group), *both(least.group), least.finished)


def write_groups(groups: Sequence[Any], family: Family) -> list[msgspec.Raw]:
    """Return the groups as JSON, written once for all programs."""
    return [msgspec.Raw(msgspec.json.encode(family.write_group(group))) for group in groups]


def normalize_answer(answer: Any, family: Family) -> Json:
    """Return an answer in a form that compares: an assignment as JSON, or the words of a failure."""
    if isinstance(answer, SkippedError):
        return f"declined: {answer}"
    if not isinstance(answer, AssignorError):
        return family.shape.brief(answer)
    words = str(answer).partition(JAVA_STACK)[0]
    if words.startswith(NO_ANSWER) or (isinstance(answer, DiedError) and NO_ANSWER in words):
        return NO_ANSWER
    return JVM_WORDS if words.startswith(JVM_WORDS) else words


def run(
    comparison: Comparison,
    course: Course,
    most: int,
    *,
    source: Source | None = None,
    state: Path | None = None,
) -> Iterator[Difference]:
    """Compare until `most` groups are done; yields each difference when it is found, and writes the state after each chunk.

    Raises TargetGoneError if a target can no longer run.
    """
    source = source or draw_source(course.seed)
    while course.groups + course.declined < most:
        groups = source(comparison.family, comparison.against.assign, course.chunks)
        yield from comparison.compare(groups, course)
        course.chunks += 1
        if state is not None:
            course.save(state)


def draw_source(seed: int) -> Source:
    """Return a source of the groups that the family's strategies draw, with the groups of its timelines."""

    def chunk(family: Family, assign: Assign, number: int) -> list[Any]:
        chunk_groups: list[Any] = []
        for groups, timelines in draw_batches(family, CHUNK // 2, seed + (number << 64)):
            chunk_groups += groups
            for timeline in timelines:
                with suppress(AssignorError, SkippedError):
                    chunk_groups += family.shape.play(assign, timeline)
        return chunk_groups

    return chunk
