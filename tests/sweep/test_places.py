import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sweep.sweep_runs import run_of
from whole import share

from kassay.errors import InputError
from kassay.families import family
from kassay.reports.sweep.manifest import (
    draw_timeline,
    is_sampled,
    iterate_groups,
    locate_group,
    sample_size,
    seed_of,
)

CONSUMER = family("consumer")
EXAMPLES = settings(max_examples=share(15, 100))


def run_with(groups, seeds, wave):
    cells = "".join(f'[[cells]]\nname = "c{n}"\ngroups = {count}\n' for n, count in enumerate(groups))
    return run_of(f'targets = ["consumer/range"]\nseeds = {seeds}\nwave = {wave}\n{cells}')


RUNS = st.builds(
    run_with,
    st.lists(st.integers(0, 30), min_size=1, max_size=4).filter(any),
    st.lists(st.integers(0, 99), min_size=1, max_size=3, unique=True),
    st.integers(1, 50),
)


@EXAMPLES
@given(RUNS, st.integers(1, 20))
def test_waves_and_tasks_take_every_group_once(run, tasks):
    taken = [
        at
        for wave in range(run.waves)
        for task in range(tasks)
        for at in iterate_groups(run, wave, task, tasks)
    ]
    assert sorted(at.id for at in taken) == list(range(run.groups))
    assert len({at.seed for at in taken}) == run.groups
    for cell, asked in enumerate(run.cells):
        numbers = sorted(at.number for at in taken if at.cell == cell)
        assert numbers == sorted(list(range(asked.groups)) * len(run.seeds))


@EXAMPLES
@given(RUNS)
def test_how_a_wave_is_cut_into_tasks_changes_nothing(run):
    for wave in range(run.waves):
        whole = sorted(iterate_groups(run, wave))
        assert whole == sorted(at for task in range(7) for at in iterate_groups(run, wave, task, 7))


@EXAMPLES
@given(RUNS, st.integers(1, 40))
def test_of_each_cell_one_group_in_so_many_is_sampled(run, every):
    for cell, asked in enumerate(run.cells):
        here = [locate_group(run, id_) for id_ in range(run.groups)]
        picked = sum(is_sampled(run, at, every) for at in here if at.cell == cell)
        assert picked == -(-asked.groups // every) * len(run.seeds)


def test_nothing_is_sampled_where_none_is_asked_for(run):
    assert not any(is_sampled(run, locate_group(run, id_), 0) for id_ in range(run.groups))


def test_a_seed_does_not_depend_on_other_cells():
    alone, beside = run_with([5], [7], 9), run_with([5, 8], [7], 9)
    assert [locate_group(alone, n).seed for n in range(5)] == [locate_group(beside, n).seed for n in range(5)]
    assert seed_of(7, alone.cells[0], 3) == locate_group(alone, 3).seed


def test_situations_hold_where_they_are_asked_for():
    run = run_of(
        'targets = ["consumer/range"]\n[[cells]]\nname = "a"\ngroups = 40\nracks = 3\npartitions = "0..4"\n'
        'situations = ["racks_decide", "idle_members"]\n'
    )
    for at in iterate_groups(run, 0):
        group = draw_timeline(CONSUMER, run.cells[0], at.seed).start
        assert CONSUMER.situations["racks_decide"](group)
        assert CONSUMER.situations["idle_members"](group)


def test_situations_that_never_hold_are_told():
    run = run_of('targets = ["consumer/range"]\n[[cells]]\nname = "a"\ngroups = 1\nsituations = ["racks"]\n')
    with pytest.raises(InputError, match=r"cell 'a': none of 1000 groups is in the situations racks\. Widen"):
        draw_timeline(CONSUMER, run.cells[0], 1)


@EXAMPLES
@given(RUNS, st.integers(0, 9))
def test_the_size_of_a_sample_is_that_of_its_groups(run, every):
    some = range(0, run.waves, 2)
    picked = [at for wave in some for at in iterate_groups(run, wave) if is_sampled(run, at, every)]
    assert sample_size(run, some, every) == len(picked)
