"""What `kassay frontier --json` prints is proved by its certificates to a checker that shares nothing, and nothing altered is."""

import json
from functools import reduce
from operator import getitem
from random import Random

import pytest
from drawing import group
from drawing_tasks import APPLICATION, some_tiny
from forging.frontier_truth import find_pareto_rows
from forging.frontier_truth import is_supported as supported_by_corners
from mutations import changed
from printed import json_lines
from verifying import alone
from whole import cases

from kassay.cli import main
from kassay.families import family
from kassay.model.tasks_json import read_group
from kassay.oracles.errors import ImpossibleError, TooLargeError
from kassay.oracles.proof import command
from kassay.oracles.proof.frontier import is_shut, is_supported
from kassay.oracles.proof.reading import WrongInputError

CONSUMER, SHARE, STREAMS = family("consumer"), family("share"), family("streams")
CHANGE = {
    "topics": [{"name": "t", "partitions": 4, "racks": [["a"], ["b"], ["b"], ["a"]]}],
    "members": [
        {"id": "m", "topics": ["t"], "owned": [["t", 0], ["t", 1]], "rack": "a"},
        {"id": "n", "topics": ["t"], "owned": [["t", 2], ["t", 3]], "rack": "b"},
    ],
}
"""At any loads one move is a point that two solvers alone prove."""


def printed(file, capsys):
    """The frontiers that the command prints for the group of a file, at the most even loads and at any."""
    capsys.readouterr()
    assert main(["frontier", str(file), "--json"]) == 0
    return json_lines(capsys)


@pytest.fixture
def files(tmp_path, capsys):
    """Makes files of a group and of what is printed for it."""

    def of(data):
        paths = tmp_path / "group.json", tmp_path / "frontiers.jsonl"
        paths[0].write_text(json.dumps(data))
        found = [each for each in printed(paths[0], capsys) if each["record"] == "frontier"]
        paths[1].write_text("".join(f"{json.dumps(each)}\n" for each in found))
        return [*map(str, paths)], found

    return of


def several():
    """Groups of the families that have frontiers as JSON."""
    r = Random(4)
    drawn = [CONSUMER.write_group(group(r)) for _ in cases(8, 300)]
    drawn += [SHARE.write_group(group(r)) for _ in cases(6, 200)]
    drawn += [STREAMS.write_group(some_tiny(seed)) for seed in cases(6, 200)]
    named = read_group(APPLICATION)
    return [json.loads(json.dumps(each)) for each in [*drawn, STREAMS.write_group(named), CHANGE]]


def test_every_point_is_proved_or_said_to_rest_on_two_solvers(files, capsys):
    whole = open_ = 0
    for data in several():
        try:
            paths, found = files(data)
        except (ImpossibleError, TooLargeError):
            continue
        status = main(["frontier", paths[0], "--verify", paths[1], "--json"])
        said = json_lines(capsys)
        assert command.main(paths[::-1]) == status
        alone = capsys.readouterr().out.splitlines()
        assert [each["sentence"] for each in said] == alone
        for frontier, own in zip(found, said, strict=True):
            solvers = [point for point in frontier["points"] if point["proved_by"] == "two solvers"]
            assert ("two solvers alone" in own["sentence"]) == bool(solvers)
            without = bool(solvers) or "that no point is missing" in own["sentence"]
            assert own["proved"] is (None if without else True), own
            whole, open_ = whole + (not without), open_ + without
        assert status == (3 if any(each["proved"] is None for each in said) else 0)
    assert whole > 15
    assert open_ > 0


def test_the_checker_runs_alone(files):
    paths, _ = files(CHANGE)
    done = alone(*paths[::-1])
    assert (done.returncode, done.stderr) == (3, "")
    even, spread, free = done.stdout.splitlines()
    assert even == (
        "at the most even loads: 2 of 2 points are proved by prices; no extreme point is missing; "
        "that no point is missing has no certificate of its own; what further moves buy rests on two solvers"
    )
    assert (
        spread
        == "at the most even loads: 1 of 1 points are proved by prices; no extreme point is missing; no point is missing"
    )
    assert "two solvers alone say so of point" in free


def proved(data, frontier):
    """Whether a frontier is proved, None where something has no certificate, and what is said; "" where it is none."""
    try:
        return command.verify_answer(command.FAMILIES[data.get("family", "consumer")], data, frontier)
    except WrongInputError:
        return False, ""


