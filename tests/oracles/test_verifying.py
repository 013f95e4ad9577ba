"""What `kassay optimum --json` prints is proved to a checker that shares nothing with what found it, and nothing altered is."""

import json
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from random import Random

import jsonschema
import pytest
from drawing import QUESTIONS, a_large_group, asking, group
from hypothesis import example, given, settings
from mutations import mutated
from second_opinions.every_assignment import exhaust
from verifying import GROUP, ONE, SCHEMA, TINY, all_proved, alone, altered, answers, verified

from kassay.cli import main
from kassay.families.consumer import CONSUMER
from kassay.model.partitions_json import read_assignment, write_group
from kassay.oracles.errors import ImpossibleError
from kassay.oracles.partitions.question import question, remeasure
from kassay.oracles.proof import command
from kassay.oracles.proof.reading import WrongInputError
from kassay.properties.consumer import MEASURES


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
    assert done.stderr.startswith("wrong input: group.topics: is missing; give a list")
    done = alone("--help")
    assert "exit status: 0: all that is stated is proved; 1: something stated is not so" in done.stdout
    assert alone(files[0]).returncode == 2


def worth(of, asked, given):
    """What `exhaust` says of an assignment; it tries only even ones under the range contract, and calls that 0."""
    value = remeasure(of, given, asked) | {
        "balance": 0 if asked.together else MEASURES["square_imbalance"](of, given)
    }
    return tuple(value[level] for level in asked.levels)


@pytest.mark.parametrize("lot", range(4))
def test_what_is_altered_is_accepted_only_where_it_is_optimal(lot):
    r, accepted, refused, wrong = Random(lot), 0, 0, 0
    for n in range(40):
        asked = QUESTIONS[(n + lot * 40) % len(QUESTIONS)]
        of = asking(r, asked)
        try:
            best = CONSUMER.oracles.optimum(asked, of, None)
        except ImpossibleError:
            continue
        data = json.loads(json.dumps(write_group(of)))
        answer = {
            "question": asked,
            "levels": [
                {"level": e.name, "value": e.value, "least": e.least, "proved": True} for e in best.levels
            ],
            "assignment": CONSUMER.shape.write_assignment(best.assignment),
            "certificate": best.certificate,
        }
        answer = json.loads(json.dumps(answer))
        for _ in range(12):
            changed = altered(r, answer)
            if r.random() < 0.3:
                changed = altered(r, changed)
            try:
                ours, _ = command.verified("partitions", data, changed)
            except WrongInputError:
                ours = None
            accepted, refused, wrong = (
                accepted + (ours is True),
                refused + (ours is False),
                wrong + (ours is None),
            )
            if ours:
                text, given = changed["question"], read_assignment(changed["assignment"])
                assert worth(of, question(text), given) == exhaust(of, question(text))[0]
                shown = {level["level"]: level["value"] for level in changed["levels"]}
                assert shown == remeasure(of, given, question(text))
    assert min(accepted, refused, wrong) > 20, (accepted, refused, wrong)


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
    limited = [
        "optimum",
        "balance,cross-rack,moves",
        str(folder / "large.json"),
        "--time-limit",
        "0.000001",
        "--json",
    ]
    assert main(limited) == 3
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
