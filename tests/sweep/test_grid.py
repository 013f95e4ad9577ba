from pathlib import Path

import pytest

from kassay.errors import InputError
from kassay.reports.sweep.grid import parse_grid, read_grid

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
    "no such pattern": (LEAST.replace("consumer/range", "consumer/x*"), "no assignor matches consumer"),
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
    "no members": (LEAST + "members = 0\n", "members: 0 is not within 1"),
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
