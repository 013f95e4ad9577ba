"""What `kassay optimum --json` prints for applications is proved to two verifiers that share nothing, and nothing altered is."""

import json
from random import Random

import pytest
from drawing_tasks import APPLICATION, QUESTIONS, A, some_tiny
from mutations import changed
from verifying import ROOT, all_proved, alone, altered_tasks, answers, verified
from whole import some

from kassay.model.tasks_json import read_assignment, write_group
from kassay.oracles.failures import TooLargeError
from kassay.oracles.tasks.exhaustive import exhaust
from kassay.oracles.tasks.question import question
from kassay.oracles.tasks.remeasure import remeasure

SCHEMA = json.loads((ROOT / "docs/oracles/tasks-certificate.schema.json").read_text())


def stated(of):
    return json.loads(json.dumps({"family": "streams", **write_group(of)}))


@pytest.mark.parametrize("asked", QUESTIONS)
def test_every_optimum_is_proved_to_both_and_fits_the_schema(asked, folder, capsys):
    groups = [stated(some_tiny(Random(f"{asked}{n}").randrange(10**9))) for n in range(some(2, 50))]
    all_proved(folder, asked, groups, SCHEMA, capsys)


def test_the_verifier_runs_alone(folder):
    (answer,) = answers(folder, "balance,joint,moves", APPLICATION)
    files = [folder / "one.json", folder / "two.json"]
    for file, value in zip(files, (APPLICATION, answer), strict=True):
        file.write_text(json.dumps(value))
    done = alone(*files, folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("proved: nothing is better in balance,joint,moves: balance 1 (least 1), ")


def test_more_threads_than_tasks_cost_no_more(folder, capsys):
    """What is proved of a few threads more than there are tasks is what is proved of half a million."""
    few, many = (
        {**APPLICATION, "config": {}, "clients": [c | {"threads": n} for c in APPLICATION["clients"]]}
        for n in (6, 300_000)
    )
    values = []
    for of in (few, many):
        all_proved(folder, "balance,joint,moves", [of], SCHEMA, capsys)
        values.append([level["value"] for level in answers(folder, "balance,joint,moves", of)[0]["levels"]])
    assert values[0] == values[1]
    (answer,) = answers(folder, "balance,moves", many)
    capsys.readouterr()
    too_many = {**many, "clients": [c | {"threads": 2**31 - 1} for c in many["clients"]]}
    status, told, alone = verified(folder, too_many, answer, capsys)
    assert status == 2
    assert "threads in all; give at most 1000000" in told
    assert "threads are too many; give at most 1,000,000" in alone


@pytest.mark.parametrize("lot", range(some(10, 500)))
def test_what_is_altered_is_accepted_only_where_it_is_still_the_optimum(lot, folder, capsys):
    r = Random(lot)
    of, asked = some_tiny(lot), r.choice(QUESTIONS)
    try:
        _, best = exhaust(of, question(asked), most=500)
    except TooLargeError:
        best = None
    group = stated(of)
    (answer,) = answers(folder, asked, group)
    capsys.readouterr()
    for _ in range(5):
        changed = altered_tasks(r, answer)
        status, _, _ = verified(folder, group, changed, capsys)
        if status == 0 and best is not None:
            given = read_assignment(changed["assignment"])
            least = remeasure(of, best, question(asked))
            assert remeasure(of, given, question(asked)) == least
            assert {level["level"]: level["value"] for level in changed["levels"]} == least


WRONG = [
    (("question",), "beauty", 2, "asks for 'beauty'; the levels are", "is 'beauty'; give what"),
    (("question",), "counts,joint", 2, "no answer is given", "is 'counts,joint'; give what"),
    (("question",), "joint", 1, "there are 4 proofs for 1 levels", "has 4, more than one"),
    (("levels",), [], 1, "levels: states []", "answer.levels: are not"),
    (("levels", 0, "value"), 0, 1, "levels: states", "answer.levels: are not"),
    (("assignment",), {}, 1, f"assignment: client {A} is not in it", "its clients are not those of the application"),
    (("assignment", A), {}, 1, "assignment: does not give each task", "is not active once"),
    (("assignment", A, "standby"), ["0_2"], 1, "assignment: does not give each task", "answer.assignment"),
    (("certificate",), None, 2, "certificate: Expected `object`", "answer.certificate: is missing"),
    (("certificate", "loads"), {}, 1, "certificate.loads: states {}", "certificate.loads: are not"),
    (("certificate", "proved"), False, 1, "certificate.proved: states False", "certificate.proved: is not True"),
    (("certificate", "proofs"), [], 1, "levels: states", "answer.levels: are not"),
    (("certificate", "proofs", 0, "value"), 7, 1, "certificate.proofs: states", "certificate.proofs[0]: is not"),
    (("certificate", "proofs", 0, "proof"), None, 2, "Expected `object`", "is missing"),
    (("certificate", "proofs", 0, "proof", "unit"), 0, 1, "show nothing", "shows nothing"),
    (("certificate", "proofs", 0, "proof", "unit"), -1, 1, "of 0 or more", "factor of 0 or more"),
    (("certificate", "proofs", 0, "proof", "unit"), 10**300, 2, "give prices of up to 300 digits", "at most 300 digits"),
    (("certificate", "proofs", 0, "proof", "active"), {"x": 1}, 1, "names what there is not", "prices a client"),
    (("certificate", "proofs", 0, "proof", "caps"), [[0, A, 1]], 1, "names what there is not", "prices a client or cap"),
    (("certificate", "proofs", 1, "proof", "before"), [], 1, "", "one factor"),
    (("certificate", "proofs", 1, "proof", "before"), [-1], 1, "", "one factor"),
    (("certificate", "proofs", 0, "proof", "cases"), [1], 1, "", "one price for each case"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "value", "status", "ours", "theirs"), WRONG)
def test_what_is_wrong_has_its_sentence(place, value, status, ours, theirs, folder, capsys):
    (answer,) = answers(folder, "balance,joint,moves", APPLICATION)
    capsys.readouterr()
    found, told, alone = verified(folder, APPLICATION, changed(answer, place, value), capsys)
    assert found == status
    assert ours in told
    assert theirs in alone
