"""The open picture: the rule that the page states is how its group was chosen, and what it says of the best is true."""

import re
from dataclasses import replace

import pytest

pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")

import msgspec
from reports.plain_sums import CONSUMER, gap, legal, meant
from reports.sweep_of_loops import group_of

from kassay.comparison.headline import label_targets_uniquely
from kassay.model import AssignorError
from kassay.reports.page.groups import drawn_groups as telling_groups
from kassay.reports.page.groups.drawn_groups import (
    CANDIDATES,
    DrawnGroup,
    find_telling_group,
    show_open_picture,
)
from kassay.reports.sweep.manifest import TargetSpec

JOINT = " and one assignment reaches every optimum"
COUNTS = {"all": 4, "the optimum": 1}


@pytest.fixture(scope="module")
def rows(all_rows):
    return [row for row in all_rows if row["step"] == 0 and legal(row)]


@pytest.fixture(scope="module")
def told(summaries):
    return find_telling_group(summaries, group_of)


def missed(row, run):
    return sum((gap(row, level) or 0) > 0 for level in run.levels)


def of_targets(summaries, *names):
    """Return the summaries of some targets alone, and how these are told of."""
    run = msgspec.structs.replace(
        summaries.run, targets=tuple(spec for spec in summaries.run.targets if spec.target in names)
    )
    return replace(summaries, run=run)


def chosen(rows, run, targets):
    """Follow the rule as it is stated, over the rows: (id, target, missed, among the telling, joint)."""
    within = [row for row in rows if meant(row, CONSUMER.telling)]
    for among in (within, rows):
        most = max((missed(row, run) for row in among if row["target"] in targets), default=0)
        if most:
            break
    else:
        return None
    target = next(t for t in targets if any(r["target"] == t and missed(r, run) == most for r in among))
    own = [r for r in among if r["target"] == target and missed(r, run) == most]
    own.sort(key=lambda r: (sum(r["size"].values()), *r["size"].values(), r["id"]))
    seen, first = set(), []
    for row in own:
        if sum(row["size"].values()) not in seen:
            seen.add(sum(row["size"].values()))
            first.append(row)
    for row in first[:CANDIDATES]:
        group = group_of(run, row["id"], 0, target)
        best = CONSUMER.oracles.optimum(",".join(CONSUMER.oracles.levels), group, None)
        least = CONSUMER.oracles.optima(group).least
        if all(
            CONSUMER.measures[CONSUMER.oracles.measures[level]](group, best.assignment) == least[level]
            for level in least
        ):
            return row["id"], target, most, among is within, True
    return first[0]["id"], target, most, among is within, False


@pytest.mark.parametrize(
    "names",
    [(), ("consumer/sticky",), ("consumer/cooperative-sticky", "consumer/fair"), ("consumer/range",), ("consumer/roundrobin",)],
)  # fmt: skip
def test_the_rule_stated_is_how_the_group_was_chosen(summaries, rows, names):
    part = of_targets(summaries, *names) if names else summaries
    told, expected = find_telling_group(part, group_of), chosen(rows, part.run, part.run.names)
    if expected is None:
        assert told == "Every right answer of the targets that can run here reaches all optima."
        return
    id_, target, most, within, joint = expected
    assert told.target == target
    label = label_targets_uniquely(part.run.names)[target]
    assert told.rule.startswith(
        f"Group {id_:,} of the run. Among {CONSUMER.telling.says if within else 'all groups'},"
    )
    said = re.search(rf"on which {label} misses (all|the optimum|\d)", told.rule)[1]
    assert int(COUNTS.get(said, said)) == most
    assert (JOINT in told.rule) == joint
    assert told.group == group_of(part.run, id_, 0, target)
    assert told.rule.endswith(f" {label} is the first in the grid with such a group.")
    assert [one.target for one in told.answers] == part.run.names


