"""The check of every reference at the seed of the day: what it finds, and that the seed is told and can be given."""

import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import references
from references import Asked, TimeIsUpError, find_names, run_commands, seed_of_the_day, tried

from kassay.families.assignors import ASSIGNORS

SOME = Asked("share/simple", 60, 1)


def test_every_reference_is_tried_the_slow_ones_first():
    names = find_names(["*"])
    assert sorted(names) == sorted(ASSIGNORS)
    assert {*names[: len(references.SLOWEST)]} == {*references.SLOWEST}
    assert find_names(["share/*"]) == ["share/simple"]


def test_what_breaks_outside_its_exceptions_is_found_and_what_is_declared_is_not(monkeypatch):
    assert tried(SOME).broken == []
    strict = replace(ASSIGNORS["share/simple"], promises=frozenset({"balanced"}), except_in={})
    monkeypatch.setitem(ASSIGNORS, "share/simple", strict)
    assert {one.property for one in tried(SOME).broken} == {"balanced"}


def test_both_commands_are_green_on_a_reference_and_fail_where_a_known_defect_is_not_declared(monkeypatch):
    monkeypatch.setattr(
        references, "COMMANDS", [(*references.COMMANDS[0], "--examples=60"), *references.COMMANDS[1:]]
    )
    ran = run_commands("share/simple", 5)
    assert [(one.command, one.status) for one in ran] == [
        ("kassay check --no-replay share/simple --seed=5", 0),
        ("kassay fixtures run share/simple", 0),
    ]
    monkeypatch.setitem(ASSIGNORS, "share/simple", replace(ASSIGNORS["share/simple"], except_in={}))
    assert [one.status for one in run_commands("share/simple", 5)] == [1, 1]


def test_a_reference_that_takes_long_is_cut_and_what_it_showed_stands(monkeypatch):
    target = ASSIGNORS["share/simple"]

    def slow(group):
        if len(group.members) > 3:
            while True:
                pass
        return target.assign(group)

    monkeypatch.setattr(references, "WHOLE_S", 0.3)
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
    with pytest.raises(SystemExit, match=r"KASSAY_SEED=today: is no whole number from 0. Give one such as"):
        seed_of_the_day()


def test_the_seed_is_printed(monkeypatch, capsys):
    monkeypatch.setenv("KASSAY_SEED", "5")
    monkeypatch.setattr("sys.argv", ["references.py", "share/simple"])
    monkeypatch.setattr(references, "COMMANDS", (("fixtures", "run"),))
    monkeypatch.setattr(references, "ProcessPoolExecutor", lambda *_: ThreadPoolExecutor(1))
    assert references.main() == 0
    said = capsys.readouterr().out
    assert said.startswith("references at seed 5 (KASSAY_SEED=5 tries the same again)\n")
    assert (
        "kassay fixtures run share/simple: exit status 0\n1 commands on 1 references; all are green" in said
    )
