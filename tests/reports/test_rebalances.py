"""How many rebalances a group takes until it is at rest is a number of its own, and who is slow is not wrong."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from whole import WHOLE

from kassay.families import family
from kassay.families.convergence import rest
from kassay.model import AssignorError
from kassay.reports.comparison.effects import count_pairs
from kassay.reports.sweep.folder import create_run
from kassay.reports.sweep.grid import read_grid
from kassay.reports.sweep.judge_rows import group_of
from kassay.reports.sweep.manifest import TargetSpec
from kassay.reports.tables.headline import describe_verdicts
from kassay.reports.tables.properties import compute_properties
from kassay.reports.tables.rebalances import build_rebalance_table, describe_slow, has_withholding
from kassay.reports.tables.verdicts import (
    build_verdict_table,
    compute_answers,
    count_groups,
)
from kassay.targets import Options, open_target

CONSUMER = family("consumer")
COOPERATIVE = "consumer/cooperative-sticky"
QUICK = Path(__file__).parents[2] / "grids" / "quick.toml"


@pytest.fixture(scope="module")
def quick():
    grid = read_grid(QUICK)
    return create_run(grid, tuple(TargetSpec(name, ()) for name in grid.targets), "")


@pytest.mark.parametrize(("id_", "number"), [(1186, 3), (61, 4), (3456, 5), (3045, None)])
def test_groups_of_the_quick_grid_that_take_more_than_two_rebalances(quick, id_, number):
    """After two they all counted as lost; of all 67 that come to rest this is one of each kind, and the one that does not."""
    group = group_of(quick, id_, 0, "")
    found = rest(CONSUMER, open_target(COOPERATIVE, Options()).assign, group)
    assert (found.at_rest, found.illegal) == (number is not None, {})
    assert found.rebalances == (number or 10)
    assert found.legal == (not any(CONSUMER.invariants["complete"](group, found.answer)))


@pytest.mark.skipif(not WHOLE, reason="4,300 groups take ten seconds")
def test_of_all_groups_of_the_quick_grid_67_are_slow_and_one_never_rests(quick):
    target, found = open_target(COOPERATIVE, Options()), Counter()
    for id_ in range(quick.groups):
        try:
            one = rest(CONSUMER, target.assign, group_of(quick, id_, 0, ""))
        except AssignorError:
            found["refused"] += 1
            continue
        found["illegal" if one.illegal else one.rebalances if one.at_rest else "unsettled"] += 1
    assert found == {1: 2506, 2: 1621, 3: 45, 4: 21, 5: 1, "unsettled": 1, "illegal": 44, "refused": 61}


def test_the_table_counts_groups_by_their_rebalances(summaries, all_rows):
    table = build_rebalance_table(summaries).frame.set_index("target")
    for target in summaries.run.names:
        own = Counter(row["rebalances"] for row in all_rows if row["target"] == target and row["step"] == 0)
        assert [table.loc[target, str(n)] for n in range(1, 5)] == [own[n] for n in range(1, 5)]
        known = {number: count for number, count in own.items() if number}
        assert table.loc[target, "greatest"] == max(known)
        assert table.loc[target, "mean"] == sum(n * count for n, count in known.items()) / sum(known.values())
    assert table.loc[COOPERATIVE, "2"] > 0
    assert has_withholding(summaries.run)


def slowed(summaries):
    """Return summaries in which the first cooperative groups take three and seven rebalances, and one does not come to rest."""
    cooperative = (summaries.rebalances["target"] == COOPERATIVE) & (summaries.rebalances["rebalances"] == 2)
    two = summaries.rebalances[cooperative].iloc[[0]]
    late = [two.assign(rebalances=n, rows=rows) for n, rows in ((3, 2), (7, 1))]
    status = summaries.statuses[summaries.statuses["first"]].iloc[[0]]
    restless = status.assign(target=COOPERATIVE, status="unsettled", rows=1)
    return replace(
        summaries,
        rebalances=pd.concat([summaries.rebalances, *late], ignore_index=True),
        statuses=pd.concat([summaries.statuses, restless], ignore_index=True),
    )


def test_slow_targets_are_named_and_who_never_rests_counts_by_itself(summaries):
    told, answered = slowed(summaries), compute_answers(summaries)
    assert list(describe_slow(summaries, 60)) == ["cooperative-sticky needs 4 rebalances on 1 of 60 groups."]
    assert list(describe_slow(told, 60)) == ["cooperative-sticky needs 3 to 7 rebalances on 4 of 60 groups."]
    row = build_rebalance_table(told).frame.set_index("target").loc[COOPERATIVE]
    assert (row["3"], row["5 to 10"], row["not within 10"], row["greatest"]) == (2, 1, 1, 7)
    said = describe_verdicts(told, build_verdict_table(told, compute_properties(told), answered), answered)
    assert any("cooperative-sticky does not converge within 10 rebalances on 1 of " in each for each in said)
    assert f"cooperative-sticky needs 3 to 7 rebalances on 4 of {count_groups(told)} groups." in said


def test_sweeps_are_compared_in_rebalances_too(sweep, summaries, all_rows):
    found = count_pairs(sweep, summaries.run, [COOPERATIVE], "consumer/sticky").differences[
        COOPERATIVE, "rebalances"
    ]
    first = {(row["id"], row["target"]): row["rebalances"] for row in all_rows if row["step"] == 0}
    both = [
        (first[id_, COOPERATIVE], first[id_, "consumer/sticky"]) for id_, name in first if name == COOPERATIVE
    ]
    assert found.counts == Counter(one - other for one, other in both if one and other)
    assert found.target > found.reference > 0
