"""What sweeps check in bulk, on columns, is what the checker of proofs finds of a group as JSON: bounds of any prices, and worths.

Small placements in machine code are held to it in `assignment/active_standby/test_small_optima.py`.
"""

import json
from random import Random

import numpy as np
from drawing import QUESTIONS, asking, group
from hypothesis import given, settings
from hypothesis import strategies as st
from whole import some

from kassay.errors import InputError
from kassay.families import family
from kassay.model.partitions_json import write_group
from kassay.oracles.assignment import sequence_optimum as bulk
from kassay.oracles.assignment.certificates import compute_bound, find_owned_places
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.own_levels import TOPIC_SPREAD
from kassay.oracles.assignment.values import Prices, compute_values
from kassay.oracles.errors import ImpossibleError
from kassay.oracles.partitions.encoding import decode_assignment, encode_group
from kassay.oracles.partitions.optimum import write_topic_prices
from kassay.oracles.partitions.over_time import encode
from kassay.oracles.partitions.question import parse_question
from kassay.oracles.proof import groups, partitions
from kassay.oracles.proof.over_time import network
from kassay.oracles.proof.over_time.of_partitions import Partitions
from kassay.oracles.proof.over_time.sums import build_stages
from kassay.properties.partitions import timelines

PRICES = st.lists(st.integers(-40, 40), min_size=36, max_size=36)
KINDS = family("consumer").oracles.over_time.kinds


def with_topics(case, levels, rows, drawn):
    """Any prices, those of topics and of half of the owners' places too."""
    shape = len(levels), case.problem.topics, case.problem.asked(levels).racks
    topic, member = np.divmod(find_owned_places(case.problem.asked(levels))[::2], case.problem.members)
    return Prices(
        rows,
        np.resize(np.array(drawn[::-1]), shape),
        (topic, member),
        np.resize(np.array(drawn[5:]), (len(levels), len(topic))),
    )


@settings(max_examples=some(60, 20_000))
@given(st.integers(0, 10**9), st.sampled_from(QUESTIONS), PRICES)
def test_columns_and_json_have_the_same_bounds_and_worths(seed, text, drawn):
    of, asked = asking(Random(seed), text), parse_question(text)
    try:
        read = encode_group(of, asked)
        solutions = [solve(case.problem, asked.levels) for case in read]
    except ImpossibleError:
        return
    known = groups.read_group(json.loads(json.dumps(write_group(of))), groups.read_question(text))
    given_ = decode_assignment(of, read, [each.owners for each in solutions])
    held = partitions.read_holders(known, {member: list(own) for member, own in given_.items()}, "")
    some_ = [(case, each) for case, each in zip(read, solutions, strict=True) if case.problem.items]
    assert len(some_) == len(known.parts)
    for (case, solution), sets in zip(some_, known.parts, strict=True):
        part, spread = partitions.count_items(known, sets), TOPIC_SPREAD in asked.levels
        rows = np.zeros((len(asked.levels), len(case.members)), np.int64)
        for place, m in enumerate(part.readers):
            rows[:, m] = [
                drawn[(place * len(asked.levels) + n) % len(drawn)] for n in range(len(asked.levels))
            ]
        stated = {
            "price": [0] * len(rows),
            "except": {case.members[m]: rows[:, m].tolist() for m in part.readers},
        }
        prices = with_topics(case, asked.levels, rows, drawn) if spread else Prices(rows)
        if spread:
            stated |= {"spread": write_topic_prices(case, prices)}
        assert compute_bound(case.problem, asked.levels, prices) == tuple(
            partitions.compute_row_bound(known, sets, stated, "")
        )
        worth = partitions.compute_values(known, sets, held, "")
        assert compute_values(case.problem, asked.levels, solution.owners) == tuple(
            worth[level] for level in asked.levels
        )


@settings(max_examples=some(30, 5000))
@given(st.integers(0, 10**9), st.sampled_from(sorted(KINDS)), st.integers(1, 2), PRICES)
def test_a_sequence_has_no_higher_bound_in_columns(seed, kind, number, drawn):
    """The checker knows exactly which assignments are most even, the search of some that may be: so the checker's bound is no lower."""
    of = group(Random(seed))
    try:
        timeline = KINDS[kind](of, number)
    except InputError:
        return
    text = "balance,moves,cross-rack"
    found = encode(timelines.stages(timeline), parse_question(text)).sequence
    known = Partitions(
        text, build_stages("partitions", json.loads(json.dumps(write_group(of))), (kind, number))
    ).network
    assert list(known.counts) == found.counts.tolist()
    prices = iter(drawn * 20)
    rows = [[next(prices) * bulk.SCALE // 7 for _ in step.low] for step in known.steps]
    weights = (9, 2)
    costs = [
        [[(tail, network.weigh(cost, weights)) for tail, cost in arcs] for arcs in step.into]
        for step in known.steps
    ]
    exact = network.compute_bound(known, costs, weights, {"rows": rows, "places": []}, {}, "")
    assert exact >= bulk.compute_bound(found, weights, bulk.Prices(tuple(map(tuple, rows))), {})
