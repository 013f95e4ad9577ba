"""What is advised for one group: one rule for all families, whatever the order in which assignors are compared."""

import json
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.cli import main
from kassay.comparison.advice import advise
from kassay.comparison.facts import Defect, Facts, resolve_assignor_name
from kassay.comparison.group_facts import find_best, gather_facts
from kassay.comparison.headline import compute_distance, compute_state_distance
from kassay.comparison.measured import Measured, measure_all, measure_current_assignment
from kassay.comparison.strategies import combine_families
from kassay.families import FAMILIES, family
from kassay.families.consumer import CONSUMER
from kassay.families.family import SETTABLE
from kassay.model import Group, Member, Topic
from kassay.oracles.answers import Gap
from kassay.targets.reference import open_reference

ALL = {name: family(name) for name in FAMILIES}
EXAMPLES = Path(__file__).parents[2] / "examples"
MIXED = "consumer/sticky@2.3.1"
HEADS = (
    "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS CURRENT-EPOCH CURRENT-ASSIGNMENT TARGET-EPOCH TARGET-ASSIGNMENT",
    "GROUP COORDINATOR(ID) ASSIGNMENT-STRATEGY STATE GROUP-EPOCH TARGET-ASSIGNMENT-EPOCH #MEMBERS",
)


def reconciling(a, b, epoch):
    """Return what Kafka prints of a group of two members: one holds all four partitions, and these are what they are to hold."""
    rows = (
        ["shop m-a /h a 4 3 orders:0,1,2,3 4 " + a, "shop m-b /h b 0 4 - 4 " + b],
        [f"shop h:1 uniform Reconciling {epoch} 4 2"],
    )
    tables = ([head, *some] for head, some in zip(HEADS, rows, strict=True))
    lines = ("\n".join("".join(f"{cell:26}" for cell in row.split()) for row in table) for table in tables)
    return "\n\n".join(lines).replace("COORDINATOR(ID) ", "COORDINATOR (ID)") + "\n"


def answer(name, *over, legal=True):
    """Return an answer with so much above the optimum of balance, moves and cross-rack."""
    gaps = tuple(
        Gap(level, 5 + n, 5, CONSUMER.level(level))
        for level, n in zip(("balance", "moves", "cross-rack"), over, strict=False)
    )
    return Measured(name, {"of": name}, {}, gaps, None, {}, () if legal else ("complete",))


def advised(of, *names, **more):
    """Return what is advised where all of some assignors are equally good."""
    return advise(Facts(of, [answer(name, 0, 0, 0) for name in names], **more))


@pytest.mark.parametrize("name", FAMILIES)
def test_among_equals_what_is_in_use_then_the_default_then_the_cooperative_one(name):
    of = ALL[name]
    names = [*of.settable]
    for order in permutations(names):
        assert advised(of, *order).assignor == of.default
        for used in names:
            told = advised(of, *order, in_use=used)
            assert (told.assignor, told.lines) == (used, ())
            short = used.partition("/")[2]
            assert told.says.startswith(f"Change nothing: {short} is in use and is optimal")
        rest = [each for each in order if each != of.default]
        cooperative = [each for each in rest if of.settable[each].cooperative]
        if rest:
            told = advised(of, *rest)
            assert told.assignor in (cooperative or rest)
            assert told.lines == of.settable[told.assignor].lines
            assert [line for line in told.lines if line in told.says] == []
            assert all(line in told.sentences for line in told.lines)
            assert ("rolling restart" in told.price) == bool(told.lines)


@pytest.mark.parametrize(
    ("in_use", "advised_one"),
    [
        ("", "cooperative-sticky"),
        ("consumer/cooperative-sticky", "cooperative-sticky"),
        ("consumer/roundrobin", "sticky"),
        ("consumer/sticky", "sticky"),
    ],
)
def test_to_save_a_move_nobody_is_to_stop_all_members(in_use, advised_one):
    given = [
        answer("consumer/sticky", 0, 1, 0),
        answer("consumer/cooperative-sticky", 0, 2, 0),
        answer("consumer/roundrobin", 0, 9, 0),
        answer("consumer/range", 0, 7, 0),
    ]
    told = advise(Facts(CONSUMER, given, in_use=in_use))
    assert told.assignor == f"consumer/{advised_one}"
    stops = "sticky has only 6 moves, but it stops all members at each rebalance"
    assert [stops in said for said in told.sentences].count(True) == (
        not in_use  # what is in use stays, and the table shows what others would save
    )
    less_even = [replace(given[1], gaps=answer("", 1, 2, 0).gaps), *given[:1], *given[2:]]
    assert advise(
        Facts(CONSUMER, less_even, in_use=in_use)
    ).assignor != "consumer/cooperative-sticky" or in_use.endswith("e-sticky")


