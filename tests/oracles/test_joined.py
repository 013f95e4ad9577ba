"""The questions about joined topics, and those about racks that host names tell: three oracles agree, and the certificates hold."""

import json
from dataclasses import replace
from random import Random

import pytest
from drawing import group
from second_opinions.every_assignment import exhaust
from second_opinions.optimum_by_program import optimum_by_program
from verifying import answers
from whole import cases, some

from kassay.cli import main
from kassay.model import AssignorError, Config, Group, Member, Topic
from kassay.model.hosts import locate_racks
from kassay.model.joins import find_joins
from kassay.model.partitions_json import write_group
from kassay.oracles.errors import ImpossibleError, TooLargeError
from kassay.oracles.partitions.optimum import compute_optimum
from kassay.oracles.partitions.question import parse_question, remeasure
from kassay.properties.partitions.invariants import co_partitioned, complete, exclusive, subscribed
from kassay.reference import ASSIGNORS

QUESTIONS = ["joined", "joined,cross-rack,moves", "joined,moves", "joined,balance,cross-rack"]


def joined(r: Random) -> Group:
    """Join the first two topics, mostly of equal size."""
    of = group(r)
    first, *others = of.topics
    if others and r.random() < 0.8:
        others[0] = Topic(others[0].name, first.partitions, first.racks)
    return replace(of, topics=(first, *others), config=Config(joined_topics=(("t0", "t1"),)))


def test_joined_topics_have_a_proved_optimum_that_keeps_them_together():
    r, answered, impossible, other = Random(4), 0, 0, 0
    while answered < some(60, 600):
        of, text = joined(r), r.choice(QUESTIONS)
        asked = parse_question(text)
        try:
            _, best = exhaust(of, asked)
        except TooLargeError:
            continue
        except ImpossibleError:
            impossible += 1
            assert any(join.wrong for join in find_joins(of))
            with pytest.raises(ImpossibleError, match=" are joined, but "):
                compute_optimum(text, of)
            with pytest.raises(AssignorError, match=" are joined, but "):
                ASSIGNORS["consumer/per-topic"].assign(of)
            continue
        answered += 1
        for found in (compute_optimum(text, of), optimum_by_program(text, of)):
            assert found.values == remeasure(of, best, asked), (text, of)
            for invariant in (complete, exclusive, subscribed, co_partitioned):
                assert not list(invariant(of, found.assignment)), (text, of)
        other += found.values["balance"] > 0 and bool(find_joins(of))
    assert impossible
    assert other


def test_a_certificate_proves_what_is_joined(tmp_path):
    read = ("t", "u", "v")
    topics = tuple(Topic(name, 2, (("a",), ("b",))) for name in read)
    members = tuple(Member(name, read, rack=rack) for name, rack in (("m0", "a"), ("m1", "b")))
    of = write_group(Group(topics, members, Config(joined_topics=(("t", "v"),))))
    (answer,) = answers(tmp_path, "joined", of)
    assert answer["levels"][-1] == {"level": "cross-rack", "value": 0, "least": 0, "proved": True}
    assert len(answer["certificate"]["parts"]) == 2
    group, stated = tmp_path / "group.json", tmp_path / "answer.json"
    group.write_text(json.dumps(of))
    stated.write_text(json.dumps(answer))
    assert main(["optimum", "--verify", str(stated), str(group)]) == 0
    given = answer["assignment"]
    given["m0"], given["m1"] = ([p for p in given[m] if p[0] != "v"] for m in ("m0", "m1"))
    given["m0"].append(["v", 1])
    given["m1"].append(["v", 0])
    stated.write_text(json.dumps(answer))
    assert main(["optimum", "--verify", str(stated), str(group)]) == 1


def test_racks_that_host_names_tell_count_as_stated_ones():
    r = Random(5)
    for _ in cases(20, 200):
        of = group(r)
        named = replace(
            of,
            topics=tuple(
                replace(
                    t,
                    racks=None,
                    hosts=t.racks and tuple(tuple(x and f"h.{x}" for x in near) for near in t.racks),
                )
                for t in of.topics
            ),
            members=tuple(
                replace(m, rack=None, user_data=f"h.{m.rack}".encode() if m.rack else None)
                for m in of.members
            ),
            config=Config(r"h\.(.+)"),
        )
        for text in ("co-partition", "balance,cross-rack,moves"):
            assert compute_optimum(text, named).values == compute_optimum(text, of).values, of
        assert locate_racks(named).config == named.config
