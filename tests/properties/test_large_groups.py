"""Large groups and limits of integers: what they reach, and the mistakes that only they find."""

import json
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given

from kassay.cli import main
from kassay.engine.check import check
from kassay.engine.finding import Finding
from kassay.engine.generate import BATCH, DIRECTED, draw_batches, draw_examples, draw_large_groups
from kassay.engine.promises import read_promises
from kassay.engine.trial import Trial
from kassay.families import FAMILIES, family
from kassay.families.assignors import ASSIGNORS
from kassay.model import AssignorError
from kassay.model.workers import Work
from kassay.properties.choices import EDGES
from kassay.properties.partitions.large import DIMENSIONS
from kassay.properties.partitions.owners import is_owned_once
from kassay.properties.partitions.strategies import draw_edge_groups, drawn_choices
from kassay.targets import Options, open_target
from kassay.targets.target import Target

DEFAULT = 2_000
SMALL = {
    "consumer": "sticky",
    "broker": "uniform",
    "share": "simple",
    "streams": "high-availability",
    "connect": "incremental-cooperative",
}


def large(name, examples=DEFAULT):
    return list(draw_large_groups(family(name), examples, 0))


def finds(name, assign, broken, groups):
    """Return True if a mutant breaks a property on some of the groups. It may fail where Kafka's own assignor fails."""
    invariant, answers = family(name).invariants[broken], []
    for group in groups:
        with suppress(AssignorError):
            answers.append((group, assign(group)))
    assert len(answers) > len(groups) // 2
    return any(next(invariant(group, answer), None) for group, answer in answers)


def honest(name):
    return ASSIGNORS[f"{name}/{SMALL[name]}"].assign


def keep(answer, kept):
    """Take from an answer to a consumer group all partitions that are not kept."""
    return {name: tuple(p for p in given if kept(name, p)) for name, given in answer.items()}


def loses_multiples_of_256(group):
    """Lose all partitions from 256 on, as a number of one byte would."""
    return keep(honest("consumer")(group), lambda _, p: p.partition < 256)


def skips_every_16th_member(group):
    ids = [member.id for member in group.members]
    skipped = set(ids[16::16])
    return keep(honest("consumer")(group), lambda name, _: name not in skipped)


def ignores_the_ninth_member(group):
    ids = [member.id for member in group.members]
    return keep(honest("consumer")(group), lambda name, _: name not in ids[8:9])


def reads_five_topics(group):
    """Give each member partitions of its first five topics only."""
    members = tuple(replace(member, topics=member.topics[:5]) for member in group.members)
    return honest("consumer")(replace(group, members=members))


def reads_short_generations(group):
    """Take generations as 16-bit integers, of which half are negative, and so the newest claim may be the oldest."""

    def as_short(generation):
        return (generation + (1 << 15)) % (1 << 16) - (1 << 15)

    order = sorted({as_short(member.generation) for member in group.members if member.generation is not None})
    members = (
        member
        if member.generation is None
        else replace(member, generation=order.index(as_short(member.generation)))
        for member in group.members
    )
    return honest("consumer")(replace(group, members=tuple(members)))


def tolerates_from_20_on(group):
    """Move a partition from the idlest to the busiest reader of all topics, if a topic has 20 partitions or more."""
    answer = {name: list(given) for name, given in honest("consumer")(group).items()}
    known = {topic.name for topic in group.topics}
    alike = len({frozenset(member.topics) & known for member in group.members}) == 1
    if alike and len(answer) > 1 and any(topic.partitions >= 20 for topic in group.topics):
        idle, busy = (pick(answer, key=lambda name: len(answer[name])) for pick in (min, max))
        if idle != busy and answer[idle]:
            answer[busy].append(answer[idle].pop())
    return answer


