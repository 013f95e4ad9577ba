"""The tables of verdicts: how often each target is correct and optimal, why it fails, what was run, and what was not proven."""

from collections.abc import Sequence

import pandas as pd

from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.families.family import SAFE, STUDY, TOGETHER, Question
from kassay.properties.runs import MOST_REBALANCES
from kassay.reports.statistics import compute_share_interval
from kassay.reports.sweep.manifest import Run
from kassay.reports.sweep.rows import STATUSES
from kassay.reports.tables.gaps import mean, merge_values
from kassay.reports.tables.properties import BROKEN, KNOWN_DEFECT
from kassay.reports.tables.table import SHARE, TENTHS, Summaries, Table


def select_criteria(run: Run) -> list[Question]:
    """Return the criteria of the family that a run has data for.

    A family without criteria gets correctness and the optimum of each objective. The last criterion joins the others, if there are several.
    """
    usual = [SAFE, *(Question(f"best in {level}", "at the exact optimum", level) for level in run.levels)]
    questions = family(run.family).questions or usual
    single = [each for each in questions if not each.level or each.level in run.levels]
    return [*single, *[TOGETHER] * (len(single) > 2)]


def describe_denominator(question: Question, number: int) -> str:
    """Return the groups that a criterion applies to, with their number: 3 groups with two members or more."""
    which = question.of.says.removeprefix("all ")
    if number == 1 and which.startswith("groups"):
        return f"1 group{which.removeprefix('groups')}"
    return f"{number:,} {which}"


def compute_answers(summaries: Summaries) -> pd.DataFrame:
    """Return question, target, right, of, share with its 95 % interval, compared, mean gap and greatest gap, in the order of questions and targets.

    `of` are the groups of the criterion. It is the same for every target: a failure counts as not right. The numbers of gaps are
    over the `compared`: groups with a complete and legal answer and a proven optimum.
    """
    rows = []
    for question in select_criteria(summaries.run):
        of_question = summaries.questions[summaries.questions["question"] == question.name]
        for target in summaries.run.names:
            own = of_question[of_question["target"] == target]
            gaps, counts = merge_values(own, "gap")
            of, right = int(own["rows"].sum()), int(counts[gaps == 0].sum())
            low, high = compute_share_interval(right, of) if of else (None, None)
            rows.append(
                {
                    "question": question.name,
                    "target": target,
                    "right": right,
                    "of": of,
                    "share": right / of if of else None,
                    "low": low,
                    "high": high,
                    "compared": int(counts.sum()),
                    "mean gap": mean(gaps, counts) if len(gaps) else None,
                    "greatest gap": int(gaps[-1]) if len(gaps) else None,
                }
            )
    columns = [
        "question",
        "target",
        "right",
        "of",
        "share",
        "low",
        "high",
        "compared",
        "mean gap",
        "greatest gap",
    ]
    frame = pd.DataFrame(rows, columns=columns)
    frame["of"] = frame.groupby("question")["of"].transform("max")
    return frame.astype(
        dict.fromkeys(("share", "low", "high", "mean gap"), float) | {"greatest gap": "Int64"}
    )


def select_question_gaps(summaries: Summaries, question: Question) -> pd.DataFrame:
    """Return target, gap and rows on the groups of a criterion; the gap is null without a right answer or a proven optimum."""
    frame = summaries.questions[summaries.questions["question"] == question.name]
    return frame[["target", "gap", "rows"]].astype({"gap": "Int64"})


def build_question_table(frame: pd.DataFrame, run: Run) -> Table:
    """Return how often each target is right, and how large its gaps are."""
    told = "; ".join(
        f"{each.name}: {each.says}, of all {each.of.says.removeprefix('all ')}"
        for each in select_criteria(run)
    )
    caption = (
        f"{told[:1].upper()}{told[1:]}. Right: the answer reaches the proven optimum, or keeps the promises of the question. A failure, "
        "or an answer without a proven optimum, is not right. Low, high: the exact 95 % interval of the share. Gaps are over the compared "
        "groups only."
    )
    forms = {**dict.fromkeys(("share", "low", "high"), SHARE), "mean gap": TENTHS}
    return Table("questions", "How often each target is right", caption, frame, forms)


NONE, NO_PROMISE, UNJUDGED = "none", "makes none", "not judged"
KINDS = {
    "refused": "throws an error",
    "skipped": "skips the group",
    "timeout": "times out",
    "died": "crashes",
    "memory": "runs out of memory",
    "illegal": "returns an incorrect assignment",
    "unsettled": f"does not converge within {MOST_REBALANCES} rebalances",
}
"""Status -> what a target does."""


def build_verdict_table(summaries: Summaries, properties: pd.DataFrame, answered: pd.DataFrame) -> Table:
    """Return for each target its broken promises, its known defects, and how often it is right by each criterion."""
    questions = select_criteria(summaries.run)
    shares = answered.set_index(["question", "target"])["share"]
    rows = []
    for target in summaries.run.names:
        own = properties[properties["target"] == target]
        unbroken = UNJUDGED if own.empty else NONE if own["promised"].any() else NO_PROMISE
        rows.append(
            {
                "target": target,
                "promises broken": ", ".join(own[own["outcome"] == BROKEN]["property"]) or unbroken,
                "known defects": ", ".join(own[own["outcome"] == KNOWN_DEFECT]["property"]) or NONE,
                **{each.name: shares[each.name, target] for each in questions},
            }
        )
    of = answered.groupby("question")["of"].max()
    told = "; ".join(
        f"{each.name}: {each.says}, of {describe_denominator(each, int(of[each.name]))}" for each in questions
    )
    caption = (
        f"Shares of the groups as drawn that a question applies to, the same for every target. {told[:1].upper()}{told[1:]}. "
        "A failure, or an answer without a proven optimum, is not right."
    )
    frame = pd.DataFrame(rows)
    return Table("verdicts", "Verdicts", caption, frame, {each.name: SHARE for each in questions})


