"""What changes with the family: pairs of assignors of two families on the same groups of one sweep."""

import pytest

pytest.importorskip("pyarrow", reason="pip install 'kassay[reports]'")

from msgspec import structs
from reports.sweep_of_loops import write_waves

from kassay.errors import InputError
from kassay.properties.partitions.situations import newcomer, orphaned_partition
from kassay.reports.comparison.gates import build_migration_table, compare_migrations
from kassay.reports.page.tables import build_moving_tables
from kassay.reports.sweep.folder import create_run
from kassay.reports.sweep.grid import parse_grid
from kassay.reports.sweep.judge_rows import Judge, group_of
from kassay.reports.sweep.manifest import (
    TargetSpec,
    draw_timeline,
    iterate_groups,
    read_run,
    seed_of,
    write_run,
)
from kassay.reports.sweep.sweeping import find_common_family, list_specs
from kassay.targets import Options, open_target

GRID = """
targets = ["consumer/sticky", "broker/uniform", "broker/range"]
wave = 50
sample = { laws = 20, rounds = 20, programs = 0 }

[[cells]]
name = "any"
groups = 100
members = "2..4"
topics = "1..2"
racks = "0..2"
extras = { none = 3, "user data" = 1 }
claims = { none = 1, joined = 2, leavers = 1, stale = 1, contested = 1 }
"""


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """A sweep across two families, judged by loops."""
    folder, grid = tmp_path_factory.mktemp("swept"), parse_grid(GRID)
    targets = tuple(list_specs(grid))
    find_common_family(grid, targets)
    run = create_run(grid, targets, "c0de")
    write_run(folder, run)
    judge = Judge(run, [open_target(name, Options()) for name in run.names])
    rows = [row for wave in range(run.waves) for at in iterate_groups(run, wave) for row in judge.rows(at)]
    write_waves(folder, run, rows)
    return folder, run, rows


def test_groups_are_such_as_all_families_answer(swept):
    _, run, rows = swept
    assert [spec.family for spec in run.targets] == ["", "broker", "broker"]
    for row in rows:
        assert row["status"] in {"ok", "settled"}, row
        assert not {"user_data", "stale_claim", "double_claim", "unknown_topic"} & {*row["situations"]}
    again = group_of(run, 3, 0, "broker/uniform")
    assert again == group_of(run, 3, 0, "consumer/sticky")


def test_targets_are_judged_by_the_properties_of_their_own_family(swept):
    _, run, _ = swept
    judge = Judge(run, [open_target(name, Options()) for name in run.names])
    row = next(
        row for at in iterate_groups(run, 0) for row in judge.rows(at) if row["laws_broken"] is not None
    )
    assert row["target"] == "consumer/sticky"
    assert "reconciles" in judge.families["broker/uniform"].laws
    assert "reconciles" not in judge.families["consumer/sticky"].laws


def test_changes_are_those_of_plain_sums(swept):
    folder, run, rows = swept
    (found,) = compare_migrations(folder, run)
    assert found.question.endswith("KIP-848?")
    assert [(pair[0].reference, pair[0].target) for pair in found.pairs] == [
        ("consumer/sticky", "broker/uniform"),
        ("consumer/sticky", "broker/range"),
    ]
    by = {(row["id"], row["target"]): row for row in rows}
    groups = {id_: group_of(run, id_, 0, "consumer/sticky") for id_ in range(run.groups)}
    for pair in found.pairs:
        effects = {one.name: one for one in pair}
        joined = [n for n, group in groups.items() if newcomer(group) and not orphaned_partition(group)]
        assert joined
        one = effects["moves when a member joins"]
        before, after = (
            [by[n, name]["measures"]["moves"] for n in joined] for name in (one.reference, one.target)
        )
        assert one.pairs == len(joined)
        assert one.means == (sum(after) / len(joined), sum(before) / len(joined))
        gap = effects["balance above the optimum"]
        after = [
            max(0, by[n, gap.target]["values"]["balance"] - by[n, gap.target]["optima"]["balance"])
            for n in groups
        ]
        assert gap.means[0] == pytest.approx(sum(after) / len(groups))


def test_the_table_and_the_page_say_the_same(swept):
    folder, run, _ = swept
    (found,) = compare_migrations(folder, run)
    frame = build_migration_table(found).frame
    assert len(frame) == sum(map(len, found.pairs))
    ((table,),) = (one.tables for one in build_moving_tables([found], {name: name for name in run.names}))
    assert table.to == ["broker/uniform", "broker/range"]
    assert [says for says, _, _ in table.rows] == list(dict.fromkeys(frame["what"]))
    looks = [change.look for _, _, changes in table.rows for change in changes]
    verdicts = [row[n].verdict for row in zip(*found.pairs, strict=True) for n in range(2)]
    known = {"lower": "better", "higher": "worse"}
    assert looks == [known.get(verdict, "") for verdict in verdicts]


def test_a_sweep_without_both_families_or_what_they_are_compared_in_asks_nothing(swept):
    folder, run, _ = swept
    for changed in (
        {"targets": run.targets[:1]},
        {"targets": run.targets[1:]},
        {"measures": (), "levels": ()},
    ):
        assert not list(compare_migrations(folder, structs.replace(run, **changed)))


def test_what_run_json_says_of_families_is_not_trusted(swept, tmp_path):
    _, run, _ = swept
    for family, says in (
        ("os:path", "--trust"),
        ("share", "are of several families"),
        ("no", "there is no family"),
    ):
        spec = TargetSpec("broker/uniform", (), {}, family)
        write_run(tmp_path, structs.replace(run, targets=(spec,)))
        with pytest.raises(InputError, match=says):
            read_run(tmp_path)


def test_a_cell_that_no_coordinator_can_hold_is_refused_before_anything_is_started():
    grid = parse_grid(GRID.replace('{ none = 3, "user data" = 1 }', '"hosts"'))
    of_all = find_common_family(grid, tuple(list_specs(grid)))
    with pytest.raises(
        InputError, match=r"cell 'any': no group of 1000 suits all targets. The last one: config"
    ):
        draw_timeline(of_all, grid.cells[0], seed_of(0, grid.cells[0], 0))
