"""Optima of streams groups: equal to what trying every placement finds, proved, and refused where groups say nothing."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from drawing_streams_groups import placements, tiny
from mutations import changed
from verifying import ROOT, all_proved, verified
from whole import cases

from kassay.families import family
from kassay.model.streams_group import GroupSettings, MemberTasks, StreamsGroup, StreamsMember, Subtopology
from kassay.model.tasks import TaskId
from kassay.oracles.errors import ImpossibleError
from kassay.oracles.tasks.members import ORACLES
from kassay.oracles.tasks.members.optimum import (
    compute_optima,
    compute_optimum,
    deal_to_members,
    explain,
    solve_by_program,
)
from kassay.properties.streams_group import INVARIANTS, LEGAL, MEASURES
from kassay.properties.tasks.members.processes import group_by_process
from kassay.reference import ASSIGNORS

STICKY = ASSIGNORS["streams-group/sticky"].assign
RECORD = family("streams-group")
SCHEMA = json.loads((ROOT / "docs/reference/tasks-certificate.schema.json").read_text())


def tried_out(group):
    """Return the least of each level at the most even loads, by trying everything."""

    def loads(answer):
        """By member, and among these by process, of active tasks and then of all copies."""
        found = []
        for roles in (1, 2):
            count = {name: sum(map(len, held[:roles])) for name, held in answer.items()}
            shares = [(sum(count[m.id] for m in each), len(each)) for each in group.processes.values()]
            found += [sorted(count.values(), reverse=True), sum(Fraction(n * n, k) for n, k in shares)]
        return found

    every = list(placements(group))
    most_even = min(map(loads, every))
    best = [answer for answer in every if loads(answer) == most_even]
    moves = min(MEASURES["active_moves"](group, a) + MEASURES["standby_moves"](group, a) for a in best)
    return {
        "balance": min(MEASURES["active_imbalance"](group, answer) for answer in best),
        "moves": moves,
        "restore": min(MEASURES["not_caught_up"](group, answer) for answer in best),
    }


@pytest.mark.parametrize("seed", cases(25, 400))
def test_optima_are_what_trying_everything_finds(seed):
    group = tiny(seed)
    found = dict(compute_optima(group).least)
    assert {level: found[level] for level in ("balance", "moves", "restore")} == tried_out(group)
    assert solve_by_program(group) == found


@pytest.mark.parametrize("seed", cases(15, 200))
def test_an_optimum_is_legal_among_members_and_measures_as_stated(seed):
    group = tiny(seed)
    answer = compute_optimum("balance,moves", group)
    assert answer.proved
    for name in (*LEGAL, "every_member", "enough_standbys", "active_balanced"):
        assert not list(INVARIANTS[name](group, answer.assignment)), name
    values = {level.name: level.value for level in answer.levels}
    assert values["balance"] == MEASURES["active_imbalance"](group, answer.assignment)
    assert values["total-balance"] == MEASURES["total_imbalance"](group, answer.assignment)
    moved = sum(MEASURES[name](group, answer.assignment) for name in ("active_moves", "standby_moves"))
    assert values["moves"] == moved
    assert (
        deal_to_members(group, group_by_process(group, answer.assignment)).keys() == answer.assignment.keys()
    )


def stated(group, question="balance,moves"):
    """Return what `kassay optimum --json` prints of an optimum, as far as it is verified."""
    answer = compute_optimum(question, group)
    return json.loads(json.dumps(answer.record(RECORD.shape.write_assignment(answer.assignment))))


def test_what_was_printed_is_verified_and_nothing_else():
    group = tiny(7)
    said = stated(group)
    proved, sentence = RECORD.oracles.verify(group, said)
    assert proved, sentence
    said["levels"][-1]["value"] += 1
    assert RECORD.oracles.verify(group, said)[0] is False
    wrong = stated(group)
    wrong["assignment"]["m0"], wrong["assignment"]["stranger"] = {}, wrong["assignment"]["m0"]
    assert RECORD.oracles.verify(group, wrong)[0] is False


CROWDED = StreamsGroup(
    (Subtopology(0, 4),),
    (
        StreamsMember("m0", "p", (TaskId(0, 0), TaskId(0, 1))),
        StreamsMember("m1", "p", (TaskId(0, 2), TaskId(0, 3))),
        StreamsMember("m2", "p"),
    ),
)
"""One process, whose members cannot all keep what they have."""


def test_members_keep_no_more_than_evenness_leaves_them():
    answer = compute_optimum("balance,moves", CROWDED)
    assert sorted(len(roles.active) for roles in answer.assignment.values()) == [1, 1, 2]
    kept = sum(len({*each.active} & {*answer.assignment[each.id].active}) for each in CROWDED.members)
    assert kept == 3


@pytest.mark.parametrize("proved", [True, False])
def test_members_that_share_unevenly_are_not_proved(proved, folder, capsys):
    """An answer without proofs is no optimum, and its loads are counted nevertheless."""
    group, said = RECORD.write_group(CROWDED), stated(CROWDED)
    if not proved:
        said["certificate"] |= {"proved": False, "proofs": []}
        said["levels"] = [said["levels"][0] | {"least": 0, "proved": False}]
        assert "NOT proved: what it states holds" in verified(folder, group, said, capsys)[1]
    said["assignment"]["m0"]["active"], said["assignment"]["m1"]["active"] = ["0_0", "0_1"], ["0_2", "0_3"]
    said["assignment"]["m2"]["active"] = []
    status, told = verified(folder, group, said, capsys)
    assert status == 1
    assert "levels: balance, among members: states 1, but it is 2" in told


@pytest.mark.parametrize("asked", ORACLES)
def test_every_optimum_is_proved(asked, folder, capsys):
    groups = [RECORD.write_group(tiny(seed)) for seed in cases(4, 60)]
    all_proved(folder, asked, groups, SCHEMA, capsys)


WRONG = [
    (("members", 0, "process_id"), None, 2, "process_id: is null. Give text"),
    (("members", 0, "active"), ["0_0", 3], 2, "active[1]: is 3"),
    (("subtopologies", 0, "partitions"), -1, 2, "Give 0 or more"),
    (("config", "num.standby.replicas"), -1, 2, "Give 0 or more"),
]


@pytest.mark.parametrize(("place", "value", "status", "says"), WRONG)
def test_what_is_no_group_has_its_sentence(place, value, status, says, folder, capsys):
    group, said = RECORD.write_group(replace(tiny(7), settings=GroupSettings(1))), stated(tiny(7))
    found, told = verified(folder, changed(group, place, value), said, capsys)
    assert found == status
    assert says in told


def test_gaps_see_uneven_members_of_one_process_and_leave_out_what_is_provisional():
    members = StreamsMember("m0", "p0"), StreamsMember("m1", "p0")
    group = StreamsGroup((Subtopology(0, 2),), members)
    crowded = {"m0": MemberTasks((TaskId(0, 0), TaskId(0, 1))), "m1": MemberTasks()}
    over = {gap.level: gap.over for gap in compute_optima(group).gaps(crowded)}
    assert over == {"balance": 2, "moves": 0, "restore": 0, "subtopology-spread": 0}
    assert explain(group, crowded) == ["Loads are 2 apart, where 0 is possible."]
    warm = {"m0": MemberTasks((TaskId(0, 0),)), "m1": MemberTasks((TaskId(0, 1),), (), (TaskId(0, 0),))}
    assert compute_optima(group).gaps(warm) == ()
    assert explain(group, warm) == [
        "It asks for another rebalance, so it is not compared with the best possible."
    ]


@pytest.mark.parametrize("level", ["joint", "nothing"])
def test_what_groups_say_nothing_of_is_refused(level):
    with pytest.raises(
        ImpossibleError,
        match=rf"there is no level '{level}' to ask for. The levels are balance, spread, moves, restore, subtopology-spread$",
    ):
        compute_optimum(f"balance,{level}", tiny(1))


def test_the_worst_is_found_as_a_group():
    found = RECORD.oracles.worst(STICKY, "balance,moves", 0, 40)
    assert isinstance(found.group, StreamsGroup)
    assert found.gap.value >= found.gap.optimum
