"""The table of effects: every paired difference with its interval, effect sizes, tests and number of groups."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from kassay.files.output import make_folder
from kassay.files.writing import note_own, refuse_foreign
from kassay.reports.comparison.effects import Effect
from kassay.reports.tables.table import CHANCE, SHARE, TENTHS, Table, write_table

NAME = "effects"
FILES = tuple(f"{NAME}.{ending}" for ending in ("csv", "md", "tex"))
CAPTION = (
    "Paired differences, target minus reference; less is better. n: groups with right answers of both, of all groups. Difference: of the "
    "means, with its 95 % interval by Hall, for skewed data; no interval if fewer than 30 groups differ. d: mean difference in standard "
    "deviations of the differences. Superiority: share of groups in which the target is better; ties count half. p of the mean, and of the "
    "numbers of better and worse groups (sign test): corrected by Holm over all rows of a pair of targets."
)
_NUMBERS = ("mean of target", "mean of reference", "difference", "low", "high", "d")


def build_effect_table(effects: Iterable[Effect]) -> Table:
    """Return the table, a row for each effect."""
    rows = [
        {
            "target": one.target, "reference": one.reference, "what": one.name, "n": one.pairs, "of": one.groups,
            "mean of target": one.means[0] if one.pairs else None,
            "mean of reference": one.means[1] if one.pairs else None,
            "difference": one.difference if one.pairs else None,
            "low": one.interval[0] if one.interval else None,
            "high": one.interval[1] if one.interval else None,
            "d": one.standardized,
            "superiority": one.superiority if one.pairs else None,
            "better": one.lower, "worse": one.higher,
            "p of mean": one.p if one.pairs else None,
            "p of signs": one.sign_p if one.pairs else None,
            "mean is": one.verdict, "groups are": one.sign_verdict,
        }
        for one in effects
    ]  # fmt: skip
    forms = {
        **dict.fromkeys(_NUMBERS, TENTHS),
        "superiority": SHARE,
        "p of mean": CHANCE,
        "p of signs": CHANCE,
    }
    return Table(NAME, "Differences on the same groups", CAPTION, pd.DataFrame(rows), forms)


def write_effects(effects: Iterable[Effect], folder: Path) -> None:
    """Write the table as CSV, Markdown and LaTeX; raises InputError if files of others are in the way."""
    refuse_foreign(folder, FILES, "--tables")
    make_folder(folder)
    note_own(folder, FILES)
    write_table(build_effect_table(effects), folder)
