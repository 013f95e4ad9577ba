"""The JSON of streams groups: whole and back, and a sentence for each wrong field."""

import json

import pytest
from hypothesis import given, settings
from mutations import changed

from kassay.cli import main
from kassay.errors import InputError
from kassay.model.streams_group import MemberTasks, StreamsMember
from kassay.model.streams_group_json import read_assignment, read_group, write_assignment, write_group
from kassay.model.tasks import TaskId
from kassay.properties.tasks.members.strategies import groups

WHOLE = {
    "family": "streams-group",
    "name": "shop",
    "subtopologies": [{"id": "0", "partitions": 3, "stateful": True}, {"id": "10", "partitions": 1}],
    "members": [
        {
            "id": "m0", "process_id": "p0", "instance_id": "i", "rack": "r", "tags": {"zone": "z1"}, "active": ["0_0"],
            "standby": ["0_1"], "warmup": ["0_2"], "offsets": {"0_1": 12}, "end_offsets": {"0_1": 40},
        },
        {"id": "m1", "process_id": "p0", "active": ["10_0", "99_1"]},
    ],
    "config": {"num.standby.replicas": 1, "rack.aware.assignment.tags": ["zone"]},
}  # fmt: skip
MEMBER = ("members", 0)
WRONG = [
    (("subtopologies", 0, "id"), 0, "subtopologies[0].id: Expected `str`"),
    (("subtopologies", 1, "id"), "0", "subtopologies: 0 is listed twice"),
    (("subtopologies", 0, "partitions"), -1, "subtopologies[0].partitions: subtopology 0 has -1; give 0 to 2147483647"),
    (("subtopologies", 0, "partitions"), 2**31 - 1, "subtopologies: they have 21474836"),
    (("subtopologies", 0, "stateful"), "yes", "subtopologies[0].stateful: Expected `bool`"),
    (("subtopologies", 0, "topics"), [], "subtopologies[0]: there is no field `topics`"),
    ((*MEMBER, "id"), "m1", "members: m1 is listed twice"),
    ((*MEMBER, "process_id"), "", "members[0].process_id: member 'm0' has none; name the process"),
    ((*MEMBER, "process_id"), None, "members[0].process_id: Expected `str`"),
    ((*MEMBER, "active"), ["0_x"], "members[0].active: '0_x' is no task"),
    ((*MEMBER, "active"), ["0_0", "0_0"], "members[0].active: member m0 lists 0_0 twice"),
    ((*MEMBER, "standby"), ["0_0"], "members[0].standby: member m0 has 0_0 in another role too"),
    ((*MEMBER, "warmup"), ["0_1"], "members[0].warmup: member m0 has 0_1 in another role too"),
    ((*MEMBER, "offsets"), {"0_1": 2**63}, "members[0].offsets: member m0 has 9223372036854775808 for 0_1; give -9223372036854775808 to"),
    ((*MEMBER, "end_offsets"), {"a": 1}, "members[0].end_offsets: 'a' is no task"),
    ((*MEMBER, "tags"), {"t" * 21: "x"}, "members[0].tags: member m0 has ttttt"),
    ((*MEMBER, "tags"), {str(n): "x" for n in range(6)}, "members[0].tags: member m0 has 6; give at most 5"),
    ((*MEMBER, "lags"), {}, "members[0]: there is no field `lags`"),
    (("config", "num.standby.replicas"), -1, "config.num.standby.replicas: -1; give 0 to 2147483647"),
    (("config", "num.standby.replicas"), 2**31 - 1, "config.num.standby.replicas: with 2147483647 there are"),
    (("config", "rack.aware.assignment.tags"), ["a", "a"], "config.rack.aware.assignment.tags: 'a' is listed twice"),
    (("config", "rack.aware.assignment.tags"), list("abcdef"), "config.rack.aware.assignment.tags: 6 tags; give at most 5"),
    (("config", "max.warmup.replicas"), 1, "config: there is no field `max.warmup.replicas`"),
    (("topics",), [], "there is no field `topics`"),
]  # fmt: skip


def test_a_group_is_read_and_written_whole():
    group = read_group(WHOLE)
    assert group.members[0] == StreamsMember(
        "m0", "p0", (TaskId(0, 0),), (TaskId(0, 1),), (TaskId(0, 2),), {TaskId(0, 1): 12}, {TaskId(0, 1): 40},
        "i", "r", (("zone", "z1"),),
    )  # fmt: skip
    assert {"family": "streams-group", "name": "shop", **write_group(group)} == WHOLE


@pytest.mark.parametrize(("path", "value", "says"), WRONG, ids=lambda value: str(value)[:50])
def test_each_wrong_field_has_its_sentence(path, value, says, tmp_path, capsys):
    with pytest.raises(InputError) as refused:
        read_group(changed(WHOLE, path, value))
    assert str(refused.value).startswith(says)
    file = tmp_path / "group.json"
    file.write_text(json.dumps(changed(WHOLE, path, value)))
    assert main(["assign", "streams-group/sticky", str(file)]) == 2
    assert says[:40] in capsys.readouterr().err


@settings(max_examples=50, deadline=None)
@given(groups())
def test_what_is_written_is_read_again(group):
    assert read_group(json.loads(json.dumps(write_group(group)))) == group


def test_assignments_are_taken_from_code_by_name_and_by_place():
    task = TaskId(0, 0)
    written = {"m0": {"active": ["0_0"], "standby": [], "warmup": []}}
    for given_ in (MemberTasks((task,)), {"active": [(0, 0)]}, (["0_0"], [])):
        assert write_assignment({"m0": given_}) == written
    assert read_assignment(written) == {"m0": MemberTasks((task,))}
    with pytest.raises(InputError, match=r"m0.standby: 'x' is no task"):
        read_assignment({"m0": {"standby": ["x"]}})
