"""Unequal partitions: all assignments of tiny groups agree, no count promises too much, three verdicts, and what is planted wrong is found."""

import json
import math
from dataclasses import replace
from functools import partial
from itertools import permutations
from random import Random

import jsonschema
import pytest
from drawing import group
from forging.repairs import repair
from hypothesis import given, settings
from hypothesis import strategies as st
from mutations import changed
from second_opinions.every_assignment import exhaust
from verifying import SCHEMA, verified
from whole import share

from kassay.cli import main
from kassay.cli.render.verdicts import render_distances
from kassay.engine.verdict import Distance
from kassay.families import family
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.model.hosts import locate_racks
from kassay.model.partitions_json import write_group
from kassay.oracles.errors import ImpossibleError
from kassay.oracles.partitions.levels import LEVELS, Tried, compared
from kassay.oracles.partitions.optima import compute_ordered_optima
from kassay.oracles.partitions.optimum import compute_optimum
from kassay.oracles.partitions.question import parse_question
from kassay.oracles.partitions.weights import counting
from kassay.oracles.partitions.weights import instance as program
from kassay.oracles.partitions.weights import optimum as weighed_optimum
from kassay.oracles.proof import command
from kassay.oracles.proof import weights as checker
from kassay.oracles.solving import Model, Objective
from kassay.properties.partitions.extras import SORTS, add_capacities, add_weights
from kassay.properties.partitions.owners import owners

CONSUMER = family("consumer")
WEIGHS = [name for name, level in LEVELS.items() if level.weighs]
ORDERS = [",".join(order) for n in (1, 2, 3) for order in permutations(LEVELS, n) if {*order} & {*WEIGHS}]


@pytest.fixture(autouse=True)
def _quickly(monkeypatch):
    monkeypatch.setattr(program, "EFFORT", 0.1)


def drawn(seed: int) -> Group:
    r = Random(seed)
    return add_capacities(r, add_weights(r, group(r, members=3, total=5), r.choice(SORTS)))


def answer_of(text, of):
    """What the command prints of an answer."""
    best = compute_optimum(text, of)
    given_ = {member: [list(p) for p in some] for member, some in best.assignment.items()}
    return best, json.loads(json.dumps({"where": "g", "says": "", **best.record(given_)}))


def counted_out(text, of, assignment):
    choice = {p: (m,) for m, some in assignment.items() for p in some}
    one = Tried(locate_racks(of), owners(of), choice, False, False, frozenset())
    return tuple(LEVELS[level].tried(one) for level in parse_question(text).levels)


@settings(max_examples=share(40, 1500), deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(ORDERS))
def test_answers_are_those_of_all_assignments_and_are_checked(seed, text):
    of = drawn(seed)
    if not of.members:
        return
    best, answer = answer_of(text, of)
    least, _ = exhaust(of, parse_question(text))
    assert counted_out(text, of, best.assignment) == least
    for level, value in zip(best.levels, least, strict=False):
        assert LEVELS[level.name].words.counts == "loads" or level.least <= value == level.value
    jsonschema.validate(answer, SCHEMA, jsonschema.Draft202012Validator)
    proved, sentence = command.verify_answer("partitions", write_group(of), answer)
    assert proved is best.proved, sentence
    assert best.proved or sentence.startswith("NOT proved: what it states holds")


FIXED = ["balance,moves,weighted-balance", "balance,cross-rack,weighted-balance"] * 3
"""Orders in which prices of costs fix counts, more often than the others."""
COUNTABLE = [*(each for each in ORDERS if each.count(",") < 2), *FIXED]
COUNTS = st.tuples(
    st.sampled_from(["hall", "pigeon"]), st.integers(0, 3), st.sets(st.integers(0, 2), min_size=1)
)


@settings(max_examples=share(120, 3000), deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(COUNTABLE), COUNTS)
def test_no_count_promises_more_than_the_optimum(seed, text, count):
    """Whatever set and k a certificate names: what the checker makes of it is nowhere above the least of all assignments."""
    assert promised_at_most(seed, text, count)