names_of = st.sampled_from([*FAMILIES]).flatmap(
    lambda name: st.lists(
        st.tuples(
            st.sampled_from(
                [*ALL[name].settable, *ALL[name].inside, f"{name}/study", "python:a:b", "jar:x#C"]
            ),
            st.tuples(*[st.integers(-1, 2)] * 3),
            st.booleans(),
        ),
        min_size=1,
        max_size=5,
        unique_by=lambda one: one[0],
    ).map(lambda row: (name, row))
)


@given(names_of, st.randoms(use_true_random=False), st.booleans())
def test_the_order_decides_nothing_and_no_study_is_advised(drawn, chance, used):
    name, row = drawn
    of, answers = (
        ALL[name],
        [
            answer(each, *over, legal=legal) if legal else answer(each, legal=False)
            for each, over, legal in row
        ],
    )
    in_use = row[0][0] if used and row[0][0] in of.settable else ""
    told = advise(Facts(of, answers, in_use=in_use))
    again = list(answers)
    chance.shuffle(again)
    other = advise(Facts(of, again, in_use=in_use))
    assert (other.assignor, other.lines) == (told.assignor, told.lines)
    if told.assignor:
        assert of.classify_target(told.assignor) == SETTABLE or ":" in told.assignor
        (chosen,) = [one for one in answers if resolve_assignor_name(one.target) == told.assignor]
        offered = [o for o in answers if o.gaps and (o.target in of.settable or ":" in o.target)]
        nearer = [o for o in offered if compute_distance(o) < compute_distance(chosen)]
        if nearer:  # with those all members would begin to stop, to save what does not last
            best = min(nearer, key=compute_distance)
            assert compute_state_distance(best) == compute_state_distance(chosen)
            assert of.settable[chosen.target].cooperative
            assert not any(
                o.target in of.settable and of.settable[o.target].cooperative
                for o in nearer
                if compute_state_distance(o) == compute_state_distance(chosen)
            )
        if in_use in [o.target for o in offered if compute_distance(o) == compute_distance(chosen)]:
            assert told.assignor == in_use
            assert not told.lines


def test_what_lasts_counts_before_what_a_rebalance_costs_once():
    few_moves, few_reads = answer("consumer/sticky", 0, 0, 3), answer("consumer/roundrobin", 0, 9, 0)
    worse = [answer("consumer/range", 1, 0, 0), answer("consumer/cooperative-sticky", 0, 0, 2)]
    for order in permutations([few_moves, few_reads, *worse]):
        assert advise(Facts(ALL["consumer"], order)).assignor == "consumer/roundrobin"
    assert not advise(Facts(ALL["consumer"], [few_moves, few_reads])).lines  # others may be better


def test_a_grave_defect_that_the_group_may_meet_is_said_with_who_is_as_good_without():
    defect = Defect("crash_free", "may fail or never answer", "members that read different topics")
    both = {"consumer/cooperative-sticky": [defect], "consumer/sticky": [defect]}
    names = ("consumer/sticky", "consumer/cooperative-sticky", "consumer/roundrobin")
    # A strategy without the defect that is as good in every number comes first.
    told = advised(ALL["consumer"], *names, defects=both)
    assert told.assignor == "consumer/roundrobin"
    assert (
        "cooperative-sticky and sticky have severe known defects that this group may trigger." in told.price
    )
    # One that is not as good does not, but it is named.
    answers = [answer(names[0], 0, 0, 0), answer(names[1], 0, 0, 0), answer(names[2], 0, 3, 0)]
    said = advise(Facts(ALL["consumer"], answers, defects=both))
    assert said.assignor == "consumer/cooperative-sticky"
    assert (
        "Known defects that this group may trigger: cooperative-sticky may fail or never answer" in said.price
    )
    assert "with members that read different topics (crash_free)." in said.price
    assert said.price.endswith("equal in everything but the costs of a rebalance: roundrobin.")


def mixed_subscriptions():
    """Return a group in which Kafka's sticky assignors may fail: unlike subscriptions, and unlike numbers of claims."""
    t, u = Topic("t", 6), Topic("u", 2)
    return Group(
        (t, u),
        (
            Member("a", ("t", "u"), (*list(t)[:5],), 1),
            Member("b", ("t",), (), 1),
            Member("c", ("u",), tuple(u), 1),
        ),
    )


def test_what_is_declared_of_the_situations_of_a_group_is_gathered():
    of, group = ALL["consumer"], mixed_subscriptions()
    targets = [open_reference("consumer/cooperative-sticky"), open_reference("consumer/range")]
    facts = gather_facts(
        of, group, measure_all(targets, of, [group])[0], measure_current_assignment(of, group), targets
    )
    found = {one.promise for one in facts.defects["consumer/cooperative-sticky"]}
    assert {"crash_free"} <= found
    assert "balanced" not in found
    assert not facts.defects["consumer/range"]
    assert {one.target for one in facts.others} == {"consumer/roundrobin", "consumer/sticky"}
    even = Group((Topic("t", 4),), (Member("a", ("t",)), Member("b", ("t",))))
    facts = gather_facts(of, even, measure_all(targets, of, [even])[0], None, targets)
    assert not any(facts.defects.values())