@pytest.mark.parametrize("spoiled", [1, 2, 10_000])
def test_groups_that_one_assignment_cannot_be_best_for_come_last(summaries, told, spoiled, monkeypatch):
    """The first so many groups are said to have no assignment that reaches every optimum."""
    oracles, seen = CONSUMER.oracles, []

    def optimum(question, group, seconds):
        best, least = oracles.optimum(question, group, seconds), oracles.optima(group).least
        seen.append(group)
        over = int(len(seen) <= spoiled)
        return replace(
            best, levels=tuple(replace(level, value=least[level.name] + over) for level in best.levels)
        )

    changed = replace(CONSUMER, oracles=replace(oracles, optimum=optimum))
    monkeypatch.setattr(telling_groups, "find_family", lambda _: changed)
    found = find_telling_group(summaries, group_of)
    assert len(seen) > 1
    assert found.group == (seen[0] if len(seen) <= spoiled else seen[spoiled])
    assert (JOINT in found.rule) == (len(seen) > spoiled)
    assert found.target == told.target


def test_the_best_reaches_what_the_sentence_says(told):
    reached = all(level.value == told.optima.least[level.name] for level in told.best.levels)
    assert reached == (JOINT in told.rule)
    own = next(one for one in told.answers if one.target == told.target)
    assert sum(found.over > 0 for found in own.gaps) == int(re.search(r"misses (all )?(\d)", told.rule)[2])


def test_where_no_target_misses_the_smallest_broken_group_is_drawn(summaries):
    none = replace(summaries, telling=summaries.telling.head(0))
    said = find_telling_group(none, group_of)
    assert said == "Every right answer of the targets that can run here reaches all optima."
    shown = show_open_picture(said, [], CONSUMER, label_targets_uniquely(none.run.names))
    assert (shown.title, shown.says, shown.drawings) == ("One group", said, ())
    unmeasured = summaries.gaps.assign(value=None, optimum=None)
    said = find_telling_group(replace(none, gaps=unmeasured), group_of)
    assert said == "No target that can run here has an answer to compare with an optimum."


def test_groups_that_cannot_be_made_again_are_not_drawn(summaries):
    def gone(*_):
        raise AssignorError("gone")

    assert (
        find_telling_group(summaries, gone)
        == "No group on which a target misses an optimum can be generated here."
    )


def test_a_target_that_is_code_is_asked_only_with_trust(summaries):
    run = msgspec.structs.replace(summaries.run, targets=(TargetSpec("python:nobody:assign", ()),))
    said = find_telling_group(replace(summaries, run=run), group_of)
    assert said.startswith("It cannot run again here: ")
    assert said.count(". ") == 1
    beside = msgspec.structs.replace(summaries.run, targets=(*run.targets, *summaries.run.targets))
    told = find_telling_group(replace(summaries, run=beside), group_of)
    assert isinstance(told, DrawnGroup)
    assert told.rule.endswith(
        "is the first in the grid, of those that can run again here, with such a group."
    )
    assert [one.target for one in told.answers] == summaries.run.names


def test_the_picture_is_of_the_group_told(told, summaries):
    known = label_targets_uniquely(summaries.run.names)
    shown = show_open_picture(told, [], CONSUMER, known)
    looks = [one.look for one in shown.drawings]
    assert looks == (["now"] if told.now is not None else []) + ["answer", "best"]
    best = {score.name: score.value for score in shown.drawings[-1].scores}
    assert best == {CONSUMER.level(level.name).head: f"{level.value:,}" for level in told.best.levels}
    off = [score.name for score in shown.drawings[-2].scores if score.off]
    own = next(one for one in told.answers if one.target == told.target)
    assert off == [CONSUMER.level(found.level).head for found in own.gaps if found.over > 0]
    for one in told.answers:
        reaches = one.gaps and all(found.over <= 0 for found in one.gaps)
        named, some, _ = shown.others.partition(" reach")
        assert (bool(some) and known[one.target] in named) == bool(reaches)