def weaker(frontier):
    """A frontier with one thing altered each, and what the refusal names; all of them state what is not proved."""
    best = frontier["points"][0]["proof"]
    for path, change, names in (
        (("proofs", best, "least"), 1, "least: is more than prices prove"),
        (("proofs", best, "least"), -1, "does not show that it is best"),
        (("points", 0, "values", "moves"), 1, "values: states"),
        (("points", 0, "values", "balance"), -1, "values: states"),
        (("bought", 0, "least"), 1, "bought[0].least"),
        (("bought", 0, "most"), 1, "bought[0].most"),
        (("points", 0, "proof"), 10**6, "there is no proof"),
    ):
        if path[0] == "bought" and not frontier["bought"]:
            continue
        yield changed(frontier, path, reduce(getitem, path, frontier) + change), names
    points = frontier["points"]
    yield changed(frontier, ("points", 0, "supported"), False), "supported: is not what"
    yield changed(frontier, ("points",), [*points, points[0]]), "points: do not ascend"
    yield changed(frontier, ("extreme",), False), "whole: is true"


@pytest.mark.parametrize(
    "data", [CHANGE, STREAMS.write_group(read_group(APPLICATION))], ids=["group", "application"]
)
def test_what_is_false_is_refused(data, files):
    data = json.loads(json.dumps(data))
    _, found = files(data)
    for frontier in found:
        for wrong, names in weaker(frontier):
            status, said = proved(data, wrong)
            assert status is False
            assert names in said


def test_what_two_solvers_found_is_not_passed_off_as_proved_by_prices(files):
    _, (*_, free) = files(CHANGE)
    (n,) = (n for n, point in enumerate(free["points"]) if point["proved_by"] == "two solvers")
    free["points"][n]["proved_by"] = "prices"
    status, said = proved(CHANGE, free)
    assert status is False
    assert "leave room for a better one" in said


def test_steps_that_go_back_leave_no_room_for_a_false_floor(files):
    """A step holds up to the next one: where that has fewer moves, nothing is left to hold, and any floor would do."""
    _, (even, *_) = files(CHANGE)
    first, second = even["bought"]
    for change in ({"moves": 0}, {"moves": -1}, {"moves": first["moves"]}):
        wrong = even | {"bought": [first | {"least": 10**9}, second | change]}
        status, said = proved(CHANGE, wrong)
        assert status is False
        assert "bought" in said


def test_a_point_left_out_is_not_overlooked(files):
    _, (even, *_) = files(CHANGE)
    even["points"].pop()
    even["bought"].pop()
    status, said = proved(CHANGE, even)
    assert status is None
    assert "that no point is missing has no certificate of its own" in said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        ('{"record": "placed"}', "has no record 'frontier'. Give the output of `kassay frontier --json`"),
        ('{"record": "frontier"}', "title: is missing. Give text"),
    ],
)
def test_what_is_no_frontier_has_its_sentence(content, said, tmp_path, capsys):
    for name, text in (("group.json", json.dumps(CHANGE)), ("answer.json", content)):
        (tmp_path / name).write_text(text)
    paths = [str(tmp_path / name) for name in ("group.json", "answer.json")]
    assert main(["frontier", paths[0], "--verify", paths[1]]) == 2
    assert said in capsys.readouterr().err
    assert main(["frontier", paths[0], "--verify", paths[1], "--plot", "a.svg"]) == 2
    assert "--verify: verifies existing output. Leave out --plot" in capsys.readouterr().err


@pytest.mark.parametrize("whole", [True, False])
def test_a_frontier_without_points_is_not_complete(whole, files):
    """A bound of the squared loads alone says nothing of moves, and without points no loads are known."""
    _, found = files(CHANGE)
    for frontier in (found[0], found[-1]):
        weights = {"squared-loads": 1, "moves": 0, "cross-rack": 0}
        proof = {"weights": weights, "least": 8, "prices": {"m": 4, "n": 4}}
        forged = frontier | {"points": [], "bought": [], "proofs": [*frontier["proofs"], proof]}
        verdict, said = proved(CHANGE, forged | {"whole": whole, "extreme": whole})
        assert verdict is (False if whole else None), said
        assert ("extreme: is true without a point" in said) is whole


def test_a_proof_that_weighs_no_capped_level_shuts_nothing():
    assert not is_shut((5, 5), [((0, 0), 9)])
    assert is_shut((5, 5), [((1, 0), 9)])