def is_study(name: str) -> bool:
    """Return True if a target is a research assignor of kassay, which cannot be configured in Kafka."""
    return name in ASSIGNORS and family(ASSIGNORS[name].family).classify_target(name) == STUDY


def select_compared(names: Sequence[str]) -> list[str]:
    """Return the targets that a report compares: all but research assignors, or all if there are no others."""
    return [name for name in names if not is_study(name)] or list(names)


def count_groups(summaries: Summaries) -> int:
    """Count the groups in complete waves, with or without answers."""
    first = summaries.statuses[summaries.statuses["first"]]
    return int(first.groupby("target")["rows"].sum().max()) if len(first) else 0


MOST = 12
"""Reasons of each target that are listed; the others are summed up."""


def build_failure_table(summaries: Summaries) -> Table:
    """Return the failures of each target by reason: groups as drawn, all rows, and the smallest such group."""
    run, rows = summaries.run, []
    frame = summaries.failures

    def count_first(part: pd.DataFrame) -> int:
        return int(part[part["first"]]["rows"].sum())

    for target in run.names:
        kinds = sorted(
            frame[frame["target"] == target].groupby(["status", "reason"]),
            key=lambda kind: (-count_first(kind[1]), -int(kind[1]["rows"].sum()), kind[0]),
        )
        for (status, reason), part in kinds[:MOST]:
            sized = part.assign(all=part[list(run.sizes)].sum(axis=1))
            small = sized.sort_values(["all", *run.sizes, "id", "step"]).iloc[0]
            happens = f"{KINDS[str(status)]}: {reason}" if reason else KINDS[str(status)]
            rows.append(
                {
                    "target": target,
                    "what happens": f"breaks {reason}" if status == "illegal" else happens,
                    "groups": count_first(part),
                    "rows": int(part["rows"].sum()),
                    "smallest": ", ".join(f"{name} {int(small[name]):,}" for name in run.sizes),
                    "group": int(small["id"]),
                    "changes": int(small["step"]),
                }
            )
        rest = [part for _, part in kinds[MOST:]]
        if rest:
            rows.append(
                {
                    "target": target, "what happens": f"{len(rest):,} other reasons", "groups": sum(map(count_first, rest)),
                    "rows": sum(int(part["rows"].sum()) for part in rest), "smallest": "-", "group": pd.NA, "changes": pd.NA,
                }
            )  # fmt: skip
    columns = ["target", "what happens", "groups", "rows", "smallest", "group", "changes"]
    made = pd.DataFrame(rows, columns=columns).astype({"group": "Int64", "changes": "Int64"})
    caption = (
        "Answers that are not right, by reason. Groups: as drawn. Rows: also after the changes made to them. "
        "Smallest: the size of the smallest group, its number in the run and the changes made to it."
    )
    return Table("failures", "Failures of assignors and their reasons", caption, made)


def build_setup_table(summaries: Summaries) -> Table:
    """Return versions, seeds, machine and settings."""
    run = summaries.run
    cells = ", ".join(f"{cell.name} ({cell.groups:,})" for cell in run.cells)
    told = {
        "run": run.id,
        "code": run.code,
        "started": run.started,
        "kassay": run.kassay,
        **{name: version for name, version in run.versions.items() if name != "kassay"},
        **run.machine,
        "family": ", ".join(run.family_names),
        "targets": ", ".join(run.names),
        "cells (groups for each seed)": cells,
        "seeds": ", ".join(map(str, run.seeds)),
        "groups in complete waves": f"{count_groups(summaries):,} of {run.groups:,}",
        "waves complete": f"{len(summaries.waves):,} of {run.waves:,}",
        "time for an answer": f"{run.timeout_s:g} s",
        "memory for a target": f"{run.memory_mb:,} MB",
    }
    return Table("setup", "Setup", "", pd.DataFrame(list(told.items()), columns=["what", "value"]))


def build_proof_table(summaries: Summaries) -> Table:
    """Return the rows of each target by status, and how many optima and metamorphic properties were checked."""
    proofs, kinds = summaries.proofs, summaries.properties
    rows = []
    for target in summaries.run.names:
        statuses = summaries.statuses[summaries.statuses["target"] == target].groupby("status")["rows"].sum()
        own = proofs[proofs["target"] == target]
        checked = int(own[own["proved"].eq(True).fillna(value=False).astype(bool)]["rows"].sum())
        laws = kinds[
            (kinds["target"] == target) & (kinds["kind"] == "law") & (kinds["property"] != "crash_free")
        ]
        programs = own.groupby("linear_program")["rows"].sum()
        rows.append(
            {
                "target": target,
                "rows": int(statuses.sum()),
                **{status: int(statuses.get(status, 0)) for status in STATUSES},
                "optima, proof checked": checked,
                "optima, not checked": int(own["rows"].sum()) - checked,
                "optima, by linear program too": int(programs.get("agrees", 0)),
                "linear program without an answer": int(programs.get("unsolved", 0)),
                "laws tried": int(laws.groupby("cell")["tried"].max().sum()),
            }
        )
    sample = summaries.run.sample
    caption = (
        "Rows by status, and how far they were checked. Not checked: right answers without a proven optimum; they have no gap. Other "
        f"answers (not ok or settled) have no gap and no proof. Laws (metamorphic properties) are tried on one group of {sample.laws:,} in "
        f"each cell, rounds on one of {sample.rounds:,}, and the linear program on one of {sample.programs:,}; 0: on no group."
    )
    return Table("proofs", "Checked and unproven results", caption, pd.DataFrame(rows))
