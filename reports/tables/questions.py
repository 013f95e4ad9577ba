"""The questions: how often each target is right, of the groups on which it can go wrong, the same for all targets."""

import pandas as pd

from kassay.families import family
from kassay.family import SAFE, Question
from kassay.reports.sweep.manifest import Run
from kassay.reports.tables.histogram import mean, merged
from kassay.reports.tables.summaries import Summaries
from kassay.reports.tables.table import SHARE, TENTHS, Table


def asked(run: Run) -> list[Question]:
    """Return the family's questions that a run tells something of; where it has none, whether answers are safe and best in each level."""
    usual = [SAFE, *(Question(f"best in {level}", "at the exact optimum", level) for level in run.levels)]
    questions = family(run.family).questions or usual
    return [each for each in questions if not each.level or each.level in run.levels]


def groups_meant(question: Question, number: int) -> str:
    """Say in words of how many groups a question is, and of which: 3 groups with two members or more."""
    which = question.of.says.removeprefix("all ")
    return (
        f"1 group{which.removeprefix('groups')}"
        if number == 1 and which.startswith("groups")
        else f"{number:,} {which}"
    )


def answers(summaries: Summaries) -> pd.DataFrame:
    """Return question, target, right, of, share, compared, mean gap and greatest gap, in the order of questions and targets.

    `of` are the groups of the question: the same for every target, for an answer that fails is none that is right. The gap's
    numbers are over the `compared`, which have a complete and legal answer and a proved optimum.
    """
    rows = []
    for question in asked(summaries.run):
        of_question = summaries.questions[summaries.questions["question"] == question.name]
        for target in summaries.run.names:
            own = of_question[of_question["target"] == target]
            gaps, counts = merged(own, "gap")
            of, right = int(own["rows"].sum()), int(counts[gaps == 0].sum())
            rows.append(
                {
                    "question": question.name,
                    "target": target,
                    "right": right,
                    "of": of,
                    "share": right / of if of else None,
                    "compared": int(counts.sum()),
                    "mean gap": mean(gaps, counts) if len(gaps) else None,
                    "greatest gap": int(gaps[-1]) if len(gaps) else None,
                }
            )
    columns = ["question", "target", "right", "of", "share", "compared", "mean gap", "greatest gap"]
    frame = pd.DataFrame(rows, columns=columns)
    frame["of"] = frame.groupby("question")["of"].transform("max")
    return frame.astype({"share": float, "mean gap": float, "greatest gap": "Int64"})


def question_gaps(summaries: Summaries, question: Question) -> pd.DataFrame:
    """Return target, gap and rows on the groups of a question; the gap is null where there is none."""
    frame = summaries.questions[summaries.questions["question"] == question.name]
    return frame[["target", "gap", "rows"]].astype({"gap": "Int64"})


def question_table(frame: pd.DataFrame, run: Run) -> Table:
    """Show how often each target is right, and how far it is from that."""
    told = "; ".join(
        f"{each.name}: {each.says}, of all {each.of.says.removeprefix('all ')}" for each in asked(run)
    )
    caption = (
        f"{told[:1].upper()}{told[1:]}. Right: the answer reaches the proved optimum, or is complete and legal where the question is "
        "safe, or keeps what is asked; an answer that fails, or whose optimum is not proved, is not right. Gaps are over the compared alone."
    )
    forms = {"share": SHARE, "mean gap": TENTHS}
    return Table("questions", "How often each target is right", caption, frame, forms)
