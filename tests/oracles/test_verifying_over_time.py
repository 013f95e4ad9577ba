"""What `kassay over-time --json` prints of an optimum is proved by its certificate and its assignments, and nothing altered is."""

import json
import re
from random import Random

import pytest
from altering import HOW, keys, text
from drawing_tasks import APPLICATION
from mutations import changed
from verifying import CLUSTER
from whole import WHOLE

from kassay.cli import main
from kassay.oracles.assignment import sequence_optimum as over
from kassay.oracles.proof import command
from kassay.oracles.proof.over_time import of_partitions

GROUP = {
    "topics": [{"name": "a", "partitions": 5, "racks": [["r"], ["s"], ["r"], ["s"], ["r"]]}, {"name": "b", "partitions": 2}],
    "members": [{"id": f"m{n}", "topics": ["a", "b"] if n else ["a"], "rack": "rs"[n % 2]} for n in range(3)],
}  # fmt: skip
TASKS = {
    "family": "streams",
    "tasks": [{"id": f"0_{n}", "stateful": n > 0} for n in range(4)],
    "clients": [
        {"id": f"00000000-0000-0000-0000-00000000000{n}", "threads": 1, "lags": dict.fromkeys(("0_1", "0_2", "0_3"), 0)}
        for n in range(1, 4)
    ],
    "config": {"num.standby.replicas": 1},
}  # fmt: skip


@pytest.fixture
def asked(tmp_path, capsys):
    """Asks for the optimum of a sequence, and checks answers to it: status, what is proved, sentence."""
    group, answers = tmp_path / "group.json", tmp_path / "answers.jsonl"
    what = ["--group", str(group), "--restart", "1"]

    def best(data, question=None):
        group.write_text(json.dumps(data))
        target = {"streams": "streams/sticky", "connect": "connect/eager"}.get(
            data.get("family"), "consumer/sticky"
        )
        more = [] if question is None else ["--question", question]
        main(["over-time", target, *what, *more, "--json"])
        return next(map(json.loads, capsys.readouterr().out.splitlines()))

    def check(answer):
        answers.write_text(answer if isinstance(answer, str) else json.dumps(answer))
        status = main(["over-time", "--verify", str(answers), *what, "--json"])
        told = capsys.readouterr()
        assert "bug of kassay" not in told.err
        said = json.loads(told.out) if told.out else {"proved": None, "sentence": told.err}
        if status != 2:  # where a file has no such record, only one of them says so
            assert command.main([str(answers), str(group), "--restart", "1"]) == status
            assert (
                capsys.readouterr().out.strip() == said["sentence"][:1000].encode("unicode_escape").decode()
            )
        return status, said["proved"], said["sentence"]

    return best, check


@pytest.mark.parametrize("data", [GROUP, TASKS], ids=["group", "application"])
def test_an_optimum_is_proved(data, asked):
    best, check = asked
    answer = best(data)
    status, proved, said = check(answer)
    assert (status, proved) == (0, True), said
    assert said.startswith(
        f"proved: no sequence has less in {answer['question']}: moves {answer['totals'][0]['value']}, "
    )


@pytest.mark.parametrize("data", [GROUP, TASKS], ids=["group", "application"])
def test_what_is_false_is_refused(data, asked):
    best, check = asked
    answer = best(data)
    for path, value, names in (
        (("totals", 0, "value"), answer["totals"][0]["value"] - 1, "totals: states [{'name': 'moves'"),
        (("totals", 0, "least"), 0, "totals: states [{'name': 'moves'"),
        (("totals", 1, "proved"), False, "totals: states [{'name': 'moves'"),
        (("certificate", "proofs", 0, "bound"), answer["certificate"]["proofs"][0]["bound"] + 1, "does not prove that"),
        (("certificate", "proofs", 0, "weights"), [0, 1], "NOT proved"),
        (("rebalances",), 1, "rebalances: states 1, but it is 3"),
        (("certificate", "proofs"), [], "proofs: none is by weights with which each level decides"),
        (("assignments", 1), answer["assignments"][0], "assignments[1].assignment: its "),
        (("assignments",), answer["assignments"][:-1], "assignments: their number: states 2, but it is 3"),
        (("assignments",), answer["assignments"] + answer["assignments"][:1], "assignments: their number: states 4, but it is 3"),
    ):  # fmt: skip
        status, proved, said = check(changed(answer, path, value))
        assert (status, proved) == (1, False), (path, said)
        assert names in said


