"""What can be asked about applications, what is refused, and what the commands show of it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from drawing_tasks import APPLICATION, QUESTIONS
from printed import json_lines

from kassay.cli import main
from kassay.engine.finding import load_finding
from kassay.errors import InputError
from kassay.families.streams import STREAMS
from kassay.model.tasks import Application, Client, Given, Settings, Task, TaskAssignment, TaskId
from kassay.oracles.errors import ImpossibleError, TooLargeError
from kassay.oracles.streams import ORACLES
from kassay.oracles.tasks.optima import UNCHANGED
from kassay.oracles.tasks.optimum import compute_optimum
from kassay.oracles.tasks.question import parse_question

ROOT = Path(__file__).parents[3]


def clients(number, **more):
    return tuple(
        Client(f"00000000-0000-0000-0000-{n + 1:012}", 1, lags={TaskId(0, 0): 0}, **more)
        for n in range(number)
    )


STATEFUL = (Task(TaskId(0, 0), stateful=True),)


@pytest.mark.parametrize("text", [*QUESTIONS, *ORACLES, "counts,subtopologies,joint", "actives,standby"])
def test_a_question_is_written_as_it_is_read(text):
    assert str(parse_question(text, given=True)) == text
    assert parse_question(text, given=True) == parse_question(text.replace(",", " , "), given=True)


WRONG = {
    "": "there is no level '' to ask for. The levels are balance, spread, active",
    "total-balance": "there is no level 'total-balance' to ask for. The levels are",
    "nearest": "there is no level 'nearest' to ask for. The levels are",
    "joint,joint": "names no level, or a word twice",
    "subtopologies": "names no level",
    "subtopologies,subtopologies,joint": "names no level, or a word twice",
    "joint,subtopologies": "names 'subtopologies' after a level. Write contracts first",
    "counts,joint": "asks to keep the counts of an answer, but no answer is given. Leave 'counts' out",
    "actives,standby": "Leave 'actives' out",
}


@pytest.mark.parametrize(("text", "said"), WRONG.items())
def test_a_wrong_question_has_its_sentence(text, said, tmp_path, capsys):
    with pytest.raises(ImpossibleError, match="question: ") as wrong:
        parse_question(text)
    assert said in str(wrong.value)
    (tmp_path / "app.json").write_text(json.dumps(APPLICATION))
    assert main(["optimum", text, str(tmp_path / "app.json")]) == 2
    assert said in capsys.readouterr().err


def test_tasks_without_clients_and_nothing_at_all():
    with pytest.raises(
        InputError, match=r"clients: is empty, but there are 1 tasks. List one client at least"
    ):
        compute_optimum("joint", Application(STATEFUL, ()))
    nothing = compute_optimum("balance,joint", Application((), ())).values
    assert nothing == {"balance": 0, "total-balance": 0, "joint": 0}
    alone = compute_optimum(
        "balance,spread", Application(STATEFUL, clients(1), Settings(num_standby_replicas=3))
    )
    assert alone.values == {"balance": 0, "total-balance": 0, "spread": 0}


def test_what_is_too_large_says_by_how_much():
    paired = tuple(
        replace(each, tags=(("host", str(n // 2)), ("zone", str(n % 45))))
        for n, each in enumerate(clients(90))
    )
    settings = Settings(num_standby_replicas=5, rack_aware_assignment_tags=("host", "zone"))
    with pytest.raises(TooLargeError, match=r"patterns. At most 300000 are listed"):
        compute_optimum("spread", Application((*STATEFUL, Task(TaskId(0, 1))), paired, settings))


def test_a_time_limit_never_makes_an_optimum_of_what_is_not_proved(tmp_path, capsys):
    (tmp_path / "app.json").write_text(json.dumps(APPLICATION))
    status = main(
        ["optimum", "balance,joint,moves", str(tmp_path / "app.json"), "--time-limit", "1e-9", "--json"]
    )
    said = capsys.readouterr()
    assert status == 3
    assert "time" in said.err or not json.loads(said.out)["certificate"]["proved"]


def test_compare_shows_gaps_also_of_what_is_provisional_at_first(tmp_path, capsys):
    lagging = json.loads(json.dumps(APPLICATION))
    for client in lagging["clients"][1:]:
        client["lags"] = dict.fromkeys(client["lags"], 10**9)
    for name, application in (("even", APPLICATION), ("lagging", lagging)):
        (tmp_path / name).write_text(json.dumps(application))
        targets = "streams/high-availability", "streams/legacy-sticky"
        assert main(["compare", *targets, "--group", str(tmp_path / name), "--json"]) == 0
    lines = json_lines(capsys)
    found = [line for line in lines if line["record"] == "compared"]
    assert [[gap["level"] for gap in line["gaps"]] for line in found] == [
        ["balance", "total-balance", "active", "joint", "moves"],
    ] * 4  # fmt: skip
    assert [line["rebalances"] for line in found] == [1, 1, 2, 1]
    main(["compare", "streams/high-availability", "--group", str(tmp_path / "lagging")])
    assert "not compared with the best possible" not in capsys.readouterr().out


def test_explain_says_who_does_better_and_cuts_names_but_in_json(capsys):
    finding = ROOT / "examples/findings/kafka-streams-legacy-sticky-tags.json"
    main(["explain", str(finding), "--target", "streams/legacy-sticky"])
    said = capsys.readouterr().out
    assert "breaks distinct_tags, which it does not promise: " in said
    assert "Kept by sticky:" in said
    assert "...0002" in said
    assert "00000000-" not in said
    main(["explain", str(finding), "--target", "streams/legacy-sticky", "--json"])
    assert "move the standby from 00000000-0000-0000-0000-000000000002 to" in capsys.readouterr().out


def test_what_would_do_is_told_once_and_at_its_own_counts_where_that_is_another_way():
    finding = load_finding(str(ROOT / "examples/findings/kafka-streams-high-availability-costs.json"))
    (said,) = STREAMS.oracles.explain(finding.group, finding.assignment)
    assert said.startswith("2 reads across racks, where 1 would do: hand 0_0 from ")
    one, other = (client.id for client in finding.group.clients)
    tasks = [task.id for task in finding.group.tasks]
    uneven = TaskAssignment({one: Given(tuple(tasks), ()), other: Given((), ())}, probing=False)
    loads, *rest = STREAMS.oracles.explain(finding.group, uneven)
    assert loads.startswith(
        "Loads are 2 apart, where 0 is possible; a spread excess of 1, where 0 would do: hand "
    )
    assert not [each for each in rest if UNCHANGED in each]


def test_an_answer_that_cannot_be_compared_is_explained_so():
    of = Application(STATEFUL, clients(2), Settings(num_standby_replicas=1))
    best = compute_optimum("joint", of).assignment
    assert STREAMS.oracles.explain(of, best) == []
    assert "not compared" in STREAMS.oracles.explain(of, best._replace(probing=True))[0]
    assert STREAMS.oracles.explain(of, best._replace(clients={})) == []
