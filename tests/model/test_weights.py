"""Weights of partitions and tasks, and capacities of members, in JSON: both ways, and one sentence that names the field where they are wrong."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.cli import main
from kassay.errors import InputError
from kassay.model import Group, Member, Topic, tasks_json
from kassay.model.partitions import INT64_MAX
from kassay.model.partitions_json import decode_group, read_group, write_group
from kassay.properties.minimise import minimise
from kassay.properties.partitions.shrinking import smaller

WEIGHTS = st.one_of(st.none(), st.integers(0, INT64_MAX // 8), st.integers(0, 3))


@st.composite
def weighed(draw):
    counts = draw(st.lists(st.integers(0, 3), min_size=1, max_size=2))
    topics = tuple(
        Topic(f"t{n}", count, weights=draw(st.none() | st.tuples(*[WEIGHTS] * count)))
        for n, count in enumerate(counts)
    )
    members = tuple(Member(f"m{n}", ("t0",), capacity=draw(WEIGHTS)) for n in range(draw(st.integers(1, 2))))
    return Group(topics, members, weight_unit=draw(st.sampled_from([None, "bytes/s", "records"])))


@given(weighed())
def test_weights_come_back_from_json_read_at_once_or_field_by_field(group):
    written = json.dumps(write_group(group))
    assert read_group(json.loads(written)) == group
    at_once = decode_group(written)
    assert at_once is not None
    assert at_once[2] == group


GROUP = {
    "topics": [{"name": "t", "partitions": 2, "weights": [3, None]}],
    "members": [{"id": "m", "topics": ["t"], "capacity": 5}],
    "weight_unit": "records",
}
WHOLE = ". Give a whole number from 0 to 9223372036854775807"


def weights(*some):
    return GROUP | {"topics": [{"name": "t", "partitions": 2, "weights": list(some)}]}


def able(limit):
    return GROUP | {"members": [{"id": "m", "topics": ["t"], "capacity": limit}]}


WRONG = [
    (weights(1, -1), f"topics[0].weights: partition 1 of topic 't' weighs -1{WHOLE}"),
    (weights(2.5, 1), f"topics[0].weights: partition 0 of topic 't' weighs 2.5{WHOLE}"),
    (weights("2", 1), f"topics[0].weights: partition 0 of topic 't' weighs '2'{WHOLE}"),
    (weights(True, 1), f"topics[0].weights: partition 0 of topic 't' weighs True{WHOLE}"),
    (weights(2**63, 1), f"topics[0].weights: partition 0 of topic 't' weighs 9223372036854775808{WHOLE}"),
    (weights(1), "topics[0].weights: topic 't' has 2 partitions but 1 entries. Give one entry per partition, null where unknown"),
    (weights(2**62, 2**62), "topics: the total of their weights is 9223372036854775808. Give at most 9223372036854775807, in a larger unit"),
    (able(-1), f"members[0].capacity: member 'm' can bear -1{WHOLE}"),
    (able(0.5), f"members[0].capacity: member 'm' can bear 0.5{WHOLE}"),
    (GROUP | {"weight_unit": ""}, "weight_unit: is ''. Name one unit for all weights, such as 'bytes/s'"),
]  # fmt: skip


@pytest.mark.parametrize(("group", "sentence"), WRONG)
def test_one_sentence_names_what_is_wrong(group, sentence, tmp_path, capsys):
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}"):
        read_group(json.loads(json.dumps(group)))
    file = tmp_path / "group.json"
    file.write_text(json.dumps(group))
    for command in (
        ["assign", "consumer/range"],
        ["check", "consumer/range", "--group"],
        ["optimum", "weighted-balance"],
    ):
        assert main([*command, str(file)]) == 2
        assert sentence in capsys.readouterr().err


def test_tasks_weigh_something_too():
    data = {
        "tasks": [{"id": "0_0", "weight": 4}],
        "clients": [{"id": "00000000-0000-0000-0000-000000000001", "threads": 1}],
        "weight_unit": "bytes",
    }
    application = tasks_json.read_group(data)
    assert tasks_json.write_group(application) == data
    data["tasks"][0]["weight"] = -4
    with pytest.raises(InputError, match=r"^tasks\[0\].weight: task 0_0 weighs -4. Give a whole number"):
        tasks_json.read_group(data)


def test_what_does_not_matter_is_left_out_of_a_smallest_group():
    group = read_group(GROUP | {"topics": [{"name": "t", "partitions": 4, "weights": [7, 9, None, 30]}]})

    def heavy(some):
        return any((weight or 0) >= 7 for topic in some.topics for weight in topic.weights or ())

    smallest = minimise(group, heavy, smaller).group
    assert smallest == Group((Topic("t0", 1, weights=(7,)),), (Member("m0", ("t0",)),))
