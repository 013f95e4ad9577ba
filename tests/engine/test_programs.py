"""Programs broken in one way each give verdicts, never tracebacks; what they may take is limited, and a crash says where it was."""

import json
import os
import sys
import time
from pathlib import Path

import pytest
from printed import json_lines
from whole import some

from kassay.cli import main
from kassay.errors import DiedError, InputError, SkippedError, TargetGoneError
from kassay.families import family
from kassay.model import MOST_SAID, AssignorError, Group, Member, Topic, TopicPartition
from kassay.model.partitions_json import write_group
from kassay.targets import Limits, Options, open_target
from kassay.targets.target import wrap_failures, wrap_function

SPEAKER = Path(__file__).parents[1] / "programs" / "speaker.py"
ONE = Group((Topic("t", 2),), (Member("a", ("t",)),))
TWO = Group((Topic("t", 2),), (Member("a", ("t",)), Member("b", ("t",))))


def spec(way: str) -> str:
    return f"exec:{sys.executable} {SPEAKER} {way}"


def test_a_module_that_ends_in_silence_is_not_said_to_warn(tmp_path, monkeypatch):
    """Python itself warns of the way in which kassay runs a module; that is no error of the target."""
    (tmp_path / "ends_at_once.py").write_text("import sys\n\ndef assign(group):\n    sys.exit(7)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with open_target("python:ends_at_once:assign", Options()) as target:
        with pytest.raises(DiedError) as died:
            target.assign(TWO)
        assert str(died.value) == "it ended with exit status 7 instead of an answer"


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
        ("repeats", "the key 'assignment' stands twice in one object. Give it once"),
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
    with pytest.raises(InputError, match="Quote"):
        open_target("exec:'unclosed", Options())
    with pytest.raises(TargetGoneError, match="exit status 3"):
        open_target(spec("silent"), Options())
    with pytest.raises(TargetGoneError, match="answered the first line wrongly: assignors: Expected `array`"):
        open_target(spec("greets_wrongly"), Options())
    with pytest.raises(InputError, match=r"offers no assignor. Name one under `assignors`"):
        open_target(spec("offers_nothing"), Options())
    with pytest.raises(InputError, match=r"one, two. Choose one with --assignor-name"):
        open_target(spec("two"), Options())
    with open_target(spec("two"), Options(assignor="two")) as target:
        assert list(target.assign(ONE)) == ["a"]


def test_one_assignor_of_several_is_named(tmp_path, capsys):
    command = ["check", spec("two"), "--property", "deterministic", "--examples", "5", "-o", str(tmp_path)]
    assert main(command) == 2
    assert "Choose one with --assignor-name NAME" in capsys.readouterr().err
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


def outcomes(capsys):
    return {one["property"]: (one["outcome"], one["message"]) for one in json_lines(capsys, "verdict")}


@pytest.mark.parametrize(
    ("way", "more", "seconds"),
    [
        ("hangs", ["--timeout", "0.2", "--start-timeout", "10", "--wait", "1"], 1),
        ("closes", ["--timeout", "0.2", "--start-timeout", "10", "--wait", "3"], 3),
        ("exits", ["--deaths", "8"], 3),
    ],
)
def test_a_target_that_does_not_answer_is_broken_and_then_asked_no_more(way, more, seconds, tmp_path, capsys):
    asked = ["--property", "complete", "--property", "crash_free", "--json", "-o", str(tmp_path)]
    start = time.monotonic()
    assert main(["check", spec(way), *asked, *more]) == 1
    assert time.monotonic() - start < seconds + 8  # what is done besides waiting
    found = outcomes(capsys)
    assert found.pop("crash_free")[0] == "broken"
    assert found["complete"][0] == "errored"
    assert "Allow more with --time-budget and --max-crashes" in found["complete"][1]


@pytest.mark.parametrize(("deaths", "rest"), [(100, "skipped"), (2, "errored")])
def test_a_target_that_dies_only_on_groups_of_laws_is_not_free_of_crashes(deaths, rest, tmp_path, capsys):
    """Its answer to the group itself is fine; the law's own promise could not be told."""
    (tmp_path / "groups.jsonl").write_text(3 * f"{json.dumps(write_group(TWO))}\n")
    promised = [f"--promise={name}" for name in ("member_order_independent", "crash_free", "complete")]
    command = ["check", spec("exits_backwards"), "--group", str(tmp_path / "groups.jsonl"), *promised]
    assert main([*command, "--json", "--deaths", str(deaths), "-o", str(tmp_path)]) == 1
    found = outcomes(capsys)
    assert found["crash_free"] == ("broken", "it fails: it ended with exit status 7 instead of an answer")
    assert found["member_order_independent"][0] == rest
    assert found["complete"][0] == ("kept" if rest == "skipped" else "errored")
    (finding,) = tmp_path.glob("finding-*.json")
    first, second = json.loads(finding.read_text())["group"]["members"]
    assert first["id"] > second["id"]
    assert main(["explain", str(finding), "--trust"]) == 1


def test_deaths_count_for_both_processes_of_a_target_and_time_only_where_it_is_lost():
    with open_target(spec("well"), Options(limits=Limits(waiting_s=30))) as target:
        for _ in range(300):
            target.assign(TWO)
        assert target.account.waited < 5
    with open_target(spec("exits"), Options(limits=Limits(deaths=3))) as target:
        for assign in (target.assign, target.again, target.assign):
            with pytest.raises(DiedError):
                assign(TWO)
        with pytest.raises(TargetGoneError, match="died or hung 3 times, last because it ended with exit"):
            target.assign(ONE)
    with open_target(spec("hangs"), Options(0.2, limits=Limits(waiting_s=30))) as target:
        target.account.waited = 29.9
        with pytest.raises(DiedError, match=r"gave no answer within 0\.2 seconds"):
            target.assign(TWO)
        with pytest.raises(TargetGoneError, match=r"was waited for 30\.\d seconds and died or hung 1 times"):
            target.assign(ONE)


def test_a_process_that_had_no_time_left_to_start_is_told_so():
    with open_target(spec("exits"), Options(limits=Limits(waiting_s=30))) as target:
        target.account.waited = 29.9999
        with pytest.raises(DiedError):
            target.assign(TWO)
        target.account.waited = 29.9999
        with pytest.raises(TargetGoneError, match="was waited for 30"):
            target.assign(ONE)


def test_the_first_line_obeys_the_timeout(tmp_path, capsys):
    start = time.monotonic()
    command = ["check", spec("mute"), "-o", str(tmp_path)]
    assert main([*command, "--timeout", "0.3"]) == 3
    assert time.monotonic() - start < 10
    said = " ".join(capsys.readouterr().out.split())  # wherever the line is broken: the paths in it differ
    assert "gave no answer within 0.3 seconds, when asked for its assignors" in said
    assert "property" not in said, "a program that never ran has no table"
    assert said.startswith("INCONCLUSIVE ")
    assert said.rstrip().endswith("Exit status 3: no conclusion.")


def test_a_line_that_is_no_json_is_quoted_and_a_long_one_cut():
    short = Options(timeout_s=20, limits=Limits(line_mb=1))
    said = "is not JSON: 'oops, a debug line'"
    with open_target(spec("babbles"), short) as target, pytest.raises(DiedError, match=said):
        target.assign(TWO)
    said = "over 1 MB in one answer"
    with open_target(spec("floods"), short) as target, pytest.raises(DiedError, match=said):
        target.assign(TWO)


@pytest.mark.parametrize("way", ["rants", "declines_at_length"])
def test_what_a_target_says_is_cut(way, tmp_path, capsys):
    with (
        open_target(spec(way), Options()) as target,
        pytest.raises(Exception, match=r"\(3,000,000 ch") as said,
    ):
        target.assign(TWO)
    assert len(str(said.value)) < MOST_SAID + 50
    asked = ["--json", "--examples", "20", "--property", "crash_free", "-o", str(tmp_path)]
    main(["check", spec(way), *asked])
    assert len(capsys.readouterr().out) < 100_000


def test_a_python_target_has_no_more_memory_than_is_allowed(tmp_path, monkeypatch, capsys):
    (tmp_path / "hog.py").write_text("def assign(group):\n    bytes(2**30)\n    return {}\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    group = tmp_path / "group.json"
    group.write_text('{"topics": [], "members": []}')
    command = ["assign", "python:hog:assign", str(group), "--timeout", "60"]
    assert main([*command, "--memory-mb", "800"]) == 3
    assert "MemoryError" in capsys.readouterr().out
    assert main([*command, "--memory-mb", "0"]) == 0


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["--wait", "0"], "'0' is no time in seconds"),
        (["--start-timeout", "x"], "'x' is no time in seconds"),
        (["--deaths", "0"], "is 0. Give 1 or more"),
        (["--answer-mb", "-1"], "'-1' is no whole number from 0"),
        (["--memory-mb", "much"], "'much' is no whole number from 0"),
    ],
)
def test_a_wrong_limit_is_2(option, said, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["check", "consumer/range", *option])
    assert said in capsys.readouterr().err