MUTANTS = {
    loses_multiples_of_256: "complete",
    skips_every_16th_member: "complete",
    ignores_the_ninth_member: "complete",
    reads_five_topics: "complete",
    reads_short_generations: "newest_generation_wins",
    tolerates_from_20_on: "balanced",
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_default_number_of_large_groups_kills_a_mutant_of_consumers(mutant):
    assert finds("consumer", mutant, MUTANTS[mutant], large("consumer"))


@pytest.mark.parametrize("name", ["broker", "share"])
@pytest.mark.parametrize(
    "kept",
    [
        lambda _, p: p.partition < 256,
        lambda name, _: not name.endswith("31"),
        lambda _, p: not p.topic.endswith("16"),
    ],
    ids=["number of one byte", "member 31", "topic 16"],
)
def test_large_groups_kill_limits_in_assignors_of_coordinators(name, kept):
    assign = honest(name)
    assert finds(name, lambda group: keep(assign(group), kept), "complete", large(name))


@pytest.mark.parametrize("name", SMALL)
def test_the_references_show_no_new_defect_on_large_groups(name):
    of = family(name)
    target = open_target(f"{name}/{SMALL[name]}", Options())
    promises = read_promises(target, of)
    trial = Trial(target, of, sorted(promises.names), promises, 0, sampled=True)
    for group in large(name):
        trial.judge(group, large=True)
    assert trial.answered > 10
    assert not trial.convicted


def test_a_check_finds_the_number_of_one_byte_and_shows_a_small_group_for_it():
    told = run_check(loses_multiples_of_256)
    found = [one for one in told if isinstance(one, Finding) and one.property == "complete"]
    assert found
    assert min(topic.partitions for topic in found[0].group.topics) <= 257
    assert max(topic.partitions for topic in found[0].group.topics) == 257


def run_check(assign):
    target = open_mutant(assign)
    return list(check(target, family("consumer"), examples=BATCH, wanted=["complete"], sampled=True))


def open_mutant(assign):
    return Target("mutant", "consumer", assign, assign, promises=frozenset({"complete"}))


def lose_tasks(application):
    """Lose all tasks from 256 on."""
    answer = honest("streams")(application)
    clients = {
        name: replace(given, active=tuple(t for t in given.active if t.partition < 256))
        if hasattr(given, "__dataclass_fields__")
        else given._replace(active=tuple(t for t in given.active if t.partition < 256))
        for name, given in answer.clients.items()
    }
    return (
        answer._replace(clients=clients) if hasattr(answer, "_replace") else replace(answer, clients=clients)
    )


def lose_work(cluster):
    """Lose the tasks from 256 on of every connector."""
    answer = honest("connect")(cluster)
    workers = {
        name: Work(work.connectors, tuple(task for task in work.tasks if task.task < 256))
        for name, work in answer.workers.items()
    }
    return answer._replace(workers=workers)


@pytest.mark.parametrize(
    ("name", "mutant", "broken"), [("streams", lose_tasks, "complete"), ("connect", lose_work, "complete")]
)
def test_large_groups_kill_a_number_of_one_byte_in_tasks_and_workers(name, mutant, broken):
    assert finds(name, mutant, broken, large(name))


@pytest.mark.parametrize("name", FAMILIES)
def test_a_default_check_has_large_groups_in_each_dimension(name):
    of = family(name)
    groups = large(name)
    if of.shape.directed is not None:
        groups += [group for seed in range(3) for group in draw_examples(of.shape.directed(), DIRECTED, seed)]
    for least, measure in of.shape.dimensions.values():
        assert sum(measure(group) >= least for group in groups) >= 2


@pytest.mark.parametrize("name", FAMILIES)
def test_large_groups_are_legal_equal_for_a_seed_and_read_as_written(name):
    of = family(name)
    groups = large(name, BATCH)
    assert len(groups) == len(of.shape.large) >= 3
    assert groups == large(name, BATCH)
    for group in groups:
        assert of.shape.read_group(json.loads(json.dumps(of.write_group(group)))) == group


@pytest.mark.parametrize("name", ["broker", "share"])
def test_single_owners_stay_single_in_large_groups(name):
    if name == "broker":
        assert all(map(is_owned_once, large(name)))
    assert max(len(group.members) for group in large(name)) >= 20


@given(draw_edge_groups())
def test_generations_end_at_a_limit_and_keep_their_order(group):
    told = {member.generation for member in group.members if member.generation is not None}
    assert not told or max(told) in EDGES


@given(drawn_choices().map(family("connect").shape.large["tasks of two bytes"]))
def test_a_large_connector_has_as_many_tasks_as_a_limit(cluster):
    assert max(one.tasks for one in cluster.connectors) >= 257


@pytest.mark.parametrize("name", ["streams", "streams-group", "connect"])
def test_a_full_batch_has_directed_groups_of_tasks_and_workers(name):
    groups, timelines = next(draw_batches(family(name), BATCH, 0))
    assert len(groups) + len(timelines) == BATCH + DIRECTED


def test_few_examples_have_no_large_groups():
    assert not large("consumer", BATCH - 1)


def test_check_all_shows_the_coverage(capsys):
    assert (
        main(
            ["check", "consumer/roundrobin", "--examples", "800", "--property", "existing", "--all", "--json"]
        )
        == 0
    )
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (tally,) = [one for one in records if one["record"] == "tally"]
    assert tally["dimensions"].keys() == DIMENSIONS.keys()
    for one in tally["dimensions"].values():
        assert one["groups"] >= 1
        assert one["most"] >= one["least"]
    main(["check", "consumer/roundrobin", "--examples", "200", "--property", "existing", "--all"])
    said = capsys.readouterr().out
    assert "large groups by dimension" in said
    assert all(name in said for name in DIMENSIONS)