def test_less_even_assignments_prove_nothing(asked):
    best, check = asked
    answer = best(GROUP)
    first = answer["assignments"][0]["assignment"]
    for member in ("m1", "m2"):
        while len(first[member]) > 1 and (movable := [each for each in first[member] if each[0] == "a"]):
            first[member].remove(movable[0])
            first["m0"].append(movable[0])
    status, proved, said = check(answer)
    assert (status, proved) == (1, False)
    assert "less even than can be" in said


SPREAD = "balance,topic-spread,moves"


def test_an_optimum_with_topics_spread_is_proved_by_prices_of_each_rebalance(asked):
    best, check = asked
    answer = best(GROUP, SPREAD)
    status, proved, said = check(answer)
    assert (status, proved) == (0, True), said
    other_way_round = [
        {kind: dict(reversed(prices.items())) for kind, prices in each.items()}
        for each in answer["certificate"]["spread"]
    ]
    assert check(changed(answer, ("certificate", "spread"), other_way_round))[:2] == (0, True)
    for path, value, says in (
        (("certificate", "spread", 0, "topics", "b"), [0, 0], "the prices of rebalance 1 do not prove"),
        (("certificate", "spread", 1, "topics"), {}, "certificate.spread[1]: does not price each member"),
        (("certificate", "spread"), answer["certificate"]["spread"][1:], "certificate.spread: has no valid value. Give prices for each"),
        (("certificate", "spread", 0, "topics", "b"), [10**300, 0], "certificate.spread[0]: has no valid value. Give prices of up to 300"),
        (("certificate", "spread", 0, "topics", "b"), [0], "certificate.spread[0].topics.b: "),
        (("assignments",), best(GROUP, "balance,moves")["assignments"], "the prices of rebalance "),
    ):  # fmt: skip
        status, proved, said = check(changed(answer, path, value))
        assert status in (1, 2)
        assert not proved
        assert says in said
    del answer["certificate"]["spread"]
    assert (
        "certificate.spread: has no valid value. Give prices if, and only if, topic-spread is asked"
        in check(answer)[2]
    )
    more = changed(best(GROUP, "balance,moves"), ("certificate", "spread"), [])
    assert (
        "certificate.spread: has no valid value. Give prices if, and only if, topic-spread is asked"
        in check(more)[2]
    )


def test_prices_that_no_assignment_is_least_at_would_prove_whatever_is_wanted(asked, monkeypatch):
    best, check = asked
    wrong = best(GROUP, SPREAD)
    (proof,) = wrong["certificate"]["proofs"]
    asks = wrong["certificate"]["spread"][1]["topics"]
    asks["a"] = [asks["a"][0], asks["a"][1] + 40]  # twenty partitions at least for each reader
    proof["proof"]["rows"][2] = [0] * 2 + [720_720] * (len(proof["proof"]["rows"][2]) - 2)
    given = wrong["assignments"][2]["assignment"]
    giver, taker = [m for m in given if sum(topic == "a" for topic, _ in given[m]) == 2][:2]
    for n in (0, 1):  # as even, and more moves
        own, others = given[giver][n], given[taker][n]
        given[giver][n], given[taker][n] = others, own
    (total,) = wrong["totals"]
    assert check(wrong)[1] is False
    monkeypatch.setattr(of_partitions, "has_least", lambda *_: True)
    says = check(wrong)[2]
    moved = int(re.search(r"but it is \[\{'name': 'moves', 'least': \d+, 'value': (\d+)", says)[1])
    assert moved > total["value"]
    proof["bound"] = total["least"] = total["value"] = moved
    assert check(wrong)[:2] == (0, True)
    monkeypatch.undo()
    assert "the prices of rebalance 2 do not prove that its topics are spread" in check(wrong)[2]


