"""What a target is held to that promises nothing, and what it is held to of a reference's promises."""

import json

import pytest

import kassay
from kassay.cli import main
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.model import Assignor
from kassay.model.tasks import Given, TaskAssignment

VANISHED = {
    "topics": [{"name": "t", "partitions": 1}],
    "members": [{"id": "a", "topics": ["t"], "owned": [["t", 1]]}],
}
"""Kafka's sticky throws: a known defect of its."""


def piles_up(application):
    """Give all tasks to the first client, with never a standby and no look at what anybody had."""
    first, *rest = application.clients
    every = tuple(task.id for task in application.tasks)
    return TaskAssignment(
        {first.id: Given(every, ())} | {each.id: Given((), ()) for each in rest}, probing=False
    )


def test_who_promises_nothing_and_is_plainly_bad_is_told_what_was_not_held_and_what_fits():
    report = kassay.check(piles_up, examples=15, family="streams")
    found = report.unheld
    assert found is not None
    assert set(found.held) == family("streams").expected
    assert not set(found.held) & set(found.not_held)
    assert {"active_balanced", "enough_standbys"} & found.broken.keys()
    assert found.broken.keys() <= set(found.not_held)
    assert ASSIGNORS[found.fits].promises >= set(found.breaks)
    assert found.promises == len(ASSIGNORS[found.fits].promises)


def test_who_promises_or_is_held_to_something_is_told_no_such_thing():
    assert kassay.check("consumer/range", examples=5, properties=["complete"]).unheld is None
    assert kassay.check("share/simple", examples=5).unheld is None
    assert kassay.check(piles_up, examples=5, family="streams", promises=["complete"]).unheld is None


def test_the_reference_whose_promises_an_assignor_keeps_fits_it():
    plain = ASSIGNORS["consumer/roundrobin"].assign
    found = kassay.check(plain, examples=60).unheld
    assert found is not None
    assert found.breaks == ()
    assert found.fits in {"consumer/roundrobin", "consumer/range"}


@pytest.fixture
def like_sticky(tmp_path, monkeypatch):
    (tmp_path / "newcomer.py").write_text(
        "from kassay.families.assignors import ASSIGNORS\n\n\ndef assign(group):\n"
        "    return ASSIGNORS['consumer/sticky'].assign(group)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    file = tmp_path / "vanished.json"
    file.write_text(json.dumps(VANISHED))
    rest = ["--promises-of", "consumer/sticky", "--property", "crash_free", "--group", str(file)]
    return lambda target, *more: main(["check", target, *rest, *more, "--json", "-o", str(tmp_path)])


def test_a_newcomers_own_bug_is_no_known_defect_of_kafkas_but_with_like_kafka(like_sticky, capsys):
    def outcome():
        records = map(json.loads, capsys.readouterr().out.splitlines())
        return next(one["outcome"] for one in records if one["record"] == "verdict")

    assert like_sticky("python:newcomer:assign") == 1
    assert outcome() == "broken"
    assert like_sticky("python:newcomer:assign", "--like-kafka") == 0
    assert outcome() == "known defect"
    assert like_sticky("consumer/sticky") == 0
    assert outcome() == "known defect"


def test_what_a_reference_was_never_made_for_is_no_failure_of_others():
    uneven = {
        "topics": [{"name": f"t{n}", "partitions": 1} for n in range(2)],
        "members": [{"id": name, "topics": ["t0", "t1"]} for name in "ab"],
    }
    mine = Assignor("mine", lambda _: {"a": [("t0", 0), ("t1", 0)], "b": []}, frozenset(), "")
    how = {"properties": ["balanced"], "promises_of": "consumer/range"}
    (verdict,) = kassay.check(mine, [kassay.read_group(uneven)], **how).verdicts
    assert verdict.outcome == "limit"


def test_like_kafka_alone_is_refused(capsys):
    assert main(["check", "consumer/range", "--like-kafka"]) == 2
    assert "--like-kafka: says how --promises-of is meant; give that, too" in capsys.readouterr().err
