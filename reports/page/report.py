"""Write the report of a sweep: figures, tables, smallest groups, and the page that shows them all."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from kassay import __version__
from kassay.comparison.headline import label_targets_uniquely
from kassay.errors import UnwritableError
from kassay.families.assignors import ASSIGNORS
from kassay.families.family import Question
from kassay.files.output import make_folder, write_whole
from kassay.files.writing import note_own
from kassay.properties.runs import MOST_REBALANCES
from kassay.reports.comparison.effect_table import build_effect_table
from kassay.reports.comparison.effects import Effect, compute_effects, count_pairs
from kassay.reports.comparison.gates import build_migration_table, compare_migrations
from kassay.reports.figures.colours import COLOURS
from kassay.reports.figures.style import Look, assign_looks
from kassay.reports.page.groups.drawn_groups import (
    DOES,
    GroupOf,
    ShownBreach,
    anchor,
    find_telling_group,
    show_breach,
    show_open_picture,
    smallest_groups,
)
from kassay.reports.page.inline import mark_trusted, render_page
from kassay.reports.page.level_figures import (
    Level,
    draw_cost_figures,
    draw_folded_figures,
    draw_level_figures,
)
from kassay.reports.page.tables import (
    Figure,
    Row,
    Shown,
    build_matrix,
    build_moving_tables,
    build_rows,
    draw_smallest,
    list_columns,
    show_table,
    with_boxes,
)
from kassay.reports.shapes import find_picture
from kassay.reports.sweep.manifest import find_family
from kassay.reports.tables.gaps import (
    Assumed,
    build_cell_table,
    build_cost_table,
    build_gap_table,
    build_price_table,
    build_profile_table,
    build_situation_table,
    compute_gaps,
    compute_profiles,
    describe_comparison,
)
from kassay.reports.tables.headline import describe_verdicts
from kassay.reports.tables.properties import build_judged_table, build_property_table, compute_properties
from kassay.reports.tables.rebalances import (
    build_rebalance_table,
    build_timeline_table,
    compute_timelines,
    has_withholding,
)
from kassay.reports.tables.table import Summaries, Table, write_table
from kassay.reports.tables.verdicts import (
    build_failure_table,
    build_proof_table,
    build_question_table,
    build_setup_table,
    build_verdict_table,
    compute_answers,
    count_groups,
    select_compared,
    select_criteria,
)
from kassay.sentences import format_count, join_names

MOST_ROWS = 40
"""Tables with more rows are separate files."""


@dataclass(frozen=True, slots=True)
class Section:
    """A folded section of the page."""

    id: str
    title: str
    says: str
    """A summary."""
    text: str = ""
    figures: Sequence[Figure] = ()
    tables: Sequence[Shown] = ()
    smallest: Sequence[ShownBreach] = ()
    files: Sequence[tuple[str, str, int]] = ()
    """Title, name and number of rows of tables that are separate files."""


def build_sections(
    tables: Mapping[str, Table],
    judged: pd.DataFrame,
    drawn: Iterable[Figure],
    broken: Sequence[ShownBreach],
    lead: str,
    method: str,
) -> list[Section]:
    """Return the folded sections; `lead` explains the pictures of groups, `method` the evaluation."""
    known = list(drawn)

    def figures(*names: str) -> list[Figure]:
        return [figure for figure in known if figure.section in names]

    def boxed(name: str) -> Shown:
        return with_boxes(show_table(tables[name]), tables[name].frame)

    def fits(name: str) -> bool:
        return len(tables[name].frame) <= MOST_ROWS

    failures = tables["failures"].frame
    failing = (
        f"{failures['target'].nunique():,} of {format_count(len(tables['verdicts'].frame), 'assignor')}"
        if len(failures)
        else "no assignor fails"
    )
    properties = build_matrix(judged, tables["properties"], anchor)
    return [
        Section("failures", "Failures of assignors and their reasons", failing, tables=[show_table(tables["failures"])]),
        Section(
            "promises", f"All {len(properties.rows)} promises", "which assignor makes and keeps them", tables=[properties, *(show_table(tables[name]) for name in ("properties-judged",) if fits(name))],
            files=[(tables[name].title, name, len(tables[name].frame)) for name in ("properties-judged",) if not fits(name)],
        ),
        Section("smallest", "The smallest group behind every broken promise", f"{len(broken):,} to replay", lead, smallest=broken),
        Section(
            "gaps", "Distance to the best possible, in numbers", "by level, by situation, and by cell of the grid", figures=figures("situations"),
            tables=[boxed("gaps"), *(boxed(name) for name in ("gaps-by-situation", "gaps-by-cell") if fits(name))],
            files=[(tables[name].title, name, len(tables[name].frame)) for name in ("gaps-by-situation", "gaps-by-cell") if not fits(name)],
        ),
        Section(
            "profiles", "Compared with the best of all on the same group", "performance profiles", figures=figures("profiles"), tables=[show_table(tables["profiles"])],
        ),
        Section("timelines", "Over time", "after each change of a group, and until answers converge", figures=figures("timelines"),
            tables=[show_table(tables[name]) for name in ("timelines", "rebalances") if name in tables and fits(name)],
            files=[(tables[name].title, name, len(tables[name].frame)) for name in ("timelines",) if not fits(name)]),
        Section("costs", "Time and price in numbers", "fitted sizes, and what crossing racks costs", tables=[show_table(tables["costs"]), show_table(tables["prices"])]),
        Section("judged", "Method", "terms, statistics, and unproven results", method, tables=[show_table(tables["verdicts"]), show_table(tables["proofs"])]),
    ]  # fmt: skip


WRITTEN = ("index.html", "tables", "figures", "groups")
"""The files and folders of a report."""
PICTURED = 6
"""The number of smallest groups that the page draws; the other groups are only in files."""
METHOD = (
    "A gap is the value of an answer minus the exact optimum of a level. Levels after the first are compared with the minimum that "
    "the previous levels allow: {compared}. If an answer waits for revocations, the answer after convergence counts (KIP-429), "
    f"within {MOST_REBALANCES} rebalances. Separate code verified the proof of each optimum. Intervals are by Hall, for skewed data. "
    "Verdicts are corrected for multiple tests by Holm; if fewer than 30 groups differ, the sign test decides. An assignment cannot always "
    "be the best in all levels at once: the picture shows whether one can."
)


@dataclass(frozen=True, slots=True)
class Report:
    """The result of writing a report: the page, its first sentences, and the tables of verdicts and questions."""

    page: Path
    sentences: Sequence[str]
    verdicts: Table
    questions: Table
    unwritable: UnwritableError | None = None
    """The reason why the files could not be written, if any."""


def write_report(
    summaries: Summaries,
    sweep: Path,
    folder: Path,
    assumed: Assumed,
    group_of: GroupOf,
    *,
    trust: bool = False,
    beside: str | None = None,
) -> Report:
    """Write the report of a sweep into a folder, or return why it cannot be written.

    Targets that are code run again only with `trust`. `beside` is the target that the others are compared with; the default is the
    target that is right most often.
    """
    judged, gap_frame, answered = (
        compute_properties(summaries),
        compute_gaps(summaries),
        compute_answers(summaries),
    )
    tables = _build_tables(summaries, judged, gap_frame, answered, assumed)
    said = describe_verdicts(summaries, tables["verdicts"], answered)
    report = Report(folder / "index.html", said, tables["verdicts"], tables["questions"])
    frames = _Frames(judged, gap_frame, answered, tables)
    try:
        make_folder(folder)
        note_own(folder, WRITTEN)
        _write_files(summaries, frames, said, sweep, folder, group_of, trust=trust, beside=beside)
    except UnwritableError as wrong:  # the terminal still shows the answer
        return replace(report, unwritable=wrong)
    return report


@dataclass(frozen=True, slots=True)
class _Frames:
    """The tables and frames of a report."""

    judged: pd.DataFrame
    gaps: pd.DataFrame
    answered: pd.DataFrame
    tables: dict[str, Table]


def _write_files(
    summaries: Summaries,
    frames: _Frames,
    said: Sequence[str],
    sweep: Path,
    folder: Path,
    group_of: GroupOf,
    *,
    trust: bool,
    beside: str | None,
) -> None:
    """Write tables, figures and the page."""
    run, judged, gap_frame, answered = summaries.run, frames.judged, frames.gaps, frames.answered
    changes = list(compare_migrations(sweep, run))
    reference = beside or find_most_correct(answered, run.names)
    effects = _compute_effects(summaries, sweep, reference)
    of_effects = build_effect_table(one for of_level in effects.values() for one in of_level)
    for table in (*frames.tables.values(), *map(build_migration_table, changes), of_effects):
        write_table(table, folder / "tables")
    levels = list(draw_level_figures(summaries, effects, reference, folder / "figures"))
    of_all = find_family(run)
    picture = find_picture(of_all.shape)
    found = sorted(
        smallest_groups(run, judged, group_of, picture.shows, trust=trust),
        key=lambda one: list(DOES).index(one.outcome),
    )
    draw_smallest(found, picture, folder / "figures")
    known, questions = label_targets_uniquely(run.names), select_criteria(run)
    says = {name: assignor.source for name, assignor in ASSIGNORS.items()}
    target_rows = build_rows(answered, questions, known, says, "#failures", select_compared(run.names))
    swatches = [draw_swatch(look) for look in assign_looks(run.names).values()]
    compares = describe_comparison(run)
    page = {
        "title": f"{format_count(len(run.targets), f'{join_names(run.family_names)} assignor')} on {format_count(count_groups(summaries), 'group')}",
        "headline": said[0],
        "lead": said[1:],
        "meta": _meta(summaries),
        "command": "kassay sweep grid.toml -o sweep && kassay report sweep",
        "columns": list_columns(answered, questions),
        "rows": _best_first(list(zip(target_rows, swatches, strict=True)), answered, run.names),
        "studies": sum(row.study for row in target_rows),
        "compared": f"{compares[:1].upper()}{compares[1:]}." if compares else "",
        "picture": show_open_picture(find_telling_group(summaries, group_of, trust=trust), found, of_all, known),
        "levels": levels,
        "first_level": _find_most_telling(answered, questions, levels),
        "moving": build_moving_tables(changes, known),
        "costs": list(draw_cost_figures(summaries, frames.tables["costs"], frames.tables["prices"], folder / "figures")),
        "sections": build_sections(
            frames.tables, judged, draw_folded_figures(summaries, gap_frame, folder / "figures"), [show_breach(one, picture, folder, drawn=n < PICTURED) for n, one in enumerate(found)],
            picture.lead, METHOD.format(compared=compares or "this run compares no optimum"),
        ),
        "setup": [(str(row["what"]), str(row["value"])) for row in frames.tables["setup"].frame.to_dict("records")],
        "grid": run.grid,
        "citation": build_citation(summaries),
        "legend": picture.legend,
        "style": mark_trusted(picture.style),
        "foot": f"kassay {__version__}; sweep {run.id} of {run.started} by kassay {run.kassay}. This page needs no network.",
    }  # fmt: skip
    write_whole(folder / "index.html", render_page("sweep", page))


def _best_first(
    rows: list[tuple[Row, Markup]], answered: pd.DataFrame, names: Sequence[str]
) -> list[tuple[Row, Markup]]:
    """Sort the rows of the matrix: research assignors last, else the most often right first; equal ones keep the order of the run."""
    shares = answered.groupby("target")["share"].sum()
    return sorted(rows, key=lambda one: (one[0].study, -float(shares[names[one[0].place]])))


def find_most_correct(answered: pd.DataFrame, names: Sequence[str]) -> str:
    """Return the target with the greatest sum of shares over all questions, the first of equals."""
    shares = answered.groupby("target")["share"].sum()
    return max(names, key=lambda name: float(shares[name]))


def _find_most_telling(answered: pd.DataFrame, questions: Sequence[Question], levels: Sequence[Level]) -> int:
    """Return the place, from 1, of the level in which the targets' shares differ most; the page shows it first."""
    shares = answered.groupby("question")["share"]
    differ = {each.said: float(shares.max()[each.name] - shares.min()[each.name]) for each in questions}
    spreads = [differ[level.name] for level in levels]
    return 1 + spreads.index(max(spreads)) if spreads else 1


