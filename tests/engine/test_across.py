"""Assignors of consumers and of coordinators are compared on the same groups, where both can answer them."""

import json
from dataclasses import replace
from html import escape

import pytest
from hypothesis import HealthCheck, given, settings
from printed import json_lines

from kassay.api.compare import compare
from kassay.cli import main
from kassay.comparison.measured import measure_all
from kassay.comparison.strategies import combine_families, find_common_family
from kassay.errors import InputError
from kassay.families.broker import BROKER
from kassay.families.consumer import CONSUMER
from kassay.families.convergence import illegal
from kassay.families.share import SHARE
from kassay.model import Config, Group, Member, Topic, TopicPartition
from kassay.reference.broker.range import RANGE
from kassay.reference.broker.uniform import UNIFORM
from kassay.targets import Options, open_target

BOTH = combine_families(["consumer", "broker"])
GROUP = Group(
    (Topic("a", 4, (("r", "s"), ("s",), ("r",), ("s",))), Topic("b", 3)),
    (
        Member("m1", ("a", "b"), (TopicPartition("a", 0), TopicPartition("b", 0)), 4, None, "r"),
        Member("m2", ("a", "b"), (TopicPartition("a", 1), TopicPartition("b", 1)), 4, "i2", "s"),
        Member("m3", ("a",), (), None, None, "s"),
    ),
)
FIRST, SECOND, THIRD = GROUP.members


def with_first(**changes):
    return replace(GROUP, members=(replace(FIRST, **changes), SECOND, THIRD))


def with_topic(**changes):
    return replace(GROUP, topics=(GROUP.topics[0], replace(GROUP.topics[1], **changes)))


REFUSED = {
    "config: a coordinator's": replace(GROUP, config=Config(rack_from_host="(.*)")),
    "topics[1].hosts: ": with_topic(hosts=(("h",),) * 3),
    "topics[1].unassignable: ": with_topic(unassignable=(1,)),
    "members[0].user_data: ": with_first(user_data=b"x"),
    "members[0].topics: there is no topic 'c'": with_first(topics=("a", "b", "c")),
    "members[0].owned: topic 'b' has 3 partitions": with_first(owned=(TopicPartition("b", 3),)),
    "members[1].generation: is 4, but 3 for 'm1'": with_first(generation=3),
    "members[1].generation: is 4, but left out for 'm1'": with_first(generation=None),
    "members[1].owned: a-1 is listed by 'm1' too": with_first(owned=(TopicPartition("a", 1),)),
}


@pytest.mark.parametrize("says", REFUSED)
def test_what_one_side_alone_knows_is_refused_by_name(says):
    said = BOTH.refused(REFUSED[says])
    assert said is not None
    assert said.startswith(says)
    assert said == combine_families(["broker", "consumer"]).refused(REFUSED[says])


@pytest.mark.parametrize(
    "group",
    [
        GROUP,
        with_first(owned=(TopicPartition("gone", 0),)),
        with_first(owned=(), generation=3),
        with_first(topics=("a", "a", "b")),
        with_topic(id="AAAAAAAAAAAAAAAAAAAAAQ"),
    ],
    ids=["plain", "topic is gone", "older, owns nothing", "listed twice", "topic id"],
)
def test_what_both_know_is_not_refused(group):
    assert BOTH.refused(group) is None


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(BOTH.shape.groups())
def test_coordinators_give_complete_and_legal_answers_to_the_groups_of_both(group):
    for assignor in (RANGE, UNIFORM) if group.members else ():
        assert not illegal(BROKER, group, assignor.assign(group))


def opened(*names):
    return [open_target(name, Options()) for name in names]


def test_each_is_measured_as_in_its_own_family():
    names = ["consumer/cooperative-sticky", "broker/uniform", "consumer/range", "broker/range"]
    targets = opened(*names)
    (row,) = measure_all(targets, find_common_family(targets), [GROUP])
    for target, one in zip(targets, row, strict=True):
        ((alone,),) = measure_all([target], find_common_family([target]), [GROUP])
        assert one == alone
        assert one.family == target.family
    assert row[0].settled != row[0].assignment  # only clients withhold what others have yet to give up
    assert row[1].settled == row[1].assignment


