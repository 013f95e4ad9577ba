"""The check of every reference at the seed of the day: what it finds, and that the seed is told and can be given."""

import signal
from dataclasses import replace

import pytest
import references
from references import PART, Asked, TimeIsUpError, asked_for, seed_of_the_day, tried

from kassay.assignors import ASSIGNORS
from kassay.defaults import CHECKED

SOME = Asked("share/simple", 60, 1, whole=False)


def test_every_family_has_a_part_and_the_whole_is_what_check_tries():
    assert {one.family for one in ASSIGNORS.values()} == PART.keys()
    assert {one.name for one in asked_for(["*"], [7], whole=False)} == ASSIGNORS.keys()
    whole = list(asked_for(["share/*"], [0, 7], whole=True))
    assert whole == [Asked("share/simple", CHECKED, seed, whole=True) for seed in (0, 7)]


@pytest.mark.parametrize("whole", [False, True])
def test_what_breaks_outside_its_exceptions_is_found_and_what_is_declared_is_not(whole, monkeypatch):
    asked = SOME._replace(whole=whole)
    if not whole:
        assert tried(asked).broken == []
    strict = replace(ASSIGNORS["share/simple"], promises=frozenset({"balanced"}), except_in={})
    monkeypatch.setitem(ASSIGNORS, "share/simple", strict)
    assert {one.property for one in tried(asked).broken} == {"balanced"}


def test_a_reference_that_takes_long_is_cut_and_what_it_showed_stands(monkeypatch):
    target = ASSIGNORS["share/simple"]

    def slow(group):
        if len(group.members) > 3:
            while True:
                pass
        return target.assign(group)

    monkeypatch.setattr(references, "PART_S", 0.3)
    monkeypatch.setitem(ASSIGNORS, "share/simple", replace(target, assign=slow))
    found = tried(SOME)
    assert found.cut
    assert found.groups > 0
    assert found.broken == []
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)  # nothing is bounded any more
    assert not issubclass(TimeIsUpError, Exception)


def test_the_seed_is_the_date_or_given(monkeypatch):
    monkeypatch.delenv("KASSAY_SEED", raising=False)
    assert 9_800 < seed_of_the_day() < 100_000  # days since 2000
    monkeypatch.setenv("KASSAY_SEED", "1234")
    assert seed_of_the_day() == 1234
    monkeypatch.setenv("KASSAY_SEED", "today")
    with pytest.raises(SystemExit, match="KASSAY_SEED=today: is no whole number from 0; give one such as"):
        seed_of_the_day()


def test_the_seed_is_printed(monkeypatch, capsys):
    monkeypatch.setenv("KASSAY_SEED", "5")
    monkeypatch.setattr("sys.argv", ["references.py", "share/simple"])
    monkeypatch.setitem(PART, "share", 8)
    assert references.main() == 0
    assert capsys.readouterr().out.startswith("references at seed 5 (KASSAY_SEED=5 tries the same again)\n")
