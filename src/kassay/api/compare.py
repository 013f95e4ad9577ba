"""Compare targets from Python: a table with a row for each group and target."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from kassay.api.candidate import Candidate, opened
from kassay.comparison.across import family_of as common
from kassay.comparison.measured import Measured, compared
from kassay.defaults import COMPARED, FAMILY
from kassay.engine.generate import groups as generated
from kassay.errors import InputError
from kassay.families import family as family_of
from kassay.family import Family
from kassay.targets import Options, Target

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
    """Ask targets about the same groups and return a row for each group and target.

    Columns: group (its place among the given ones, then the generated ones), target, failure (None where there is an
    answer), broken (the invariants of a complete and legal answer that it breaks), rebalances (until it is at rest, None where it is not
    within the bound), every measure, and for each level of the
    optimum ``LEVEL`` and ``LEVEL optimum``, where proved and where the answer is complete and legal. Measures and gaps are
    those of what a target comes to rest on. Generated are `examples` groups, by default 500, or none beside given groups. Needs
    pandas (``pip install 'kassay[reports]'``). Raises InputError where targets are of families that do not answer the same groups.
    """
    try:
        import pandas as pd  # noqa: PLC0415 - the only function that needs it
    except ImportError:
        raise InputError("compare returns a pandas.DataFrame; run pip install 'kassay[reports]'") from None
    given = list(groups)
    number = examples if examples is not None else 0 if given else COMPARED
    how = options or Options(family=family)
    with ExitStack() as stack:
        open_ = [stack.enter_context(opened(each, how)) for each in targets]
        of_family = common(open_)
        for n, group in enumerate(given):
            if (said := of_family.refused(group)) is not None:
                raise InputError(f"groups[{n}]: {said}")
        asked = [*given, *generated(of_family, number, seed)]
        rows = [
            _row(at, one, of_family)
            for at, row in enumerate(each for group in asked for each in compared(open_, of_family, [group]))
            for one in row
        ]
    return pd.DataFrame(rows, columns=list(_columns(of_family)))


def common_family(targets: Sequence[Target]) -> Family:
    """Return the family of all targets; raises InputError where there are several families, or no targets."""
    names = sorted({target.family for target in targets})
    if len(names) != 1:
        raise InputError(
            f"targets of several families ({', '.join(names)}) answer different groups; compare those of one"
            if names
            else "targets: there are none; name some"
        )
    return family_of(names[0])


def _columns(of_family: Family) -> Iterator[str]:
    """Yield each column once: a level that is a measure, too, has the same values."""
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


def _row(at: int, one: Measured, of_family: Family) -> dict[str, Any]:
    gaps = {gap.level: gap.value for gap in one.gaps} | {
        f"{gap.level} optimum": gap.optimum for gap in one.gaps
    }
    known = {
        "group": at,
        "target": one.target,
        "failure": one.failure,
        "broken": one.broken,
        "rebalances": one.rebalances if one.failure is None and one.at_rest else None,
        **one.measures,
        **gaps,
    }
    return {column: known.get(column) for column in _columns(of_family)}
