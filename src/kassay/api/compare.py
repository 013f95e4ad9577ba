"""The public API but for `check`: compare targets, read and write groups and assignments, find optima and assignments."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kassay.api.check import Candidate, open_candidate
from kassay.comparison.measured import Measured, measure_all
from kassay.comparison.strategies import find_common_family as common
from kassay.defaults import COMPARED, FAMILY
from kassay.engine.generate import draw_groups as generated
from kassay.errors import InputError
from kassay.families import family as family_of
from kassay.families.family import Family
from kassay.files.output import write_whole
from kassay.files.reading import Read, build_group
from kassay.files.reading import read_groups as read
from kassay.oracles.answers import Answer
from kassay.output.block import json_line
from kassay.targets import Options, Target


def read_groups(path: str | Path, *, family: str = FAMILY) -> list[Any]:
    """Read the groups of a file of JSON or JSON lines; raises InputError naming file, line and field."""
    return [one.value for one in read([str(path)], family_of(family))]


def write_groups(path: str | Path, groups: Iterable[Any], *, family: str = FAMILY) -> None:
    """Write groups as JSON lines, completely or not at all; raises InputError if the file cannot be written."""
    of_family = family_of(family)
    lines = [json_line(of_family.write_group(group)) for group in groups]
    write_whole(Path(path), "".join(f"{line}\n" for line in lines))


def read_group(data: Any, *, family: str = FAMILY) -> Any:
    """Return the group of decoded JSON; raises InputError naming the field."""
    return build_group(Read("group", data), family_of(family))


def write_group(group: Any, *, family: str = FAMILY) -> dict[str, Any]:
    """Return the JSON of a group."""
    return family_of(family).write_group(group)


def read_assignment(data: Any, *, family: str = FAMILY) -> Any:
    """Return the assignment of decoded JSON; raises InputError if it is not an assignment."""
    return family_of(family).shape.read_assignment(data)


def write_assignment(assignment: Any, *, family: str = FAMILY) -> Any:
    """Return the JSON of an assignment."""
    return family_of(family).shape.write_assignment(assignment)


QUESTION = "balance,moves,cross-rack"


def optimum(
    group: Any, question: str = QUESTION, *, family: str = FAMILY, time_limit_s: float | None = None
) -> Answer:
    """Return the exact optimum of a question about a group, with an assignment that has it and a certificate.

    ``answer.certificate["proved"]`` is False where the time limit, in seconds, passed first. Raises InputError where the
    family has no oracles, kassay.oracles.errors.OracleError where there is no answer.
    """
    of_family = family_of(family)
    if of_family.oracles is None:
        raise InputError(
            f"family: there is no oracle for {of_family.name} groups. Use groups of another family"
        )
    return of_family.oracles.optimum(question, group, time_limit_s)


def assign(target: Candidate, group: Any, *, family: str = FAMILY, options: Options | None = None) -> Any:
    """Return the assignment of a target for a group.

    Raises AssignorError where it fails on the group, SkippedError where it declines it, InputError where there is no such
    target, TargetGoneError where it does not start.
    """
    with open_candidate(target, options or Options(family=family)) as open_:
        return open_.assign(group)


if TYPE_CHECKING:
    import pandas as pd


def compare(
    targets: Iterable[Candidate],
    groups: Iterable[Any] = (),
    *,
    examples: int | None = None,
    seed: int = 0,
    family: str = FAMILY,
    options: Options | None = None,
) -> "pd.DataFrame":
    """Run targets on the same groups and return a table with a row for each group and target.

    The default of `examples`, the number of generated groups, is 500 without given groups, else 0. Columns:

    - group: its index; given groups come before generated ones
    - target
    - failure: None if there is an answer
    - broken: the broken invariants of a complete and legal answer
    - rebalances: until it converges, None if it does not within the limit
    - every measure of the converged answer
    - ``LEVEL`` and ``LEVEL optimum`` for each level, if it is proved and the answer is complete and legal

    Needs pandas (``pip install 'kassay[reports]'``). Raises InputError if the families of the targets do not take the same groups.
    """
    try:
        import pandas as pd  # noqa: PLC0415 - the only function that needs it
    except ImportError:
        raise InputError("compare: pandas is not installed. Run: pip install 'kassay[reports]'") from None
    given = list(groups)
    number = examples if examples is not None else 0 if given else COMPARED
    how = options or Options(family=family)
    with ExitStack() as stack:
        open_ = [stack.enter_context(open_candidate(each, how)) for each in targets]
        of_family = common(open_)
        for n, group in enumerate(given):
            if (said := of_family.refused(group)) is not None:
                raise InputError(f"groups[{n}]: {said}")
        asked = [*given, *generated(of_family, number, seed)]
        rows = [
            _make_row(at, one, of_family)
            for at, row in enumerate(
                each for group in asked for each in measure_all(open_, of_family, [group])
            )
            for one in row
        ]
    return pd.DataFrame(rows, columns=list(_list_columns(of_family)))


def find_common_family(targets: Sequence[Target]) -> Family:
    """Return the family of all targets; raises InputError if there are several families, or no targets."""
    names = sorted({target.family for target in targets})
    if len(names) != 1:
        raise InputError(
            f"targets: are of several families ({', '.join(names)}). Compare targets of one family"
            if names
            else "targets: the list is empty. Name one or more"
        )
    return family_of(names[0])


def _list_columns(of_family: Family) -> Iterator[str]:
    """Yield each column once: a level that is also a measure has the same values."""
    known = [
        "group",
        "target",
        "failure",
        "broken",
        "rebalances",
        *of_family.measures,
        *of_family.run_measures,
    ]
    levels = of_family.oracles.levels if of_family.oracles else ()
    yield from dict.fromkeys([*known, *(name for level in levels for name in (level, f"{level} optimum"))])


def _make_row(at: int, one: Measured, of_family: Family) -> dict[str, Any]:
    gaps = {gap.level: gap.value for gap in one.gaps} | {
        f"{gap.level} optimum": gap.optimum for gap in one.gaps
    }
    known = {
        "group": at,
        "target": one.target,
        "failure": one.failure,
        "broken": tuple(one.broken),
        "rebalances": one.rebalances if one.failure is None and one.at_rest else None,
        **one.measures,
        **gaps,
    }
    return {column: known.get(column) for column in _list_columns(of_family)}
