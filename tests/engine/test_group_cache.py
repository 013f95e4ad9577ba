"""Several targets share generated groups, situations and optima; their results are the results of each target alone."""

from dataclasses import replace

import pytest

from kassay.conformance.fixtures import list_groups
from kassay.engine import group_cache
from kassay.engine.check import check
from kassay.engine.generate import draw_batches
from kassay.engine.group_cache import GroupCache, find_situations
from kassay.engine.plan import read_promises
from kassay.families import family
from kassay.oracles.errors import UnsolvedError
from kassay.targets import Options, open_target

FEW = 6
WANTED = ("complete", "exclusive", "balanced", "crash_free")


def run_check(spec, cache, of_family):
    """Return the results of a small check as a check of several targets runs it."""
    with open_target(spec, Options(family=of_family.name)) as target:
        return list(
            check(
                target, of_family, examples=2 * FEW, first=list_groups(of_family)[:FEW],
                wanted=[name for name in of_family.properties if name in WANTED],
                promises=read_promises(target, of_family), measured=True, sampled=True, cache=cache,
            )
        )  # fmt: skip


@pytest.mark.parametrize(
    "specs", [("consumer/range", "consumer/sticky"), ("connect/eager", "connect/incremental-cooperative")]
)
def test_results_with_a_cache_are_the_results_without(specs):
    of_family, cache = family(specs[0].partition("/")[0]), GroupCache()
    for spec in specs:
        assert run_check(spec, cache, of_family) == run_check(spec, None, of_family), spec


def test_a_second_target_draws_nothing_and_asks_for_no_optimum_again(monkeypatch):
    asked, drawn = [], []
    known = family("consumer")

    def find_optima(group):
        asked.append(group)
        return known.oracles.optima(group)

    monkeypatch.setattr(group_cache, "draw_batches", draw_once(drawn, group_cache.draw_batches))
    counted = replace(known, oracles=replace(known.oracles, optima=find_optima))
    cache = GroupCache()
    run_check("consumer/range", cache, counted)
    first = len(asked)
    run_check("consumer/range", cache, counted)
    later_steps = asked[first:]
    assert len(drawn) == 1
    assert first > FEW
    assert len(later_steps) < first - FEW  # only later steps of timelines


def draw_once(drawn, draw):
    """Return a drawing function that notes its calls."""

    def noted(*of):
        drawn.append(of)
        return draw(*of)

    return noted


def test_an_error_of_an_oracle_is_raised_for_each_target():
    of_family, cache = family("consumer"), GroupCache()
    group = list_groups(of_family)[0]
    calls = []

    def fail():
        calls.append(1)
        raise UnsolvedError("no optimum")

    for _ in range(2):
        with pytest.raises(UnsolvedError, match="no optimum"):
            cache.find_optima(of_family, group, fail)
    assert calls == [1]


def test_facts_belong_to_one_family_and_one_group():
    cache = GroupCache()
    groups = list_groups(family("consumer"))[:FEW]
    for _ in range(2):
        for group in groups:
            assert cache.find_situations(family("consumer"), group) == find_situations(
                family("consumer"), group
            )
            for name in ("consumer", "broker"):
                found = cache.find_optima(family(name), group, lambda name=name, group=group: (name, group))
                assert found == (name, group)


def test_batches_belong_to_one_number_and_seed():
    of_family, cache = family("consumer"), GroupCache()
    for number, seed in ((8, 0), (8, 1), (12, 0), (8, 0)):
        assert [*cache.draw_batches(of_family, number, seed)] == [*draw_batches(of_family, number, seed)]


def test_beyond_its_limit_a_cache_finds_facts_again(monkeypatch):
    monkeypatch.setattr(group_cache, "MOST", 1)
    of_family, cache = family("consumer"), GroupCache()
    for group in list_groups(of_family)[:3] * 2:
        assert cache.find_optima(of_family, group, lambda group=group: group) is group
