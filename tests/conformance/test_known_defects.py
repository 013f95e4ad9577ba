"""Known defects in a run of the fixtures: what is excused, and what is not."""

from dataclasses import replace

import pytest
from printed import json_lines

from kassay.cli import main
from kassay.conformance.fixture_runner import TESTED, Judge, find_recorded_name
from kassay.conformance.fixtures import Declared, load_form, read_family_fixtures
from kassay.families import FAMILIES, family
from kassay.families.assignors import ASSIGNORS
from kassay.output.block import KNOWN_DEFECT, LIMIT
from kassay.targets import Options, open_target

STICKY = "consumer/sticky"


def counts_of(capsys, *arguments):
    status = main(["fixtures", "run", *arguments, "--json"])
    return status, json_lines(capsys)[0]["counts"]


@pytest.mark.parametrize("name", [STICKY, "share/simple", "connect/incremental-cooperative"])
def test_the_known_defects_of_a_reference_are_shown_and_fail_only_when_strict(name, capsys):
    status, counts = counts_of(capsys, name)
    assert (status, counts["fails"]) == (0, 0)
    assert counts[KNOWN_DEFECT] > 0
    assert counts_of(capsys, name, "--strict") == (1, counts)
    main(["fixtures", "run", name])
    said = capsys.readouterr().out
    assert f"{counts[KNOWN_DEFECT]} are known defects" in said
    assert said.endswith("Exit status 0: only known defects. With --strict: 1.\n")
    main(["fixtures", "run", name, "--strict"])
    assert "Exit status 1: known defects, and --strict is set." in capsys.readouterr().out


def test_a_limit_never_fails(capsys):
    status, counts = counts_of(capsys, "streams/sticky", "--case", "streams-0034", "--strict")
    assert (status, counts[LIMIT], counts[KNOWN_DEFECT]) == (0, 1, 0)


def test_a_reference_that_answers_otherwise_than_its_class_did_is_not_excused(monkeypatch, capsys):
    # consumer-0016: the loads of Kafka's answer are even, but it moves 2 partitions (minimum 1)
    assert counts_of(capsys, STICKY, "--case", "consumer-0016")[1][KNOWN_DEFECT] == 1
    (case,) = (one for one in read_family_fixtures("consumer").cases if one.id == "consumer-0016")
    kafkas = case.exact["sticky@4.4.0"]
    other = {
        member: tuple(reversed(given))
        for member, given in zip(kafkas, reversed(kafkas.values()), strict=True)
    }
    monkeypatch.setitem(ASSIGNORS, STICKY, replace(ASSIGNORS[STICKY], assign=lambda _: other))
    status, counts = counts_of(capsys, STICKY, "--case", "consumer-0016")
    assert (status, counts[KNOWN_DEFECT]) == (1, 0)


def test_what_is_held_to_the_promises_of_another_is_held_strictly(capsys):
    assert counts_of(capsys, STICKY, "--promises-of", STICKY)[1][KNOWN_DEFECT] == 0
    status, counts = counts_of(capsys, STICKY, "--promises-of", STICKY)
    assert status == 1
    assert counts["fails"] > 50


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (STICKY, "sticky@4.4.0"),
        ("consumer/range@3.0.0", "range@3.4.1"),  # the releases 2.4.0 to 3.4.1 answer alike
        ("consumer/sticky@3.4.0", ""),
        ("consumer/optimal", ""),
    ],
)
def test_the_answers_recorded_of_a_release_are_those_of_its_behaviour(target, name):
    assert find_recorded_name(open_target(target, Options()), load_form("consumer")) == name


def test_the_promises_that_checks_test_are_promises_of_a_family():
    known = {name for each in FAMILIES for name in family(each).properties}
    assert {name for names in TESTED.values() for name in names} <= known


def test_an_assignor_that_ranks_reads_across_racks_first_may_move_more():
    # consumer-0161: no answer has the fewest moves and the fewest reads across racks
    (case,) = (one for one in read_family_fixtures("consumer").cases if one.id == "consumer-0161")
    assert "cross_rack" not in case.should
    assign = ASSIGNORS["consumer/optimal"].assign
    racks_first = Judge(load_form("consumer"), assign, Declared(("loads", "cross_rack", "moves"))).judge(case)
    assert "moves" not in racks_first
    moves_first = Judge(load_form("consumer"), assign, Declared(("loads", "moves", "cross_rack"))).judge(case)
    assert moves_first["moves"] == "moves 3, where 1 would do"
    careless = Judge(
        load_form("consumer"), ASSIGNORS[STICKY].assign, Declared(("loads", "cross_rack", "moves"))
    )
    assert careless.judge(case).get("moves") != ""
