"""A level that kassay does not have is checked by one line in the checker's table of its shape."""

import pytest

from kassay.oracles.proof import applications, groups
from kassay.oracles.proof.command import verify_answer
from kassay.oracles.proof.roles import Costs

GROUP = {
    "topics": [{"name": "t", "partitions": 2, "racks": [["a"], ["b"]]}],
    "members": [{"id": m, "topics": ["t"], "rack": rack} for m, rack in (("m", "a"), ("n", "b"))],
}
A, B = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2))
APPLICATION = {
    "tasks": [{"id": "0_0"}, {"id": "0_1"}],
    "clients": [{"id": A, "threads": 1, "active": ["0_0"]}, {"id": B, "threads": 1, "active": ["0_1"]}],
}


def answer(level, value, assignment, certificate):
    return {
        "question": level,
        "levels": [{"level": level, "value": value, "least": 0, "proved": value == 0}],
        "assignment": assignment,
        "certificate": {"proved": value == 0, **certificate},
    }


@pytest.mark.parametrize(
    ("value", "given"), [(0, {"m": [["t", 1]], "n": [["t", 0]]}), (6, {"m": [["t", 0]], "n": [["t", 1]]})]
)
def test_of_groups(value, given, monkeypatch):
    """Three for each partition that is read in a rack of its own."""
    part = {"topics": ["t"], "value": [value], "least": [0], "price": [0], "except": {}}
    stated = answer("apart", value, given, {"loads": {"m": 1, "n": 1}, "parts": [part]})
    with pytest.raises(ValueError, match="question: is 'apart'"):
        verify_answer("partitions", GROUP, stated)
    monkeypatch.setattr(groups, "LEVELS", (*groups.LEVELS, "apart"))
    monkeypatch.setitem(groups.IN_RACK, "apart", lambda near, home: 3 * sum(home in racks for racks in near))
    proved, said = verify_answer("partitions", GROUP, stated)
    assert proved is (value == 0), said
    assert said.endswith("apart 0" if proved else "apart 0 to 6")


@pytest.mark.parametrize(("value", "given"), [(0, (["0_1"], ["0_0"])), (2, (["0_0"], ["0_1"]))])
def test_of_applications(value, given, monkeypatch):
    """One for each task that stays where it ran."""

    def stays(facts):
        return Costs(gains=[dict.fromkeys(ran, (-1, 0)) for ran, *_ in facts.claims])

    proof = {"by": "prices", "unit": 1, "before": [], "active": {}, "every": {}, "caps": [], "cases": []}
    proofs = [{"level": "stays", "value": value, "least": 0, "proof": proof}]
    loads = {A: [1, 1], B: [1, 1]}
    assignment = {name: {"active": tasks} for name, tasks in zip((A, B), given, strict=True)}
    stated = answer("stays", value, assignment, {"loads": loads, "proofs": proofs})
    monkeypatch.setitem(applications.LEVELS, "stays", stays)
    proved, said = verify_answer("tasks", APPLICATION, stated)
    assert proved is (value == 0), said
