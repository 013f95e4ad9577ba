"""The oracles and the properties agree, on every group that is generated for assignors and on what these answer."""

from hypothesis import given, settings
from hypothesis import strategies as st
from whole import share

from kassay.model import AssignorError
from kassay.oracles.partitions.optima import compute_gaps, find_moves_to_optimum
from kassay.oracles.partitions.optimum import compute_optimum
from kassay.oracles.partitions.question import parse_question, remeasure
from kassay.properties.consumer import INVARIANTS, MEASURES
from kassay.properties.partitions.strategies import groups
from kassay.reference import ASSIGNORS

WHOLE = ("complete", "exclusive", "subscribed", "existing")


@settings(max_examples=share(40, 120), deadline=None)
@given(
    groups(),
    st.sampled_from(["balance", "balance,moves,cross-rack", "balance,cross-rack,moves", "balance,moves"]),
)
def test_an_optimum_keeps_the_invariants_and_measures_what_it_says(group, text):
    best = compute_optimum(text, group)
    assert best.proved
    assert best.values == remeasure(group, best.assignment, parse_question(text))
    assert best.values["balance"] == MEASURES["imbalance"](group, best.assignment)
    for name in (*WHOLE, "every_member", "balanced"):
        assert not list(INVARIANTS[name](group, best.assignment)), name


@settings(max_examples=share(40, 120), deadline=None)
@given(
    groups(), st.sampled_from(["consumer/range", "consumer/roundrobin", "consumer/sticky", "consumer/fair"])
)
def test_an_answer_is_balanced_exactly_where_no_move_leads_to_the_optimum(group, name):
    try:
        answer = ASSIGNORS[name].assign(group)
    except AssignorError:
        return
    whole = not any(violation for each in WHOLE for violation in INVARIANTS[each](group, answer))
    moves = find_moves_to_optimum("balance", group, answer)
    assert (moves is not None) == whole
    if whole:
        assert (moves == []) == (not list(INVARIANTS["balanced"](group, answer)))
        (balance,) = compute_gaps(compute_optimum("balance", group), group, answer)
        assert balance.over >= 0
        assert MEASURES["square_imbalance"](group, answer) >= MEASURES["square_imbalance"](
            group, compute_optimum("balance", group).assignment
        )
