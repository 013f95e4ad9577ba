"""The verdicts: one line for each target, and the few sentences that a hurried reader takes away.

The questions: how often each target is right, of the groups on which it can go wrong, the same for all targets.

Failures: where targets have no right answer, why, and the smallest group on which it is so; then what was run, on what, and what was not proved.
"""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from kassay.comparison.headline import target_labels
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.families.words import does, plainest_first, when, worst_first
from kassay.family import SAFE, STUDY, Question
from kassay.properties.runs import MOST_REBALANCES
from kassay.reports.sweep.manifest import Run
from kassay.reports.sweep.rows import LEGAL, STATUSES
from kassay.reports.tables.gaps import mean, merge_values
from kassay.reports.tables.headline import render_headline
from kassay.reports.tables.properties import BROKEN, KNOWN_DEFECT
from kassay.reports.tables.rebalances import describe_slow
from kassay.reports.tables.table import SHARE, TENTHS, Summaries, Table
from kassay.sentences import counted, listed


def asked(run: Run) -> list[Question]:
    """Return the family's questions that a run tells something of; where it has none, whether answers are safe and best in each level."""
    usual = [SAFE, *(Question(f"best in {level}", "at the exact optimum", level) for level in run.levels)]
    questions = family(run.family).questions or usual
    return [each for each in questions if not each.level or each.level in run.levels]


def describe_denominator(question: Question, number: int) -> str:
    """Say in words of how many groups a question is, and of which: 3 groups with two members or more."""
    which = question.of.says.removeprefix("all ")
    return (
        f"1 group{which.removeprefix('groups')}"
        if number == 1 and which.startswith("groups")
        else f"{number:,} {which}"
    )


def compute_answers(summaries: Summaries) -> pd.DataFrame:
    """Return question, target, right, of, share, compared, mean gap and greatest gap, in the order of questions and targets.

    `of` are the groups of the question: the same for every target, for an answer that fails is none that is right. The gap's
    numbers are over the `compared`, which have a complete and legal answer and a proved optimum.
    """
    rows = []
    for question in asked(summaries.run):
        of_question = summaries.questions[summaries.questions["question"] == question.name]
        for target in summaries.run.names:
            own = of_question[of_question["target"] == target]
            gaps, counts = merge_values(own, "gap")
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


def select_question_gaps(summaries: Summaries, question: Question) -> pd.DataFrame:
    """Return target, gap and rows on the groups of a question; the gap is null where there is none."""
    frame = summaries.questions[summaries.questions["question"] == question.name]
    return frame[["target", "gap", "rows"]].astype({"gap": "Int64"})


def build_question_table(frame: pd.DataFrame, run: Run) -> Table:
    """Show how often each target is right, and how far it is from that."""
    told = "; ".join(
        f"{each.name}: {each.says}, of all {each.of.says.removeprefix('all ')}" for each in asked(run)
    )
    caption = (
        f"{told[:1].upper()}{told[1:]}. Right: the answer reaches the proved optimum, or nothing is lost, doubled or misgiven where the question is "
        "safe, or keeps what is asked; an answer that fails, or whose optimum is not proved, is not right. Gaps are over the compared alone."
    )
    forms = {"share": SHARE, "mean gap": TENTHS}
    return Table("questions", "How often each target is right", caption, frame, forms)


NONE, NO_PROMISE, UNJUDGED = "none", "makes none", "not judged"
KINDS = {
    "refused": "throws an error",
    "skipped": "declines to answer",
    "timeout": "gives no answer in time",
    "died": "dies",
    "memory": "uses up its memory",
    "illegal": "gives a wrong answer",
    "unsettled": f"does not come to rest within {MOST_REBALANCES} rebalances",
}
"""Status -> what a target does."""
NAMED = 3
"""A sentence names no more targets than this."""


def build_verdict_table(summaries: Summaries, properties: pd.DataFrame, answered: pd.DataFrame) -> Table:
    """Show for each target the promises broken, its known defects, and how often it is right in each question."""
    questions = asked(summaries.run)
    shares = answered.set_index(["question", "target"])["share"]
    rows = []
    for target in summaries.run.names:
        own = properties[properties["target"] == target]
        broken = own[own["outcome"] == BROKEN]["property"]
        rows.append(
            {
                "target": target,
                "promises broken": ", ".join(broken) or _unbroken(own),
                "known defects": ", ".join(own[own["outcome"] == KNOWN_DEFECT]["property"]) or NONE,
                **{each.name: shares[each.name, target] for each in questions},
            }
        )
    of = answered.groupby("question")["of"].max()
    told = "; ".join(
        f"{each.name}: {each.says}, of {describe_denominator(each, int(of[each.name]))}" for each in questions
    )
    caption = (
        f"Shares of the groups as drawn on which a question can go wrong, the same for every target. {told[:1].upper()}{told[1:]}. "
        "An answer that fails, or whose optimum is not proved, is not right."
    )
    frame = pd.DataFrame(rows)
    return Table("verdicts", "Verdicts", caption, frame, {each.name: SHARE for each in questions})


