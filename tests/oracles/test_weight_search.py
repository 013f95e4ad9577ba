"""Searches for the least greatest weight: all assignments of small groups agree, the checker repeats them, and mutants are found."""

import sys
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from second_opinions.every_assignment import exhaust
from test_weights import AB, answer_of, drawn, owned
from whole import share

from kassay.model import Group
from kassay.model.partitions_json import write_group
from kassay.oracles.partitions.question import parse_question
from kassay.oracles.partitions.weights import optimum as weighed_optimum
from kassay.oracles.partitions.weights import search as searching
from kassay.oracles.proof import command
from kassay.oracles.proof import weights as checker


def scaled(seed: int) -> Group:
    """A small group with weights near 64 bits."""
    of = drawn(seed)
    r = Random(seed)
    number = max(1, sum(topic.partitions for topic in of.topics))
    most = (2**63 - 1) // number
    apart = r.choice([most, most // 9, 9, 3])  # weights that differ little have optima that differ by 1
    topics = (replace(t, weights=tuple(most - r.randint(0, apart) for _ in t)) for t in of.topics)
    return replace(of, topics=tuple(topics))


SEARCHES = ("weighted-balance", "balance,weighted-balance", "balance,moves,weighted-balance", "moves,weighted-balance")  # fmt: skip


@settings(max_examples=share(30, 2000), deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(SEARCHES), st.integers(1, 3))
def test_large_weights_are_searched_and_the_checker_repeats_it(seed, text, less):
    assert is_searched_exactly(seed, text, less)


def is_searched_exactly(seed, text, less):
    """Return True if an answer is the optimum of all assignments and the checker accepts it, but no greater bound."""
    of = scaled(seed)
    if not of.members:
        return True
    best, answer = answer_of(text, of)
    least = exhaust(of, parse_question(text))[0]
    proved, said = command.verify_answer("partitions", write_group(of), answer)
    right = proved is best.proved and (not best.proved or best.levels[-1].value == least[-1])
    right &= best.levels[-1].least <= least[-1] and (best.proved or text.startswith("moves"))
    (stated,) = answer["certificate"]["weights"]
    stated |= {"kind": "search", "count": 0, "members": [m.id for m in of.members], "least": least[-1] + less}
    proved, said = command.verify_answer("partitions", write_group(of), answer)
    return right and not proved and ("least: an assignment has less" in said or not least[-1])


SEARCH_MUTANTS = {
    "equal is too much for the search": (searching, "search_least_weight", "instance.weights[item] >= below", "instance.weights[item] + 1 >= below"),
    "members are alike by their loads": (searching, "search_least_weight", "alike = load[m], count[m], read[m], instance.windows[m]", "alike = load[m]"),
    "no partition is left for the fewest": (searching, "search_least_weight", "- depth:", "- depth - 1:"),
    "the checker cuts off what is equal": (checker, "read_unequal", "load + weight >= value", "load + weight + 1 >= value"),
    "all members are interchangeable": (checker, "read_unequal", "if other == own]", "if other]"),
    "the checker asks for one more": (checker, "read_unequal", ") > left:", ") >= left:"),
}  # fmt: skip


@pytest.mark.parametrize("name", SEARCH_MUTANTS)
def test_a_wrong_search_is_found(name, monkeypatch):
    module, function, right, wrong = SEARCH_MUTANTS[name]
    source = command.Path(module.__file__).read_text()
    assert source.count(right) == 1
    mutant: dict[str, object] = {"__name__": module.__name__}
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(source.replace(right, wrong), "mutant", "exec"), mutant)
    where = weighed_optimum if module is searching else command.partitions.weights
    monkeypatch.setattr(where, function, mutant[function])
    r = Random(1)
    assert not all(is_searched_exactly(r.randrange(10**9), r.choice(SEARCHES), 1) for _ in range(600))


def test_weights_of_7_10_17_are_proved():
    of = owned([7 * 10**17 + n * n for n in range(6)], *AB, ("c", ()), ("d", ()))
    best, answer = answer_of("weighted-balance", of)
    assert best.proved
    assert answer["certificate"]["weights"][0]["kind"] == "search"
    assert command.verify_answer("partitions", write_group(of), answer)[0]