def test_loads_without_a_proof_are_not_the_most_even():
    """Nothing is below 0 moves and 0 reads, so such a point needs no prices; its loads do."""
    data = {
        "topics": [{"name": "t", "partitions": 2}],
        "members": [
            {"id": "m", "topics": ["t"], "owned": [["t", 0], ["t", 1]]},
            {"id": "n", "topics": ["t"]},
        ],
    }
    point = {
        "values": {"squared-loads": 4, "balance": 2, "moves": 0, "cross-rack": 0},
        "supported": False, "proved_by": "two solvers", "proof": None,
        "assignment": {"m": [["t", 0], ["t", 1]], "n": []},
    }  # fmt: skip
    forged = {
        "record": "frontier", "title": "at the most even loads", "levels": ["moves", "cross-rack"],
        "points": [point], "proofs": [], "extreme": True, "whole": True, "bought": [],
    }  # fmt: skip
    verdict, said = proved(data, forged)
    assert verdict is None
    assert "0 of 1 points are proved by prices" in said
    assert "that no loads are more even has no certificate" in said
    by_prices = changed(forged, ("points", 0, "proved_by"), "prices")
    assert proved(data, by_prices)[0] is False
    free = forged | {"title": "at any loads", "levels": ["squared-loads", "moves", "cross-rack"]}
    assert proved(data, free)[0] is None


def test_what_moves_buy_is_said_of_one_level_alone(files):
    _, found = files(CHANGE)
    step = {"moves": 100, "least": 0, "most": 0}
    (free,) = [each for each in found if each["title"] == "at any loads"]
    for of in (free, free | {"points": [], "extreme": False, "whole": False}):
        paths, _ = files(CHANGE)
        command.Path(paths[1]).write_text(json.dumps(of | {"bought": [step]}))
        assert command.main(paths[::-1]) == main(["frontier", paths[0], "--verify", paths[1]]) == 2


def test_a_step_holds_up_to_the_next_one(files):
    """A step left out would have the one before it hold for more moves than it does."""
    _, found = files(CHANGE)
    even = found[0]
    assert [step["moves"] for step in even["bought"]] == [0, 2]
    more = even["bought"] + [{"moves": 3, "least": 0, "most": 0}]
    assert proved(CHANGE, even | {"bought": more})[0] is None
    verdict, said = proved(CHANGE, even | {"bought": [more[0], more[2]]})
    assert verdict is False
    assert "bought[0].least: is more than 0, which a point has" in said


def test_a_supported_point_is_not_called_unsupported(files):
    """The proofs leave no room for a better point without saying which of them proves it, so the flag is computed."""
    _, found = files(CHANGE)
    (spread,) = [each for each in found if "topic-spread" in each["levels"]]
    assert proved(CHANGE, spread)[0] is True
    point = spread["points"][0] | {"supported": False, "proof": None, "proved_by": "prices"}
    verdict, said = proved(CHANGE, spread | {"points": [point]})
    assert verdict is False
    assert "points[0].supported: is false, though it is best for some weights above 0" in said


@pytest.mark.parametrize(
    ("row", "rows", "supported"),
    [
        ((2, 3), [(0, 4), (2, 3), (4, 0)], False),
        ((2, 2), [(0, 4), (2, 2), (4, 0)], True),
        ((2, 1), [(0, 4), (2, 1), (4, 0)], True),
        ((5, 0), [(5, 0)], True),
        ((164, 1, 5), [(162, 0, 6), (162, 2, 4), (164, 1, 5)], False),
    ],
)
def test_a_point_is_supported_if_weights_above_0_make_it_the_best(row, rows, supported):
    assert is_supported(row, rows) is supported


def test_points_are_supported_as_the_corners_of_all_weights_say():
    counts = {True: 0, False: 0}
    for seed in cases(300, 5000):
        r = Random(seed)
        levels = r.choice([2, 3])
        rows = find_pareto_rows(tuple(r.randint(0, 9) for _ in range(levels)) for _ in range(r.randint(1, 9)))
        for row in rows:
            assert is_supported(row, rows) is supported_by_corners(row, rows), (row, rows)
            counts[is_supported(row, rows)] += 1
    assert min(counts.values()) > 25


def test_a_frontier_whose_time_was_over_at_once_states_nothing_false(tmp_path, capsys):
    group, frontiers = tmp_path / "group.json", tmp_path / "frontiers.jsonl"
    group.write_text(json.dumps(CHANGE))
    assert main(["frontier", str(group), "--time-limit", "0.000001", "--json"]) == 3
    frontiers.write_text(capsys.readouterr().out)
    found = [json.loads(line) for line in frontiers.read_text().splitlines()]
    assert [each["points"] for each in found if each["record"] == "frontier"] == [[], [], []]
    assert command.main([str(frontiers), str(group)]) == 3
    assert main(["frontier", str(group), "--verify", str(frontiers)]) == 3