def _compute_effects(summaries: Summaries, sweep: Path, reference: str) -> Mapping[str, Sequence[Effect]]:
    """Return the effects of each level compared with the reference, on the groups of its question."""
    run = summaries.run
    of = {
        question.level: (question.level, question.of) for question in select_criteria(run) if question.level
    }
    targets = [name for name in run.names if name != reference]
    if not of or not targets:
        return {}
    found = count_pairs(sweep, run, targets, reference, of)
    each = [compute_effects(found, target, list(of)) for target in targets]
    return {level: [one for row in each for one in row if one.name == level] for level in of}


def _meta(summaries: Summaries) -> list[tuple[str, str]]:
    run = summaries.run
    told = [
        ("kassay", run.kassay),
        ("run", run.started[:10]),
        ("seed" if len(run.seeds) == 1 else "seeds", ", ".join(map(str, run.seeds))),
    ]
    waves = (
        [] if len(summaries.waves) == run.waves else [("waves", f"{len(summaries.waves):,} of {run.waves:,}")]
    )
    return [*told, ("groups", f"{count_groups(summaries):,}"), *waves, ("id", run.id)]


def build_citation(summaries: Summaries) -> str:
    """Return the citation: the program, its version, and the run."""
    run = summaries.run
    return (
        f"The kassay authors. kassay: the assay office for Kafka assignors, version {run.kassay}, {run.started[:4]}. "
        f"Run {run.id} of {run.started[:10]}, seed {', '.join(map(str, run.seeds))}, {format_count(count_groups(summaries), 'group')}."
    )


