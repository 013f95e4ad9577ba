"""What `kassay optimum --json` prints for applications is proved to a checker that shares nothing with what found it, and nothing altered is."""

import json
from random import Random

import pytest
from drawing_tasks import APPLICATION, QUESTIONS, some_tiny
from verifying import ROOT, all_proved, answers, verified
from whole import cases

from kassay.model.tasks_json import write_group

SCHEMA = json.loads((ROOT / "docs/reference/tasks-certificate.schema.json").read_text())


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
    assert "threads are too many. Give at most 1,000,000" in said
