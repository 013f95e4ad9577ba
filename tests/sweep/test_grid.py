import json
from pathlib import Path

import pytest

from kassay import read_group
from kassay.errors import InputError
from kassay.reports.sweep.folder import create_run
from kassay.reports.sweep.grid import parse_grid, read_grid
from kassay.reports.sweep.judge_rows import Judge, group_of
from kassay.reports.sweep.manifest import TargetSpec, iterate_groups
from kassay.targets import Options, open_target

GRIDS = sorted((Path(__file__).parents[2] / "grids").glob("*.toml"))
LEAST = 'targets = ["consumer/range"]\n[[cells]]\nname = "a"\ngroups = 3\n'

WRONG = {
    "no TOML": ("targets = [", "is no TOML"),
    "unknown key": ("colour = 1\n" + LEAST, "there is no field `colour`"),
    "unknown key of a cell": (LEAST + "colour = 1\n", "cells[0]: there is no key 'colour'"),
    "unknown key of the sample": ("sample = { law = 1 }\n" + LEAST, "sample"),
    "no cells": ('targets = ["consumer/range"]\ncells = []\n', "they have no groups"),
    "no groups": (LEAST.replace("3", "0"), "they have no groups"),
    "negative groups": (LEAST.replace("3", "-3"), "cell 'a': groups"),
    "groups as text": (LEAST.replace("3", '"3"'), "cell 'a': groups"),
    "no name": (LEAST.replace('name = "a"', ""), "cells[0].name"),
    "nobody": (LEAST.replace('"consumer/range"', ""), "targets: the list is empty"),
    "no such pattern": (LEAST.replace("consumer/range", "consumer/x*"), "no assignor matches it"),
    "no such family": ('family = "choir"\n' + LEAST, "no family 'choir'"),
    "no such measure": ('measures = ["beauty"]\n' + LEAST, "measures: there is no 'beauty'"),
    "no such optimum": ('optima = ["beauty"]\n' + LEAST, "optima: there is no 'beauty'"),
    "no measure": ("measures = []\n" + LEAST, "measures: the list is empty"),
    "no optimum": ("optima = []\n" + LEAST, "optima: the list is empty"),
    "no such situation": (LEAST + 'situations = ["sunny"]\n', "there is no 'sunny'"),
    "no such kind": (LEAST + 'claims = "many"\n', "claims: there is no 'many'"),
    "no weight": (LEAST + "claims = { even = 0 }\n", "no weight is above 0"),
    "negative weight": (LEAST + "claims = { even = -1 }\n", "even has weight -1"),
    "empty range": (LEAST + 'members = "6..1"\n', "members: '6..1' is empty"),
    "no range": (LEAST + 'members = "some"\n', "members: 'some' is neither a number"),
    "truth as number": (LEAST + "members = true\n", "members: True is neither a number"),
    "no members": (LEAST + "members = 0\n", "members: 0 is out of range. Give 1"),
    "empty list": (LEAST + "members = []\n", "members: the list is empty"),
    "same name twice": (LEAST + '[[cells]]\nname = "a"\ngroups = 1\n', "two of them have the name 'a'"),
    "seed twice": ("seeds = [1, 1]\n" + LEAST, "Give different whole numbers"),
    "no seed": ("seeds = []\n" + LEAST, "Give different whole numbers"),
    "no time": ("timeout_s = 0.0\n" + LEAST, "timeout_s"),
    "empty waves": ("wave = 0\n" + LEAST, "wave"),
    "negative sample": ("sample = { laws = -1 }\n" + LEAST, "sample.laws"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_grids_are_refused_by_one_sentence_that_names_the_key(case):
    text, said = WRONG[case]
    with pytest.raises(InputError) as refused:
        parse_grid(text)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.toml: cannot be read"):
        read_grid(tmp_path / "nowhere.toml")
    (tmp_path / "latin.toml").write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"latin\.toml: is not UTF-8"):
        read_grid(tmp_path / "latin.toml")


@pytest.mark.parametrize("path", GRIDS, ids=lambda path: path.name)
def test_the_grids_that_come_with_kassay_are_read(path):
    assert read_grid(path).groups > 0


def test_lists_of_ranges_multiply_into_cells():
    grid = parse_grid(LEAST + 'members = [2, "3..4"]\ntopics = ["1..2", 5]\npartitions = 7\n')
    assert [cell.name for cell in grid.cells] == [
        "a members=2 topics=1..2",
        "a members=2 topics=5",
        "a members=3..4 topics=1..2",
        "a members=3..4 topics=5",
    ]
    assert {cell.ranges["partitions"] for cell in grid.cells} == {(7, 7)}
    assert grid.groups == 12


def test_levels_of_weights_are_compared_where_a_grid_names_them():
    assert "weighted-balance" not in parse_grid(LEAST).levels
    grid = parse_grid('optima = ["balance", "weighted-*", "capacity"]\n' + LEAST)
    assert grid.levels == ("balance", "weighted-balance", "capacity")


def test_patterns_choose_measures_optima_and_targets():
    grid = parse_grid(
        'measures = ["*_rack", "moves"]\noptima = ["moves"]\n' + LEAST.replace("range", "*sticky")
    )
    assert grid.measures == ("moves", "cross_rack")
    assert grid.levels == ("moves",)
    assert grid.targets == ("consumer/sticky", "consumer/cooperative-sticky")


def write_folder(tmp_path, **groups):
    (tmp_path / "groups").mkdir()
    for name, group in groups.items():
        (tmp_path / "groups" / f"{name}.json").write_text(json.dumps(group))
    grid = tmp_path / "grid.toml"
    grid.write_text('targets = ["consumer/range"]\n[[cells]]\nname = "ours"\nfolder = "groups"\n')
    return grid


GROUP = {"topics": [{"name": "t0", "partitions": 3}], "members": [{"id": "m0", "topics": ["t0"]}]}


def test_a_folder_of_groups_is_swept_as_it_is(tmp_path):
    """Each group is there once, and another group makes another run, though the grid is the same."""
    larger = {**GROUP, "topics": [{"name": "t0", "partitions": 5}]}
    path = write_folder(tmp_path, b=larger, a=GROUP)
    grid = read_grid(path)
    specs = (TargetSpec("consumer/range", ()),)
    run = create_run(grid, specs, "")
    groups = [group_of(run, id_, 0, "consumer/range") for id_ in range(run.groups)]
    assert groups == [read_group(GROUP), read_group(larger)]
    with pytest.raises(InputError, match="no step 1"):
        group_of(run, 0, 1, "consumer/range")
    (tmp_path / "groups" / "b.json").write_text(json.dumps(GROUP))
    assert create_run(read_grid(path), specs, "").id != run.id


def test_rows_of_given_groups_are_judged(tmp_path):
    run = create_run(read_grid(write_folder(tmp_path, a=GROUP)), (TargetSpec("consumer/range", ()),), "")
    with open_target("consumer/range", Options()) as target:
        rows = [row for at in iterate_groups(run, 0) for row in Judge(run, [target]).rows(at)]
    assert [(row["step"], row["status"], row["size"]) for row in rows] == [
        (0, "ok", {"members": 1, "topics": 1, "partitions": 3})
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('folder = "no"', "is no folder. Give its path"),
        ('folder = "."', "has no such files. Name some in files"),
        ('folder = "."\nfiles = ["*.toml"]', "grid.toml"),
        ('folder = "groups"\ngroups = 3', "cells[0]"),
        ('folder = "groups"\nmembers = 3', "cells[0]"),
        ("folder = 3", "cells[0]"),
    ],
)
def test_wrong_folders_are_refused(tmp_path, text, said):
    write_folder(tmp_path, a=GROUP)
    grid = tmp_path / "grid.toml"
    grid.write_text(f'targets = ["consumer/range"]\n[[cells]]\nname = "ours"\n{text}\n')
    with pytest.raises(InputError) as refused:
        read_grid(grid)
    assert said in str(refused.value)


def test_given_groups_need_one_seed(tmp_path):
    grid = write_folder(tmp_path, a=GROUP)
    grid.write_text(f"seeds = [1, 2]\n{grid.read_text()}")
    with pytest.raises(InputError, match="Give one seed"):
        read_grid(grid)