def test_a_failure_of_a_reference_is_cut_too():
    assert str(AssignorError("x" * 10_000)).endswith("... (10,000 characters)")
    assert len(AssignorError("", "y" * 10_000).stack) < MOST_SAID + 50


CONSUMER = family("consumer")
SINGLE = Group((Topic("t", 1),), (Member("a", ("t",)),))
THEIRS = """
def owner(members):
    return members[7]

def assign(group):
    if sum(topic.partitions for topic in group.topics) == 0:
        return {}[0]
    return {owner(group.members).id: []}
"""


@pytest.fixture
def theirs(tmp_path, monkeypatch):
    (tmp_path / "theirs.py").write_text(THEIRS)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)
    return "python:theirs:assign"


def test_a_failure_has_the_frames_of_the_users_code_innermost_first(theirs):
    with open_target(theirs, Options()) as target, pytest.raises(AssignorError) as failed:
        target.assign(SINGLE)
    assert str(failed.value) == "IndexError: tuple index out of range"
    assert failed.value.stack.splitlines() == [
        "theirs.py:3 in owner: return members[7]",
        "theirs.py:8 in assign: return {owner(group.members).id: []}",
    ]


def test_each_place_of_a_crash_is_a_finding_with_file_and_line(theirs, tmp_path, capsys):
    out = str(tmp_path / "out")
    arguments = ["check", theirs, "--property", "crash_free", "--examples", "150", "-o", out]
    assert main([*arguments, "--json"]) == 1
    found = json_lines(capsys, "finding")
    assert [one["stack"].partition(":")[2].partition(" ")[0] for one in found] == ["3", "7"]
    assert [one["messages"] for one in found] == [
        ["it fails: IndexError: tuple index out of range"],
        ["it fails: KeyError: 0"],
    ]
    assert found[0]["count"] > found[1]["count"]
    assert main(arguments) == 1
    assert "theirs.py:3 in owner: return members[7]" in capsys.readouterr().out
    assert main(["explain", found[0]["file"], "--trust"]) == 1
    assert "theirs.py:3 in owner: return members[7]" in capsys.readouterr().out


def test_frames_of_kassay_are_left_out_and_reference_assignors_own_stay():
    def broken(_):
        raise KeyError("m")

    with pytest.raises(AssignorError) as failed:
        wrap_failures(broken)(SINGLE)
    assert failed.value.stack.splitlines() == [
        line for line in failed.value.stack.splitlines() if "test_programs.py" in line
    ]
    assert "in broken" in failed.value.stack


def test_plain_tuples_and_lists_are_assignments_and_anything_else_is_said_to_be_none():
    for given in ({"a": [("t", 0)]}, {"a": (["t", 0],)}, {"a": [list(p) for p in [("t", 0)]]}):
        assert wrap_function(lambda _, given=given: given, CONSUMER)(SINGLE) == {"a": (("t", 0),)}
    for given in (None, [], {"a": 3}, {"a": [3]}, {"a": ["t-0"]}, {3: []}, {"a": [("t", "0")]}):
        with pytest.raises(AssignorError, match="no assignment"):
            wrap_function(lambda _, given=given: given, CONSUMER)(SINGLE)