def test_what_is_in_use_and_cannot_be_compared_is_not_to_be_changed():
    provisional = answer("streams/high-availability")
    told = advise(Facts(ALL["streams"], [answer("streams/sticky", 0, 0, 0), provisional]))
    assert told.says == (
        "No recommendation: high-availability (Kafka's default) cannot be compared with the optimum."
    )
    used = advise(
        Facts(ALL["streams"], [answer("streams/sticky", 0, 0, 0), provisional], in_use="streams/sticky")
    )
    assert used.says.startswith("Change nothing: sticky is in use")


def test_an_answer_that_loses_a_copy_says_how_many_are_left(capsys):
    assert main(["compare", "--group", str(EXAMPLES / "broker" / "lost-copy.json")]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "simple assigns only 5 of 6 partitions, and no other number shows this." in shown
    assert "there is nothing to set" in shown


def test_nothing_is_to_be_compared_that_was():
    of = ALL["streams-group"]
    told = advise(Facts(of, [answer("streams-group/sticky", 2, 0, 0)], file="g.json"))
    assert "ompare" not in told.says
    assert not told.compare
    told = advise(Facts(ALL["consumer"], [answer("consumer/range", 2, 0, 0)], file="g.json"))
    assert (told.assignor, told.lines) == ("", ())
    assert told.compare == ("consumer/roundrobin", "consumer/sticky", "consumer/cooperative-sticky")
    assert told.says.endswith(
        "kassay compare consumer/roundrobin consumer/sticky consumer/cooperative-sticky --group g.json"
    )


def test_of_several_families_the_order_decides_nothing_either():
    for names in permutations(["consumer", "broker"]):
        of = combine_families(names)
        assert [*of.settable] == [*ALL["consumer"].settable, *ALL["broker"].settable]
        for order in permutations(["broker/uniform", "consumer/sticky", "consumer/range"]):
            assert advised(of, *order).assignor == "consumer/range"
            assert advised(of, *order, home="broker").assignor == "broker/uniform"


@pytest.mark.parametrize(
    ("a", "b", "epoch", "balanced"),
    [("orders:0,1", "orders:2,3", 4, True), ("orders:0,1,2", "orders:3", 4, False), ("orders:0,1", "orders:2,3", 5, False)],
)  # fmt: skip
def test_while_a_group_reconciles_its_target_counts_and_nothing_is_compared(
    tmp_path, capsys, a, b, epoch, balanced
):
    listing, imported = tmp_path / "members.txt", tmp_path / "group.json"
    listing.write_text(reconciling(a, b, epoch))
    assert main(["import", str(listing)]) == 0
    imported.write_text(capsys.readouterr().out)
    for file in (listing, imported):
        for targets in permutations(["broker/range", "broker/uniform"]):
            assert main(["compare", *targets, "--group", str(file), "--json"]) == 0
            (told,) = map(json.loads, capsys.readouterr().out.splitlines())
            assert told["record"] == "state"
            assert told["state"] == "Reconciling"
            assert told["says"].startswith("shop: the group is rebalancing (Reconciling). 2 members, ")
            if epoch == 4:
                assert ("2 partitions each" in told["target"]) == balanced
            else:
                assert told["target"] is None  # the printed target assignment is an old one


@pytest.mark.parametrize("listed", [1, {"in_use": 1}, {"target": 3}, {"more": 1}])
def test_what_stands_wrongly_beside_a_group_is_one_sentence(tmp_path, capsys, listed):
    file = tmp_path / "g.json"
    file.write_text(
        json.dumps(
            {"family": "broker", "topics": [], "members": [{"id": "a", "topics": []}], "listed": listed}
        )
    )
    assert main(["compare", "broker/range", "--group", str(file)]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "g.json: listed" in err


def test_what_is_said_to_be_in_use_must_be_settable(capsys):
    for wrong in ("consumer/fair", "consumer/stiky", "broker/uniform"):
        assert main(["compare", "consumer/range", "--in-use", wrong, "--examples", "1"]) == 2
        assert (
            f"--in-use {wrong}: cannot be set in Kafka. Give one of consumer/range" in capsys.readouterr().err
        )


@pytest.mark.parametrize("name", FAMILIES)
@settings(max_examples=15)
@given(st.data())
def test_every_proved_level_of_the_best_possible_is_a_measure_of_it_and_answers_are_judged_by_it(name, data):
    of = ALL[name]
    group = data.draw(of.shape.groups().filter(lambda one: of.refused(one) is None))
    best, least = find_best(of, group), of.oracles.optima(group).least
    measured = [level for level in best.levels if level.name in of.oracles.measures]
    for level in measured:
        assert of.measures[of.oracles.measures[level.name]](group, best.assignment) == level.value
    row = measure_all([open_reference(of.default)], of, [group])[0]
    for one in row:
        if one.gaps:
            judged = {gap.level for gap in one.gaps}
            assert judged >= {level.name for level in measured if level.name in least}
            assert all(gap.optimum == least[gap.level] for gap in one.gaps)