def describe_verdicts(summaries: Summaries, table: Table, answered: pd.DataFrame) -> list[str]:
    """Say what came of a sweep: the headline, what is broken, who fails how, who is slow, what is not proved, and what all of it is of."""
    run = summaries.run
    named = compared_names(run.names)
    ofnamed = answered[answered["target"].isin(named)]
    said = [
        render_headline(ofnamed, asked(run), named),
        _describe_promises(table.frame, run.family),
        *_describe_failures(summaries),
    ]
    said += describe_slow(summaries, count_groups(summaries))
    unproved = int(summaries.proofs[summaries.proofs["proved"].eq(other=False)]["rows"].sum())
    if unproved:
        said.append(f"The optimum of {unproved:,} right answers is not proved: they count as not optimal.")
    rows, waves = int(summaries.statuses["rows"].sum()), len(summaries.waves)
    missing = "" if waves == run.waves else f"; {waves:,} of {run.waves:,} waves are complete"
    changes = (
        " and the changes made to them"
        if rows > int(summaries.statuses[summaries.statuses["first"]]["rows"].sum())
        else ""
    )
    number = f"{len(run.names)} assignors" if len(run.names) > 1 else target_labels(run.names)[run.names[0]]
    said.append(
        f"Tested: {counted(rows, 'answer')} of {number} to {counted(count_groups(summaries), 'group')}{changes}{missing}."
    )
    return said


def is_study(name: str) -> bool:
    """Say whether a target is one of kassay's studies, which nobody runs."""
    return name in ASSIGNORS and family(ASSIGNORS[name].family).standing(name) == STUDY


def compared_names(names: Sequence[str]) -> list[str]:
    """Return the targets that a report compares: all but the studies, or all where there is nothing else."""
    return [name for name in names if not is_study(name)] or list(names)


def _unbroken(own: pd.DataFrame) -> str:
    return UNJUDGED if own.empty else NONE if own["promised"].any() else NO_PROMISE


def _describe_promises(frame: pd.DataFrame, of_family: str) -> str:
    """Say which promises are broken; where only known defects are seen, the worst of them in words."""
    known, compared = target_labels(list(frame["target"])), compared_names(list(frame["target"]))
    defects = {
        name: what.split(", ")
        for name, what in zip(frame["target"], frame["known defects"], strict=True)
        if what != NONE and name in compared
    }
    told = {known[name]: what for name, what in zip(frame["target"], frame["promises broken"], strict=True)}
    breaking = [
        f"{target} {_describe_worst(what.split(', '), of_family)}"
        for target, what in told.items()
        if what not in (NONE, NO_PROMISE, UNJUDGED)
    ]
    if breaking:
        rest = len(breaking) - NAMED
        more = (
            f"; {rest} more assignors break theirs"
            if rest > 1
            else "; 1 more assignor breaks its"
            if rest == 1
            else ""
        )
        said = f"Promises are broken: {'; '.join(breaking[:NAMED])}{more}"
    else:
        kept = "Nothing new is broken" if defects else "No promise is broken"
        said = kept if NONE in told.values() else "No promise was tested"
    return f"{said}. {_describe_defects(defects, known, of_family)}".rstrip()


def _describe_defects(defects: Mapping[str, Sequence[str]], labels: Mapping[str, str], of_family: str) -> str:
    """Say what known defects come to at worst, and with what."""
    if not defects:
        return ""
    worst = worst_first({name for names in defects.values() for name in names})
    target = next(target for target, names in defects.items() if worst[0] in names)
    excepted = ASSIGNORS[target].except_in.get(worst[0], ()) if target in ASSIGNORS else ()
    with_ = f", as with {when(family(of_family), plainest_first(excepted)[0])}" if excepted else ""
    who = "one of them" if len(defects) > 1 else "it"
    return f"Known defects of {_few([labels[name] for name in defects])}: at worst {who} {_describe_worst(worst, of_family)}{with_}."


def _describe_worst(names: Sequence[str], of_family: str) -> str:
    """Say what an assignor does that breaks promises, the worst first."""
    return listed([does(family(of_family), name) for name in worst_first(names)[:NAMED]])


def _few(names: list[str]) -> str:
    return listed(names if len(names) <= 2 * NAMED else [*names[:NAMED], f"{len(names) - NAMED} more"])


