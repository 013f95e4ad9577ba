"""Several targets of a check, one row each: promises, and how good the answers are."""

from collections.abc import Mapping, Sequence

from kassay.cli.saying.checking.headline import short
from kassay.cli.saying.checking.quality import mean, wrong
from kassay.engine.distance import Distance
from kassay.engine.verdict import (
    BASELINE,
    BROKEN,
    ERRORED,
    KEPT,
    KNOWN_DEFECT,
    LIMIT,
    PASSES,
    SKIPPED,
    Verdict,
)  # fmt: skip
from kassay.families import FAMILIES, family
from kassay.family import INSIDE, SETTABLE, STUDY
from kassay.output import Block
from kassay.shape import TextTable

YOURS = "others"
SECTIONS = {SETTABLE: "Kafka's, can be set", YOURS: YOURS, INSIDE: "inside Kafka", STUDY: "studies"}
"""What an assignor is to an operator, as the head of its rows."""


def rows(
    targets: Sequence[str],
    verdicts: Sequence[Verdict],
    distances: Sequence[Distance],
    names: Mapping[str, str],
) -> Block:
    """Show targets as rows, those that can be set first; `names` are those that targets gave themselves."""
    levels = list(dict.fromkeys(one.said.column for one in distances))
    untold = any(v.outcome in {SKIPPED, ERRORED} for v in verdicts)
    limited = any(v.outcome == LIMIT for v in verdicts)
    columns = ["assignor", "hold", *["limits"] * limited, "known", "broken", *["not told"] * untold]
    columns += ["wrong", *levels] if levels else []
    sections: dict[str, list[list[str]]] = {section: [] for section in SECTIONS}
    for target in targets:
        name = names.get(target, target)
        own = [v for v in verdicts if v.target == name]
        far = [one for one in distances if one.target == name]
        cells = [str(_count(own, KEPT, PASSES)), *[str(_count(own, LIMIT))] * limited]
        cells += [str(_count(own, KNOWN_DEFECT, BASELINE)), str(_count(own, BROKEN))]
        cells += [str(_count(own, SKIPPED, ERRORED))] * untold
        if levels:
            cells.append(wrong(far))
            cells += [mean([one for one in far if one.said.column == level]) for level in levels]
        sections[_section(target)].append([short(target, targets), *cells])
    used = [section for section in SECTIONS if sections[section]]
    headed = len(used) > 1
    made = []
    for section in used:
        made += [[SECTIONS[section], *[""] * (len(columns) - 1)]] * headed
        made += [[f"{'  ' * headed}{first}", *rest] for first, *rest in sections[section]]
    return Block(prose=True, grid=TextTable(columns, made))


def explained(distances: Sequence[Distance], verdicts: Sequence[Verdict]) -> str:
    """Say once what the columns mean."""
    said = ["hold, known, broken: promises that always hold, have known defects, or are broken."]
    if any(v.outcome == LIMIT for v in verdicts):
        said.append("limits: promises it was never made to keep everywhere.")
    if distances:
        levels = list(dict.fromkeys(one.said.column for one in distances))
        said.append(
            f"The rest in % of the groups, less is better. wrong: something is lost, doubled or given to the wrong one, no answer, or no rest; "
            f"{', '.join(levels)}: not as few as possible, of the answers that are not wrong."
        )
        said.append(
            "Groups are made to find trouble; they say nothing about how often it happens in production."
        )
    return " ".join(said)


def _count(verdicts: Sequence[Verdict], *outcomes: str) -> int:
    return sum(verdict.outcome in outcomes for verdict in verdicts)


def _section(target: str) -> str:
    of, slash, _ = target.partition("/")
    return family(of).standing(target) if slash and of in FAMILIES else YOURS