def test_a_place_is_priced_once(asked):
    best, check = asked
    answer = best(GROUP)
    proof = answer["certificate"]["proofs"][0]["proof"]
    side = proof | {"places": [[0, 0, 0, 0]]}
    divided = {"place": [0, 0, 0], "most": 1, "fewer": side, "more": side}
    whole = changed(answer, ("certificate", "proofs", 0, "proof"), divided)
    assert check(whole)[:2] == (0, True)
    for price in (0, 720_720):
        twice = [[0, 0, 0, price], [0, 0, 0, 0]]
        status, proved, said = check(
            changed(whole, ("certificate", "proofs", 0, "proof", "fewer", "places"), twice)
        )
        assert (status, proved) == (1, False)
        assert "proof.fewer.places: prices one place twice" in said


@pytest.mark.parametrize("question", [None, SPREAD])
def test_a_bound_is_no_optimum(question, asked, monkeypatch):
    best, check = asked
    monkeypatch.setattr(over, "PAIRS", 0)
    answer = best(GROUP, question)
    assert answer["assignments"] == []
    status, proved, said = check(answer)
    assert (status, proved) == (3, None)
    assert said.startswith("what it states holds, but it does not prove an optimum: moves at least ")


U = "00000000-0000-0000-0000-00000000000"
EMPTY = [
    {"topics": [{"name": "t", "partitions": 0}], "members": [{"id": m, "topics": ["t"]} for m in "mn"]},
    {"topics": [], "members": [{"id": m, "topics": []} for m in "mn"]},
    {"topics": [{"name": "t", "partitions": 2}], "members": [{"id": m, "topics": []} for m in "mn"]},
    {"family": "streams", "tasks": [], "clients": [{"id": f"{U}{n}", "threads": 1} for n in (1, 2)]},
    {"family": "connect", "connectors": [], "workers": [{"id": w} for w in "wv"]},
]  # fmt: skip


@pytest.mark.parametrize(
    "data", EMPTY, ids=["no partitions", "no topics", "no readers", "no tasks", "no connectors"]
)
def test_of_nothing_the_least_is_nothing(data, asked):
    best, check = asked
    answer = best(data)
    assert {(each["least"], each["value"], each["proved"]) for each in answer["totals"]} == {(0, 0, True)}
    assert check(answer)[:2] == (0, True)
    if "certificate" in answer and "proofs" in answer["certificate"]:
        status, proved, said = check(changed(answer, ("certificate", "proofs"), []))
        assert (status, proved) == (1, False)
        assert "certificate.proofs: none is by weights" in said


@pytest.mark.parametrize("data", [GROUP, TASKS, CLUSTER], ids=["group", "application", "cluster"])
def test_no_key_of_an_answer_ends_in_a_traceback(data, asked):
    best, check = asked
    answer = best(data)
    every = [(place, how) for place in keys(answer) for how in HOW]
    for place, how in every if WHOLE else Random(1).sample(every, 30):
        status, _, said = check(text(answer, place, how))
        assert status in (0, 1, 2, 3)
        assert "bug of kassay" not in said, (place, how)
        assert how != "twice" or (status == 2 and "stands twice in one object" in said), (place, said)


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("certificate", "scale"), 1, "certificate.scale: has no valid value. Give prices in 720720ths"),
        (("certificate", "proofs", 0, "weights"), [1], "certificate.proofs[0].weights: has no valid value. Give one for each of moves"),
        (("certificate", "proofs", 0, "proof"), {"rows": [], "places": []}, "rows: has no valid value. Give a price for each row"),
        (("question",), "moves", "'moves' is not asked over time"),
        (("assignments",), {}, "assignments: is {}. Give a list"),
        (("order",), ["m0"], "NOT proved: order: is not one of the group's members"),
        (("record",), "played", "has no record 'over-time'"),
    ],
)  # fmt: skip
def test_what_is_no_answer_has_its_sentence(path, value, says, asked):
    best, check = asked
    status, _, said = check(changed(best(GROUP), path, value))
    assert status == (1 if says.startswith("NOT") else 2)
    assert says in said


def test_verify_takes_no_target(capsys, tmp_path):
    (tmp_path / "g.json").write_text(json.dumps(APPLICATION))
    what = ["--group", str(tmp_path / "g.json"), "--restart", "1"]
    assert main(["over-time", "streams/sticky", "--verify", "a.json", *what]) == 2
    assert "--verify: verifies existing output. Leave out TARGET" in capsys.readouterr().err
