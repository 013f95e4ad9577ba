"""Whole command lines take a day's share of nearly right documents, and what they must not do is found."""

import json
import os
import random
import signal
import time

import pytest

pytest.importorskip("pyarrow", reason="pip install 'kassay[reports]'")

from fuzzing import command_lines as lines_of
from fuzzing.command_lines import CommandLine, command_lines, find_trouble
from fuzzing.fuzz import fuzz, mutate, mutate_structure, vocabulary
from whole import seed_of_the_day, some


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return command_lines(tmp_path_factory.mktemp("lines"))


@pytest.fixture
def ended(monkeypatch):
    """How commands ended."""
    found, run = [], lines_of.run_command
    monkeypatch.setattr(lines_of, "run_command", lambda *given: found.append(run(*given)) or found[-1])
    return found


def test_a_share_of_the_inputs(known, tmp_path, capsys):
    first = seed_of_the_day() * 1000
    numbers = range(first, first + some(60, 1000))
    assert fuzz(known, 0, numbers, tmp_path, find_trouble) == 0, capsys.readouterr().out


def test_every_reader_has_a_command_line(known):
    files = {line.name for line in known.values()}
    assert files >= {
        *[
            "input",
            "kassay.toml",
            "pyproject.toml",
            ".kassay/failures.json",
            "sweep/run.json",
            "f/consumer.json",
        ]
    }
    options = {word for line in known.values() for word in line.words if word.startswith("--")}
    assert {
        "--group", "--racks", "--member-racks", "--earlier", "--end-offsets", "--command-config", "--weights", "--baseline",
        "--write-baseline", "--verify", "--replay", "--sweep", "--fixtures", "--known",
    } <= options  # fmt: skip
    assert {line.words[0] for line in known.values()} >= {
        "assign", "check", "compare", "diff", "explain", "fixtures", "frontier", "import", "optimum", "over-time", "playground",
        "scoreboard", "simulate", "sweep", "what-if",
    }  # fmt: skip


@pytest.mark.parametrize(
    "name",
    ["consumer: compare", "streams: optimum", "listing: import", "racks", "weights", "baseline", "scoreboard", "replay",
     "certificate: balance,moves", "fixtures: diff consumer", "finding", "sweep: run", "end offsets", "diff: check"],
)  # fmt: skip
def test_documents_are_taken_as_they_are(name, known, ended):
    for document in known[name].documents[:2]:
        assert find_trouble(known[name], document) is None
        assert ended[-1].status in {0, 1}, ended[-1].told


def raise_error():
    raise KeyError("planted")


def tell_nothing():
    return 2


def tell_bug():
    from kassay.cli import report_bug

    return report_bug(ValueError("planted"))


def take_memory():
    held = bytearray(1200 * 2**20)
    held[::4096] = b"x" * len(held[::4096])
    return len(held) * 0


def wait_for_ever():
    time.sleep(60)
    return 0


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def print_nonsense():
    print("{")
    return 0


@pytest.mark.parametrize(
    ("act", "said"),
    [(raise_error, "planted"), (tell_nothing, "without a sentence"), (tell_bug, "planted"), (take_memory, "MB"),
     (wait_for_ever, "seconds"), (die, "ended with -9"), (lambda: 70, "ended with 70"), (print_nonsense, "no JSON"), (lambda: 0, None)],
)  # fmt: skip
def test_what_a_command_must_not_do_is_found(act, said, monkeypatch):
    monkeypatch.setattr(lines_of, "main", lambda _words: act())
    if act is wait_for_ever:
        monkeypatch.setattr(lines_of, "LONGEST_S", 1)
    found = find_trouble(CommandLine(("list", "--json"), (b"",)), b"")
    assert found is None if said is None else said in found


def test_documents_are_changed_by_their_structure():
    rng = random.Random(0)
    value = {"a": [1, 2, {"b": "x"}], "c": "y"}
    for _ in range(200):
        json.loads(mutate_structure(json.dumps(value).encode(), rng))
    lines = b'{"a": 1}\n{"b": 2}'
    changed = {mutate_structure(lines, rng) for _ in range(50)}
    assert all(b'{"a": 1}' in one or b'{"b": 2}' in one for one in changed)
    settings = {mutate_structure(b"a = 1\nb = 2\n", rng) for _ in range(200)}
    assert any(b"a = 1" in one for one in settings)
    assert any(b"b =" in one and b"b = 2" not in one for one in settings)
    table = b"GROUP TOPIC PARTITION\ng t 0\ng t 1"
    assert len({mutate_structure(table, rng) for _ in range(200)}) > 50
    assert mutate_structure(b"\xff", rng) is None


def test_values_stand_where_values_of_their_kind_stood():
    documents = (b'{"a": [{"b": "x"}, {"b": "y"}], "c": 1}', b'{"a": [], "c": 7}')
    words = vocabulary(documents)
    assert (words["b"], words["c"]) == (["x", "y"], [1, 7])
    rng = random.Random(1)
    for _ in range(300):
        changed = json.loads(mutate_structure(documents[0], rng, words))
        if "a" in changed:
            assert {type(each.get("b")) for each in changed["a"]} <= {str}
            assert type(changed["c"]) is int


def test_most_commands_read_what_they_are_given(known, ended):
    """A fuzzer whose documents are all refused at once would find nothing."""
    few = {
        name: known[name]
        for name in ("consumer: assign", "connect: assign", "listing: import", "weights", "finding", "racks")
    }
    for name, line in few.items():
        rng = random.Random(name)
        for _ in range(6):
            find_trouble(line, mutate(rng.choice(line.documents), rng, vocabulary(line.documents)))
    assert sum(one.status != 2 for one in ended) > len(ended) / 5
