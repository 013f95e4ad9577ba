"""What `kassay optimum --json` prints for applications is proved to a checker that shares nothing with what found it, and nothing altered is."""

import json
from random import Random

import pytest
from drawing_tasks import APPLICATION, QUESTIONS, A, some_tiny
from mutations import changed
from verifying import ROOT, all_proved, answers, verified
from whole import cases

from kassay.model.tasks_json import write_group

SCHEMA = json.loads((ROOT / "docs/oracles/tasks-certificate.schema.json").read_text())


def stated(of):
    return json.loads(json.dumps({"family": "streams", **write_group(of)}))


@pytest.mark.parametrize("asked", QUESTIONS)
def test_every_optimum_is_proved_and_fits_the_schema(asked, folder, capsys):
    groups = [stated(some_tiny(Random(f"{asked}{n}").randrange(10**9))) for n in cases(2, 50)]
    all_proved(folder, asked, groups, SCHEMA, capsys)


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
    status, said = verified(folder, too_many, answer, capsys)
    assert status == 2
    assert "threads are too many; give at most 1,000,000" in said


WRONG = [
    (("question",), "beauty", 2, "question: is 'beauty'; give what"),
    (("question",), "counts,joint", 2, "question: is 'counts,joint'; give what"),
    (("question",), "joint", 1, "certificate.proofs: has more than one for each level"),
    (("levels",), [], 1, "levels: states [], but it is"),
    (("levels", 0, "value"), 0, 1, "levels: states [{'level': 'balance', 'value': 0"),
    (("assignment",), {}, 1, "its clients are not those of the application"),
    (("assignment", A), {}, 1, "does not give each task to one client"),
    (("assignment", A, "standby"), ["0_2"], 1, "0_2, which there is not or it has already"),
    (("certificate",), None, 2, "certificate: is null; give an object"),
    (("certificate", "loads"), {}, 1, "certificate.loads: states {}"),
    (("certificate", "proved"), False, 1, "certificate.proved: states False"),
    (("certificate", "proofs"), [], 1, "levels: states [{'level'"),
    (("certificate", "proofs", 0, "value"), 7, 1, "certificate.proofs[0]: states {'level': 'balance', 'value': 7"),
    (("certificate", "proofs", 0, "proof"), None, 2, "proof: is null; give an object"),
    (("certificate", "proofs", 0, "proof", "unit"), 0, 1, "is of the unit 0, and shows nothing"),
    (("certificate", "proofs", 0, "proof", "unit"), -1, 1, "factor of 0 or more"),
    (("certificate", "proofs", 0, "proof", "unit"), 10**300, 2, "give prices of up to 300 digits"),
    (("certificate", "proofs", 0, "proof", "active"), {"x": 1}, 1, "names a client or a cap that there is not"),
    (("certificate", "proofs", 0, "proof", "caps"), [[0, A, 1]], 1, "names a client or a cap that there is not"),
    (("certificate", "proofs", 1, "proof", "before"), [], 1, "one factor of 0 or more for each level before"),
    (("certificate", "proofs", 1, "proof", "before"), [-1], 1, "one factor of 0 or more"),
    (("certificate", "proofs", 0, "proof", "cases"), [1], 1, "cases: give a price for each"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "value", "status", "says"), WRONG)
def test_what_is_wrong_has_its_sentence(place, value, status, says, folder, capsys):
    (answer,) = answers(folder, "balance,joint,moves", APPLICATION)
    found, said = verified(folder, APPLICATION, changed(answer, place, value), capsys)
    assert found == status
    assert says in said