def _build_tables(
    summaries: Summaries,
    judged: pd.DataFrame,
    gap_frame: pd.DataFrame,
    answered: pd.DataFrame,
    assumed: Assumed,
) -> dict[str, Table]:
    run = summaries.run
    tables = [
        build_verdict_table(summaries, judged, answered),
        build_question_table(answered, run),
        build_failure_table(summaries),
        build_property_table(judged, run),
        build_judged_table(judged),
        build_gap_table(gap_frame, run),
        build_cell_table(gap_frame, run),
        build_situation_table(gap_frame, run),
        build_profile_table(compute_profiles(summaries)),
        build_timeline_table(compute_timelines(summaries), run),
        *([build_rebalance_table(summaries)] if has_withholding(run) else []),
        build_cost_table(summaries),
        build_price_table(summaries, assumed),
        build_setup_table(summaries),
        build_proof_table(summaries),
    ]
    return {table.name: table for table in tables}


_DASHES = {"-": "", "--": "8 3", "-.": "6 2 2 2", ":": "2 3"}


_MARKS = {
    "o": "M13 7a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    "s": "M13.4 3.4h7.2v7.2h-7.2z",
    "^": "M17 2.4l4.6 8.4h-9.2z",
    "D": "M17 2l5 5l-5 5l-5 -5z",
    "v": "M17 11.6l4.6 -8.4h-9.2z",
    "P": "M15.6 2.5h2.8v3.1h3.1v2.8h-3.1v3.1h-2.8v-3.1h-3.1v-2.8h3.1z",
    "X": "M14 2.5l3 3l3 -3l1.5 1.5l-3 3l3 3l-1.5 1.5l-3 -3l-3 3l-1.5 -1.5l3 -3l-3 -3z",
    "<": "M12.4 7l8.4 -4.6v9.2z",
    ">": "M21.6 7l-8.4 -4.6v9.2z",
}


def draw_swatch(look: Look) -> Markup:
    """Draw the line and the mark of a look; the page has the name next to it."""
    return Markup(
        '<svg class="swatch" width="34" height="14" viewBox="0 0 34 14" aria-hidden="true" style="--series: var(--series-{})">'
        '<path class="line" d="M1 7H33" stroke-dasharray="{}"/><path class="mark" d="{}"/></svg>'
    ).format(COLOURS.index(look.colour), _DASHES[look.line], _MARKS[look.marker])
