"""Programs broken in one way each give verdicts, never tracebacks; a hang costs its time limit and no more."""

import sys
from pathlib import Path

import pytest
from printed import json_lines
from whole import some

from kassay.cli import main
from kassay.errors import DiedError, InputError, SkippedError, TargetGoneError
from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.targets import Options, open_target

SPEAKER = Path(__file__).parents[1] / "programs" / "speaker.py"
ONE = Group((Topic("t", 2),), (Member("a", ("t",)),))
TWO = Group((Topic("t", 2),), (Member("a", ("t",)), Member("b", ("t",))))


def spec(way: str) -> str:
    return f"exec:{sys.executable} {SPEAKER} {way}"


def test_a_program_that_is_well_answers_as_often_as_asked():
    with open_target(spec("well"), Options()) as target:
        assert target.family == "consumer"
        for _ in range(3):
            assert target.assign(TWO) == {"a": (TopicPartition("t", 0),), "b": (TopicPartition("t", 1),)}


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("exits", "ended with exit status 7 instead of an answer; its standard error ends: out of luck"),
        ("dies", "died of signal 11 (SIGSEGV)"),
        ("hangs", "gave no answer within 2 seconds"),
        ("ignores_end", "gave no answer within 2 seconds"),
        ("babbles", "answered what is not JSON"),
        ("repeats", "the key 'assignment' stands twice in one object; give it once"),
        ("lags", "answered request 1 when asked 2"),
        ("floods", "flooded its output"),
        ("refuses", "IllegalStateException: two are too many"),
        ("misshapes", "answered what is no assignment"),
        ("no_answer", "answered what is no assignment"),
    ],
)
def test_what_goes_wrong_is_said_and_the_next_group_is_answered(way, said):
    limit = 20.0 if way == "floods" else 2.0
    with open_target(spec(way), Options(timeout_s=limit)) as target:
        assert list(target.assign(ONE)) == ["a"]
        with pytest.raises(AssignorError) as failure:
            target.assign(TWO)
        assert said in str(failure.value)
        assert list(target.assign(ONE)) == ["a"]


def test_many_groups_are_asked_together_and_each_failure_stands_in_its_place():
    groups = [ONE, TWO, ONE] * 500
    with open_target(spec("refuses"), Options()) as target:
        answers = target.answers(groups)
    assert [isinstance(answer, AssignorError) for answer in answers] == [False, True, False] * 500


@pytest.mark.parametrize("way", ["exits", "dies", "hangs", "babbles", "lags"])
def test_one_that_breaks_off_among_many_costs_only_its_own_answer(way):
    with open_target(spec(way), Options(timeout_s=0.5)) as target:
        answers = target.answers([ONE, ONE, TWO, ONE, TWO, ONE])
    assert [isinstance(answer, DiedError) for answer in answers] == [False, False, True, False, True, False]


def test_answers_of_a_reference_are_alike():
    with open_target("consumer/range", Options()) as target:
        assert target.answers([ONE, TWO]) == [target.assign(ONE), target.assign(TWO)]


def test_a_declined_group_is_no_failure():
    with (
        open_target(spec("declines"), Options()) as target,
        pytest.raises(SkippedError, match="only one member"),
    ):
        target.assign(TWO)


def test_programs_that_do_not_start_or_greet():
    with pytest.raises(InputError, match="cannot be started"):
        open_target("exec:/no/such/program", Options())
    with pytest.raises(InputError, match="quote"):
        open_target("exec:'unclosed", Options())
    with pytest.raises(TargetGoneError, match="exit status 3"):
        open_target(spec("silent"), Options())
    with pytest.raises(TargetGoneError, match="answered the first line wrongly: assignors: Expected `array`"):
        open_target(spec("greets_wrongly"), Options())
    with pytest.raises(InputError, match="offers no assignor; name one under `assignors`"):
        open_target(spec("offers_nothing"), Options())
    with pytest.raises(InputError, match=r"one, two; choose one with --named"):
        open_target(spec("two"), Options())
    with open_target(spec("two"), Options(assignor="two")) as target:
        assert list(target.assign(ONE)) == ["a"]


def test_one_assignor_of_several_is_named(tmp_path, capsys):
    command = ["check", spec("two"), "--property", "deterministic", "--examples", "5", "-o", str(tmp_path)]
    assert main(command) == 2
    assert "choose one with --named NAME" in capsys.readouterr().err
    assert main([*command, "--named", "two"]) == 0


def test_a_program_that_answers_nothing_keeps_nothing(tmp_path, capsys):
    command = ["check", spec("refuses_all"), "--json", "--examples", "40", "-o", str(tmp_path)]
    assert main([*command, "--property", "complete"]) == 3
    (answer, verdict, _) = json_lines(capsys)
    assert (answer["status"], answer["mark"]) == (3, "open")
    assert (verdict["outcome"], verdict["message"]) == ("skipped", "it answered none of the groups")
    assert main(command) == 1
    assert '"outcome":"kept"' not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("way", "broken", "status"),
    [
        ("well", set(), 0),
        ("exits", {"crash_free"}, 1),
        ("refuses", {"crash_free"}, 1),
        ("invents", {"every_member", "existing"}, 1),
        ("renames", {"every_member"}, 1),
        ("hash_order", {"deterministic"}, 1),
        ("declines_all", set(), 3),
        ("silent", set(), 3),
    ],
)
def test_check_turns_what_programs_do_into_verdicts(way, broken, status, tmp_path, capsys):
    assert (
        main(["check", spec(way), "--json", "--examples", str(some(20, 60)), "-o", str(tmp_path)]) == status
    )
    records = json_lines(capsys)
    outcomes = {r["property"]: r["outcome"] for r in records if r["record"] == "verdict"}
    assert broken <= {name for name, outcome in outcomes.items() if outcome == "broken"}
    if way == "well":
        assert outcomes["complete"] == "kept"
    if status == 3:
        assert set(outcomes.values()) <= {"skipped", "errored", "unpromised"}
    for record in records:
        if record["record"] == "finding" and record["promised"]:
            assert len(record["group"]["members"]) <= 2, record
            assert Path(record["file"]).is_file()
