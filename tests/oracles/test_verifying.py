"""What `kassay optimum --json` prints is proved to a checker that shares nothing with what found it, and nothing altered is."""

import json
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from random import Random

import jsonschema
import pytest
from drawing import QUESTIONS, a_large_group, group
from hypothesis import example, given, settings
from mutations import mutated
from verifying import GROUP, ONE, SCHEMA, TINY, all_proved, alone, answers, verified

from kassay.cli import main
from kassay.families.consumer import CONSUMER
from kassay.model.partitions_json import write_group
from kassay.oracles.errors import ImpossibleError
from kassay.oracles.proof import command


@pytest.mark.parametrize("asked", QUESTIONS)
def test_every_optimum_is_proved_and_fits_the_schema(asked, folder, capsys):
    r, groups = Random(asked), []
    while len(groups) < 8:
        of = group(r)
        try:
            CONSUMER.oracles.optimum(asked, of, None)
        except ImpossibleError:
            continue
        groups.append(json.loads(json.dumps(write_group(of))))
    all_proved(folder, asked, groups, SCHEMA, capsys)


def test_the_checker_runs_alone(folder):
    (answer,) = answers(folder, "balance,moves,cross-rack", GROUP)
    files = [folder / "answer.json", folder / "group.json"]
    for file, value in zip(files, (answer, GROUP), strict=True):
        file.write_text(json.dumps(value))
    done = alone(*files, folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        done.stdout
        == "proved: nothing is better in balance,moves,cross-rack: balance 0, moves 2, cross-rack 1\n"
    )
    answer["levels"][1]["value"] = 0
    files[0].write_text(json.dumps(answer))
    done = alone(*files)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("NOT proved: levels: states [{'level': 'balance', 'value': 0, ")
    done = alone(files[0], files[0])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("wrong input: group.topics: is missing. Give a list")
    done = alone("--help")
    assert "0  every statement is proved.\n  1  a statement is false" in done.stdout
    assert alone(files[0]).returncode == 2


@settings(max_examples=50)
@given(mutated({"where": "g", **ONE}))
@example(b"[" * 100_000)
@example(b"\xff\x00")
@example(json.dumps(ONE | {"because": 0}).replace("0}", "1e999}").encode())
@example(json.dumps(ONE).replace('"balance"', '"balance\\ud800"').encode())
@example(b"\xef\xbb\xbf" + json.dumps(ONE).encode())
def test_mutated_text_has_one_verdict(folder, text):
    (folder / "one.json").write_text(json.dumps(TINY))
    (folder / "mutated.json").write_bytes(text)
    files = str(folder / "mutated.json"), str(folder / "one.json")
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        ours, theirs = main(["optimum", "--verify", *files]), command.main(files)
    assert ours == theirs in (0, 1, 2)


def test_an_interval_is_no_proof_and_says_so(folder, capsys):
    of = write_group(a_large_group())
    (folder / "large.json").write_text(json.dumps(of))
    limited = (
        "optimum",
        "balance,cross-rack,moves",
        str(folder / "large.json"),
        "--time-limit",
        "0.000001",
        "--json",
    )
    assert main([*limited]) == 3
    answer = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, SCHEMA, jsonschema.Draft202012Validator)
    assert answer["certificate"]["proved"] is False
    status, said = verified(folder, of, answer, capsys)
    assert status == 1
    assert "what it states holds, but it does not prove an optimum: balance 0 to " in said
    answer["levels"][0]["least"] += 1
    assert "what it states holds" not in verified(folder, of, answer, capsys)[1]


def test_a_large_certificate_is_smaller_than_the_assignment():
    of = a_large_group()
    for asked in ("balance,moves,cross-rack", "co-partition"):
        best = CONSUMER.oracles.optimum(asked, of, None)
        size = len(json.dumps({**best.certificate, "loads": None}))
        assert size < len(json.dumps(CONSUMER.shape.write_assignment(best.assignment))) / 3


def test_prices_may_leave_64_bits(folder, two_levels, capsys):
    """Where all ask the same more for each slot of loads that are given, nothing changes."""
    for more in (2**61, -(2**61), 2**64, 10**40, -(10**299)):
        answer = json.loads(two_levels)
        (part,) = answer["certificate"]["parts"]
        for row in (part["price"], *part["except"].values()):
            row[1] += more
        status, said = verified(folder, GROUP, answer, capsys)
        assert (status == 0) == (part["price"][0] % 2 == 0 or more > 0), said