def _describe_failures(summaries: Summaries) -> Iterator[str]:
    """Say of the targets that fail most on groups as drawn how often, and how."""
    first = summaries.statuses[summaries.statuses["first"] & ~summaries.statuses["status"].isin(LEGAL)]
    known = target_labels(summaries.run.names)
    counts = first.groupby("target")["rows"].sum().reindex(summaries.run.names).dropna().astype(int)
    for target in counts.sort_values(ascending=False, kind="stable").head(NAMED).index:
        kinds = first[first["target"] == target].groupby("status")["rows"].sum()
        told = [f"{KINDS[str(status)]} on {int(rows):,}" for status, rows in kinds.items()]
        yield f"Of the {counted(count_groups(summaries), 'group')}, {known[str(target)]} {listed(told)}."
    if len(counts) > NAMED:
        yield f"{len(counts) - NAMED:,} more fail{'s' * (len(counts) == NAMED + 1)} on some."


def count_groups(summaries: Summaries) -> int:
    """Count the groups in complete waves, whether anybody answered them or not."""
    first = summaries.statuses[summaries.statuses["first"]]
    return int(first.groupby("target")["rows"].sum().max()) if len(first) else 0


MOST = 12
"""Reasons of each target that are listed; the rest is added up."""


def build_failure_table(summaries: Summaries) -> Table:
    """List for each target what happens, on how many groups as drawn and how many rows in all, and the smallest such group."""
    run, rows = summaries.run, []
    frame = summaries.failures
    for target in run.names:
        own = frame[frame["target"] == target]
        kinds = sorted(
            own.groupby(["status", "reason"]),
            key=lambda kind: (-int(_first(kind[1])), -int(kind[1]["rows"].sum()), kind[0]),
        )
        for n, ((status, reason), part) in enumerate(kinds):
            sized = part.assign(all=part[list(run.sizes)].sum(axis=1))
            small = sized.sort_values(["all", *run.sizes, "id", "step"]).iloc[0]
            if n < MOST:
                rows.append(
                    {
                        "target": target,
                        "what happens": _happens(str(status), str(reason)),
                        "groups": _first(part),
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
                    "target": target, "what happens": f"{len(rest):,} other reasons", "groups": sum(map(_first, rest)),
                    "rows": sum(int(part["rows"].sum()) for part in rest), "smallest": "-", "group": pd.NA, "changes": pd.NA,
                }
            )  # fmt: skip
    columns = ["target", "what happens", "groups", "rows", "smallest", "group", "changes"]
    made = pd.DataFrame(rows, columns=columns).astype({"group": "Int64", "changes": "Int64"})
    caption = (
        "Answers that are not right, by what happens. Groups: as drawn; rows: also after the changes made to them. "
        "Smallest: the size of the smallest group, its number in the run and the changes made to it."
    )
    return Table("failures", "Where targets fail, and why", caption, made)


def _happens(status: str, reason: str) -> str:
    if status == "illegal":
        return f"breaks {reason}"
    return f"{KINDS[status]}: {reason}" if reason else KINDS[status]


def _first(part: pd.DataFrame) -> int:
    return int(part[part["first"]]["rows"].sum())


def build_setup_table(summaries: Summaries) -> Table:
    """List versions, seeds, machine and settings."""
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
    """Say for each target how many rows there are, what became of them, and how far they were judged."""
    proofs, kinds = summaries.proofs, summaries.properties
    rows = []
    for target in summaries.run.names:
        statuses = summaries.statuses[summaries.statuses["target"] == target].groupby("status")["rows"].sum()
        own = proofs[proofs["target"] == target]
        checked = int(own[own["proved"].eq(True).fillna(value=False).astype(bool)]["rows"].sum())
        laws = kinds[
            (kinds["target"] == target) & (kinds["kind"] == "law") & (kinds["property"] != "crash_free")
        ]
        rows.append(
            {
                "target": target,
                "rows": int(statuses.sum()),
                **{status: int(statuses.get(status, 0)) for status in STATUSES},
                "optima, proof checked": checked,
                "optima, not checked": int(own["rows"].sum()) - checked,
                "optima, by linear program too": int(own[own["linear_program"] == "agrees"]["rows"].sum()),
                "linear program without an answer": int(
                    own[own["linear_program"] == "unsolved"]["rows"].sum()
                ),
                "laws tried": int(laws.groupby("cell")["tried"].max().sum()),
            }
        )
    sample = summaries.run.sample
    caption = (
        "Rows by what became of them, and how far they were judged. Not checked: right answers of which no optimum was proved; they have no gap. Other answers (anything but ok and settled) have no gap, and nothing is "
        f"proved of them. Laws are tried on one group of {sample.laws:,} in each cell, rounds on one of {sample.rounds:,}, and the "
        f"linear program on one of {sample.programs:,}; 0: on none."
    )
    return Table("proofs", "What was judged, and what was not proved", caption, pd.DataFrame(rows))