def test_families_that_answer_other_groups_are_not_compared():
    with pytest.raises(InputError, match=r"several families \(consumer, share\)"):
        find_common_family(opened("consumer/range", "share/simple"))
    assert not SHARE.migrations


def test_only_what_is_measured_alike_is_compared(monkeypatch):
    other = replace(BROKER, measures={**BROKER.measures, "moves": lambda _group, _answer: 0}, oracles=None)
    monkeypatch.setattr("kassay.families.broker.BROKER", other)
    merged = combine_families(["consumer", "broker"])
    assert set(merged.measures) == set(CONSUMER.measures) - {"moves"}
    assert merged.oracles is None


def write(path, group, family="consumer"):
    made = {"consumer": CONSUMER, "broker": BROKER, "share": SHARE}[family].write_group(group)
    path.write_text(json.dumps(made))
    return str(path)


@pytest.mark.parametrize("stated", ["consumer", "broker"])
def test_the_command_compares_and_names_families(stated, tmp_path, capsys):
    file = write(tmp_path / "group.json", GROUP, stated)
    page = tmp_path / "page.html"
    asked = ["compare", "consumer/cooperative-sticky", "broker/uniform", "--group", file]
    assert main([*asked, "--json", "--html", str(page)]) == 0
    records = json_lines(capsys)
    found = {one["target"]: one["family"] for one in records if one["record"] == "compared"}
    assert found == {"consumer/cooperative-sticky": "consumer", "broker/uniform": "broker"}
    (told,) = [record for record in records if record["record"] == "advice"]
    assert escape(told["says"]) in page.read_text()
    assert told["assignor"] in {**CONSUMER.settable, **BROKER.settable}
    assert {each.partition("/")[0] for each in {*found, told["assignor"]}} == {"consumer", "broker"}
    assert escape(told["advice"]) in page.read_text()
    assert "<dd>consumer, broker</dd>" in page.read_text()


@pytest.mark.parametrize("says", REFUSED)
def test_the_command_refuses_with_file_and_field(says, tmp_path, capsys):
    file = write(tmp_path / "group.json", REFUSED[says])
    assert main(["compare", "consumer/range", "broker/uniform", "--group", file]) == 2
    assert f"{file}: {says}" in capsys.readouterr().err


def test_a_group_of_the_other_family_is_refused_wherever_it_is_read(tmp_path, capsys):
    file = write(tmp_path / "group.json", with_first(user_data=b"x"))
    assert main(["assign", "broker/uniform", file]) == 2
    assert "members[0].user_data: " in capsys.readouterr().err
    assert main(["assign", "broker/uniform", write(tmp_path / "group.json", GROUP)]) == 0
    assert main(["assign", "share/simple", write(tmp_path / "group.json", GROUP)]) == 2


@pytest.mark.parametrize("family", ["broker", "share"])
@pytest.mark.parametrize("says", ["config: a coordinator's", "topics[1].hosts: ", "members[0].user_data: "])
def test_what_coordinators_are_not_told_is_refused_in_their_own_groups(says, family, tmp_path, capsys):
    file = write(tmp_path / "group.json", REFUSED[says], family)
    assert main(["optimum", "balance", file]) == 2
    assert f"{file}: {says}" in capsys.readouterr().err


def test_from_python_given_groups_are_checked_too():
    frame = compare(["consumer/range", "broker/range"], [GROUP], examples=5)
    assert list(frame["target"]) == ["consumer/range", "broker/range"] * 6
    with pytest.raises(InputError, match=r"groups\[1\]: members\[0\].user_data"):
        compare(["consumer/range", "broker/range"], [GROUP, with_first(user_data=b"x")])