def promised_at_most(seed, text, count):
    """Whether no level's count promises more than there is; levels behind the first that weighs are bounded by themselves."""
    of, (kind, k, some) = drawn(seed), count
    first = next(level for level in text.split(",") if level in WEIGHS)
    text = text[: text.index(first)] + first
    if not of.members:
        return True
    _, answer = answer_of(text, of)
    names = [member.id for n, member in enumerate(of.members) if n in some]
    (stated,) = answer["certificate"]["weights"]
    stated |= {"kind": kind, "count": k, "members": names, "least": -1}
    proved, sentence = command.verify_answer("partitions", write_group(of), answer)
    assert not proved
    if "least: states -1, but it is " not in sentence:  # the count is none, as it asks for too many
        return True
    floor = int(sentence.rpartition(" ")[2])
    return floor <= exhaust(of, parse_question(text))[0][-1]


MUTANTS = {
    "a share is rounded down": ("-(-sum(inside) // len(some))", "(sum(inside) // len(some) + 1)"),
    "one partition too few is pigeonholed": ("last = k * len(some) + 1", "last = max(k * len(some), k + 1)"),
    "what anybody may hold counts": ("some.issuperset(readers) for", "not some.isdisjoint(readers) for"),
    "one more light one is counted": ("- k - 1)", "- k)"),
    "nobody may be without capacity": ("prove(level == BALANCE or len(bear) == len(some)", "prove(True or (level == BALANCE)"),
    "the least that one can bear counts": ("proved -= max(bear)", "proved -= min(bear)"),
    "who stays pays for a move": ("int(bool(own) and m not in own)", "int(m in own)"),
    "who pays back holds more": ("(high if sign > 0 else low)", "(low if sign > 0 else high)"),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_a_checker_that_counts_wrong_promises_too_much(name, monkeypatch):
    source = (command.Path(checker.__file__)).read_text()
    right, wrong = MUTANTS[name]
    assert source.count(right) == 1
    module: dict[str, object] = {"__name__": checker.__name__}
    import sys

    monkeypatch.setitem(sys.modules, checker.__name__, checker)
    exec(compile(source.replace(right, wrong), "mutant", "exec"), module)
    monkeypatch.setattr(command.partitions.weights, "read_unequal", module["read_unequal"])
    r = Random(1)
    for _ in range(1500):
        count = r.choice(["hall", "pigeon"]), r.randint(0, 2), {*r.sample(range(3), r.randint(1, 3))}
        try:
            if not promised_at_most(r.randrange(10**9), r.choice(COUNTABLE), count):
                return
        except (ValueError, IndexError):  # a minimum of nothing: it has broken down
            return
    pytest.fail("it is as good as the right one")


def owned(weights, *members, **more):
    """A topic with these weights, and members with what they own of it."""
    topics = (Topic("t", len(weights), weights=tuple(weights)),)
    return Group(topics, tuple(Member(name, ("t",), tuple(TopicPartition("t", n) for n in some), **more) for name, some in members))  # fmt: skip


AB = ("a", ()), ("b", ())


@pytest.mark.parametrize(
    ("of", "text", "levels", "why"),
    [
        (owned([5, 3, 2], *AB), "weighted-balance", [(5, 5)], "all weighs 10, so one of a and b holds 5 or more"),
        (owned([9, 1, 1], *AB), "weighted-balance", [(9, 9)], "the heaviest partition weighs 9"),
        (owned([4, 4, 4], *AB), "weighted-balance", [(8, 8)], "one of a and b holds 2 of the 3 heaviest: 8 at least"),
        (owned([9, 1, 1, 1], *AB), "balance,weighted-balance", [(0, 0), (10, 10)], "the heaviest partition weighs 9, and who holds that holds 1 more: 10 at least"),
        (owned([4, 4, 2, 2], ("a", (0, 1, 2, 3)), ("b", ())), "weighted-balance,moves", [(6, 6), (2, 2)], "2 moves, which is proved"),
        (owned([7, 7], ("a", ()), capacity=9), "capacity", [(5, 5)], "all weighs 14, and a can bear 9"),
        (owned([6, 6, 6], *AB, capacity=9), "capacity", [(3, 3)], "one of a and b holds 2 of the 3 heaviest, and none can bear more than 9"),
        (owned([5, 5, 4, 4, 4], *AB), "weighted-balance", [(12, 12)], "one of a and b holds 3 of the 5 heaviest: 12 at least"),
        (owned([5, 4, 3, 2], ("a", (0, 1)), ("b", (2, 3))), "balance,moves,weighted-balance", [(0, 0), (0, 0), (9, 9)], "what only a may hold weighs 9, so one of a holds 9 or more"),
        (owned([6, 10, 15, 21], *AB), "weighted-balance", [(27, 26, "agreed")], "CP-SAT and HiGHS find nothing below; a count proves 26 at least"),
    ],
)  # fmt: skip
def test_each_sort_of_count_proves_what_it_can(of, text, levels, why):
    found = compute_optimum(text, of)
    assert [(one.value, one.least, *["agreed"] * one.agreed) for one in found.levels] == levels
    assert found.words[len(levels) - 1].partition(": ")[2] == why


def test_what_nobody_proves_is_open(monkeypatch):
    of = owned([6, 10, 15, 21], *AB)
    monkeypatch.setattr(program, "EFFORT", 0.0)
    (level,) = compute_optimum("weighted-balance", of).levels
    assert (level.value, level.least, level.agreed, level.proved) == (27, 26, False, False)
    monkeypatch.undo()
    monkeypatch.setattr(program, "NODES", 0)
    monkeypatch.setattr(program, "EXACT", 0)
    (level,) = compute_optimum("weighted-balance", of).levels
    assert not level.agreed  # one solver alone is none of the three verdicts


def by_program(of: Group) -> int:
    """The least greatest weight of all assignments, by PuLP and HiGHS: a partition is at one of its readers, who each hold at most that."""
    model = Model()
    total = sum(weight for topic in of.topics for weight in topic.weights)
    most, load = model.variable(total, whole=True), {member.id: [] for member in of.members}
    for topic in of.topics:
        for weight in topic.weights:
            places = {m.id: model.variable(1, whole=True) for m in of.members if topic.name in m.topics}
            if places:
                model.require(model.total((place, 1) for place in places.values()) == 1)
            for name, place in places.items():
                load[name].append((place, weight))
    for some in load.values():
        model.require(model.total([*some, (most, -1)]) <= 0)
    (least,) = model.minimise([Objective([(most, 1)], total)])
    return least


@settings(max_examples=share(8, 100), deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(SORTS))
def test_a_program_written_anew_is_within_the_interval(seed, sort):
    r = Random(seed)
    topics = tuple(Topic(f"t{n}", r.randint(1, 4)) for n in range(3))
    members = tuple(
        Member(f"m{n}", tuple(t.name for t in topics if r.random() < 0.7)) for n in range(r.randint(2, 3))
    )
    of = add_weights(r, Group(topics, members), sort)
    (level,) = compute_optimum("weighted-balance", of).levels
    second = by_program(of)
    assert level.least <= second <= level.value
    if level.proved or level.agreed:
        assert second == level.value


def test_the_same_answer_comes_twice():
    of = add_weights(Random(3), Group((Topic("t", 24),), tuple(Member(f"m{n}", ("t",)) for n in range(4))))
    assert compute_optimum("balance,weighted-balance,moves", of) == compute_optimum(
        "balance,weighted-balance,moves", of
    )


def test_weights_near_64_bits_are_counted_exactly():
    of = owned([2**61, 2**61 - 1, 2**61 - 3], *AB)
    (level,) = compute_optimum("weighted-balance", of).levels
    assert (level.value, level.least) == (2**62 - 4, 2**62 - 4)


@settings(max_examples=share(60, 1500), deadline=None)
@given(st.integers(0, 10**9), st.booleans())
def test_counts_of_arrays_are_those_of_their_definition(seed, large):
    """Weights near 64 bits are counted with Python's integers."""
    of = drawn(seed)
    if not of.members:
        return
    if large:
        times = (2**63 - 1) // (1 + sum(weight for topic in of.topics for weight in topic.weights))
        topics = (replace(topic, weights=tuple(w * times for w in topic.weights)) for topic in of.topics)
        of = replace(of, topics=tuple(topics))
    instance = program.read_instance(of, ["weighted-balance"])
    if not instance.items:
        return
    bound = counting.find_bound(instance, "weighted-balance")
    pairs = zip(instance.weights, instance.readers, strict=True)
    inside = sorted((weight for weight, some in pairs if {*some} <= {*bound.members}), reverse=True)
    assert counting.list_weights_within(instance, bound.members) == inside
    number, last = len(bound.members), bound.count * len(bound.members) + 1
    count = -(-sum(inside) // number) if bound.kind == "hall" else sum(inside[last - bound.count - 1 : last])
    grain = math.gcd(*instance.weights) or 1
    assert bound.least == -(-count // grain) * grain


GROUP = write_group(owned([9, 1, 1, 1, 1], ("a", (0, 1, 2)), ("b", (3, 4))))
PLACE = ("certificate", "weights", 0)


def test_a_price_above_all_slots_counts_no_partition_twice(tmp_path, capsys):
    """A member that takes everything may ask any price from 2 times its partitions on; it holds no more of them."""
    of = write_group(owned([3, 1], ("a", ())))
    _, answer = answer_of("balance,weighted-balance", owned([3, 1], ("a", ())))
    dear = changed(answer, ("certificate", "parts", 0, "price"), [100])
    assert verified(tmp_path, of, dear, capsys)[0] == 0
    dear["certificate"]["weights"][0] |= {"kind": "pigeon", "count": 0, "members": ["a"], "least": 7}
    dear["certificate"]["proved"] = False
    dear["levels"][1] |= {"least": 7, "proved": False}
    status, said = verified(tmp_path, of, dear, capsys)
    assert status == 1
    assert "weighted-balance.least: states 7, but it is 4" in said


def test_a_level_that_is_stated_twice_is_refused(tmp_path, capsys):
    _, answer = answer_of("balance,weighted-balance,moves", owned([9, 1, 1, 1, 1], ("a", (0, 1, 2)), ("b", (3, 4))))  # fmt: skip
    (stated,) = answer["certificate"]["weights"]
    for other in (stated, stated | {"least": 99, "value": 99}):
        for both in ([other, stated], [stated, other]):
            status, said = verified(tmp_path, GROUP, changed(answer, ("certificate", "weights"), both), capsys)  # fmt: skip
            assert status == 1
            assert "certificate.weights.level: states ['weighted-balance', 'weighted-balance']" in said


def test_weights_behind_a_level_that_is_open_are_counted():
    """The levels that people see end with the first that is not proved; the certificate states the others."""
    of = owned([3, 2, 2], ("a", (0, 1, 2)), ("b", ()))
    _, answer = answer_of("balance,moves,weighted-balance", of)
    answer["certificate"]["parts"][0]["price"][1] = -9

    def ask(given_):
        return command.verify_answer("partitions", write_group(of), given_)[1]

    open_ = repair(answer, ask)
    assert [each["level"] for each in open_["levels"]] == ["balance", "moves"]
    assert ask(open_).startswith("NOT proved: what it states holds")
    for field in ("least", "value"):
        false = changed(open_, (*PLACE, field), 99)
        assert f"certificate.weights.weighted-balance.{field}: states 99" in ask(false)


@pytest.mark.parametrize("stray", ["those of another question", "none"])
def test_weights_of_a_question_that_weighs_nothing_are_refused(stray, tmp_path, capsys):
    of = owned([9, 1, 1, 1, 1], ("a", (0, 1, 2)), ("b", (3, 4)))
    weights = answer_of("weighted-balance", of)[1]["certificate"]["weights"] if stray != "none" else []
    answer = answer_of("balance,moves", of)[1]
    assert verified(tmp_path, GROUP, answer, capsys)[0] == 0
    answer["certificate"]["weights"] = weights
    status, said = verified(tmp_path, GROUP, answer, capsys)
    assert status == 2
    assert "certificate.weights: no level of the question weighs partitions. Leave them out" in said


@pytest.mark.parametrize(
    ("of", "text", "sentence"),
    [
        (owned([1, None], *AB), "weighted-balance", "topics[0].weights: the weight of t-1 is not known. Give a whole number, 0 or more"),
        (Group((Topic("t", 1),), (Member("a", ("t",)),)), "balance,capacity", "members: none of them has a capacity, which capacity asks for. Give one at least"),
        (owned([1, 2], *AB), "copies=2,weighted-balance", "question: 'copies=2,weighted-balance' asks for weighted-balance under a contract. Ask for it"),
    ],
)  # fmt: skip
def test_what_is_missing_is_named(of, text, sentence, tmp_path, capsys):
    with pytest.raises(ImpossibleError):
        compute_optimum(text, of)
    (tmp_path / "group.json").write_text(json.dumps(write_group(of)))
    assert main(["optimum", text, str(tmp_path / "group.json")]) == 2
    assert sentence in capsys.readouterr().err


def test_an_answer_of_which_a_part_is_open_ends_with_status_3(tmp_path, capsys):
    (tmp_path / "group.json").write_text(json.dumps(write_group(owned([6, 10, 15, 21], *AB))))
    assert main(["optimum", "weighted-balance", str(tmp_path / "group.json")]) == 3
    said = capsys.readouterr().out
    assert "the optimum is 27 of weight at most (two solvers agree; not proven)." in said
    assert "(proven)" not in said


def test_a_bound_that_is_wrong_is_seen_by_the_checker(monkeypatch):
    """Counts come from code that the checker does not share."""
    of = owned([6, 10, 15, 21], *AB)
    right = counting.find_bound

    def wrong(instance, level):
        found = right(instance, level)
        return counting.Bound(27, found.kind, found.members, found.count)

    monkeypatch.setattr(weighed_optimum, "find_bound", wrong)
    best, answer = answer_of("weighted-balance", of)
    assert best.proved
    verdict = partial(command.verify_answer, "partitions", write_group(of))
    assert verdict(answer) == (False, "NOT proved: certificate.weights.weighted-balance.least: states 27, but it is 26")  # fmt: skip


@settings(max_examples=share(20, 600), deadline=None)
@given(st.integers(0, 10**9), st.integers(0, 2**30))
def test_an_answer_is_above_what_is_known_or_proved_or_nobody_says(seed, other):
    of = drawn(seed)
    if not of.members:
        return
    r, given_ = Random(other), {member.id: [] for member in of.members}
    for topic in of.topics:
        readers = [member.id for member in of.members if topic.name in member.topics]
        for partition in topic if readers else ():
            given_[r.choice(readers)].append(partition)
    gaps = {gap.level: gap for gap in CONSUMER.oracles.measured(of, WEIGHS).gaps(given_)}
    best, assignment = exhaust(of, parse_question("balance,weighted-balance"))
    even = {gap.level: gap for gap in CONSUMER.oracles.measured(of, WEIGHS).gaps(assignment)}
    assert {*gaps} >= {*compared()}
    for level in {*WEIGHS} & {*gaps}:
        (_, least), gap = exhaust(of, parse_question(f"balance,{level}"))[0], gaps[level]
        assert gap.value == LEVELS[level].measure(of, given_)
        assert gap.least <= least <= gap.optimum
        assert not gap.agreed or gap.optimum == least
        assert gap.unsure or (gap.over > 0) == (gap.value > least)
    if "weighted-balance" in even:
        assert even["weighted-balance"].value == best[1]
        assert even["weighted-balance"].over <= 0


@pytest.mark.parametrize(
    ("of", "levels"),
    [
        (owned([3, 1], *AB), ["weighted-balance"]),
        (owned([3, 1], *AB, capacity=2), ["weighted-balance", "capacity"]),
        (owned([3, None], *AB), []),
        (Group((Topic("t", 2),), owned([3, 1], *AB).members), []),
    ],
)  # fmt: skip
def test_groups_are_compared_in_what_they_say(of, levels, tmp_path, capsys):
    (tmp_path / "group.json").write_text(json.dumps(write_group(of)))
    assert main(["check", "consumer/sticky", "--group", str(tmp_path / "group.json"), "--json"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["level"] for one in found if one["record"] == "distance"] == [*compared(), *levels]


def test_a_check_says_of_how_many_answers_nobody_knows_whether_they_are_best():
    of = owned([1, 1, 3, 3, 3, 5], *AB)
    answer = compute_optimum("balance,weighted-balance", of).assignment
    (gap,) = [
        gap for gap in CONSUMER.oracles.measured(of, WEIGHS).gaps(answer) if gap.level == "weighted-balance"
    ]
    assert (gap.unsure, gap.agreed, gap.over) == (True, True, 0)
    distance = Distance("t", gap.level, words=gap.words).with_gap(gap)
    assert "not proven: 1, 1 confirmed by two solvers" in str(render_distances([distance]).rows)
    worse = replace(gap, value=gap.value + 1)
    assert not worse.unsure
    assert "50.0 % (of 1 not proved" not in str(render_distances([distance.with_gap(worse)]).rows)
    assert "100.0 % (not proven: 1, 1 confirmed by two solvers)" in str(
        render_distances([distance.with_gap(worse)]).rows
    )


def test_answers_are_not_compared_by_weight_without_an_optimum():
    with pytest.raises(ImpossibleError, match="asks for weights, of which answers are intervals"):
        compute_ordered_optima(owned([1, 2], *AB), parse_question("balance,weighted-balance"))
