"""Laws of task assignors: what they say, when they hold their tongue, and how an application is renamed."""

from dataclasses import replace

from families.streams_mutants import HONEST
from families.streams_situations import BOTH, NEGATIVE, ONE, TWO, A, B, C, client, having, placed, tagged
from hypothesis import given, settings
from mutants.tasks_orders import dealt, in_order
from mutants.tasks_tiny import tiny_application
from mutants.tiny import any_choices
from whole import share

from kassay.model.partitions import INT32_MAX
from kassay.model.tasks import Given, TaskAssignment
from kassay.properties.laws import SLOTS, slot
from kassay.properties.runs import TwoRuns
from kassay.properties.streams import LAWS
from kassay.properties.tasks.laws import renamed
from kassay.reference.java.hash_map import spread
from kassay.reference.java.strings import uuid_hash

FIRST = TaskAssignment({A: Given((ONE,), (TWO,)), B: Given((TWO,), ())}, probing=False)
OTHER = TaskAssignment({A: Given((TWO,), (ONE,)), B: Given((ONE,), ())}, probing=False)


def said(law, assign, application=None):
    return list(LAWS[law](assign, having() if application is None else application))


def by_turns(*answers):
    """Return an assignor that gives these answers one after the other."""
    left = iter(answers)
    return lambda _: next(left)


def test_deterministic_tells_the_two_answers():
    assert said("deterministic", by_turns(FIRST, FIRST)) == []
    assert said("deterministic", by_turns(FIRST, OTHER)) == [
        f"{A} is given active 0_0, standby 0_1 at first, then active 0_1, standby 0_0"
    ]
    assert said("deterministic", by_turns(FIRST, FIRST._replace(probing=True))) == [
        "probing is False at first, then True"
    ]
    less = FIRST._replace(clients={A: FIRST.clients[A]})
    assert said("deterministic", by_turns(FIRST, less)) == [
        f"{B} is given active 0_1, standby nothing at first, then no answer"
    ]


def test_orders_tell_who_is_given_what():
    condition = "with the clients in reverse order"
    (one, two, probed) = said("client_order_independent", by_turns(FIRST, OTHER._replace(probing=True)))
    assert one == f"{A} is given active 0_0, standby 0_1; {condition}, active 0_1, standby 0_0"
    assert two == f"{B} is given active 0_1; {condition}, active 0_0"
    assert probed == f"no probing rebalance follows; {condition}, a probing rebalance follows"
    assert isinstance(one, TwoRuns)
    assert one.runs[1].group.clients == having().clients[::-1]


def test_the_order_within_a_list_makes_no_difference():
    listed = TaskAssignment({A: Given((ONE, TWO), ())}, probing=False)
    turned = TaskAssignment({A: Given((TWO, ONE), ())}, probing=False)
    assert said("task_order_independent", by_turns(listed, turned)) == []
    assert said("deterministic", by_turns(listed, turned))


def test_tasks_are_reversed_everywhere():
    asked = []

    def assign(application):
        asked.append(application)
        return FIRST

    said(
        "task_order_independent", assign, having(client(A, active=(ONE, TWO)), client(B, standby=(ONE, TWO)))
    )
    assert asked[1].tasks == BOTH[::-1]
    assert asked[1].clients[0].active == asked[1].clients[1].standby == (TWO, ONE)


@settings(max_examples=share(40, 200), deadline=None)
@given(any_choices())
def test_new_names_sort_as_the_old_ones_and_hash_the_other_way(choices):
    application = tiny_application(choices)
    first = choices.pick(("0189", "789f", "89ef"))
    clients = (replace(c, id=first[n] + c.id[1:]) for n, c in enumerate(application.clients))
    application = replace(application, clients=tuple(clients))
    other, old = renamed(application)
    by_order = sorted(other.clients, key=lambda client: client.order)
    assert [old[c.id] for c in by_order] == [c.id for c in sorted(application.clients, key=lambda c: c.order)]
    slots = [spread(uuid_hash(c.id)) % SLOTS for c in by_order]
    assert slots == sorted(slots, reverse=True)
    assert len(set(slots)) == len(slots)
    topics = [topic.name for topic in other.topics]
    before = [topic.name for topic in application.topics]
    assert [topics.index(name) for name in sorted(topics)] == [before.index(name) for name in sorted(before)]
    assert sorted(topics, key=slot, reverse=True) == sorted(topics)
    for client_, renamed_ in zip(application.clients, other.clients, strict=True):
        assert replace(renamed_, id=client_.id) == client_


def test_negative_ids_stay_negative():
    _, old = renamed(having(client(A), client(NEGATIVE)))
    assert {name > "8": was for name, was in old.items()} == {False: A, True: NEGATIVE}


def test_what_tasks_read_is_renamed_with_its_topics():
    other, _ = renamed(having())
    read = [
        (task.inputs[0].topic, task.inputs[0].partition, task.changelogs[0].topic) for task in other.tasks
    ]
    (source, store) = (topic.name for topic in other.topics)
    assert read == [(source, 0, store), (source, 1, store)]


def test_threads_are_scaled_as_far_as_an_int_goes():
    asked = []

    def assign(application):
        asked.append([client.threads for client in application.clients])
        return FIRST

    said("thread_scale_independent", assign, having(client(A, threads=3), client(B)))
    assert asked == [[3, 1], [6, 2], [9, 3]]
    asked.clear()
    said("thread_scale_independent", assign, having(client(A, threads=INT32_MAX // 2), client(B)))
    assert asked == [[INT32_MAX // 2, 1], [INT32_MAX - 1, 2]]


def test_the_first_factor_that_changes_something_is_told():
    sentences = said("thread_scale_independent", by_turns(FIRST, FIRST, OTHER))
    assert sentences == [
        f"{A} is given active 0_0, standby 0_1; with 3 times the threads, active 0_1, standby 0_0"
    ]


def rack_wise(answer, without=FIRST):
    """Return an assignor that gives one answer with a strategy, and another without."""
    return lambda a: without if a.settings.rack_aware_assignment_strategy == "none" else answer


def test_traffic_is_compared_with_that_of_the_same_assignor_without_a_strategy():
    law = "rack_aware_no_more_traffic"
    across = ["active tasks read 2 partitions across racks; without a strategy 0"]
    assert said(law, rack_wise(OTHER), placed("x", "y")) == across
    for strategy in ("none", "balance_subtopology"):
        assert said(law, rack_wise(OTHER), placed("x", "y", strategy=strategy)) == []
    assert said(law, rack_wise(OTHER), placed("x", None)) == []
    assert said(law, rack_wise(FIRST), placed("x", "y")) == []
    assert said(law, rack_wise(FIRST, OTHER), placed("x", "y")) == []
    assert said(law, rack_wise(OTHER._replace(probing=True)), placed("x", "y")) == []
    assert said(law, rack_wise(OTHER, FIRST._replace(probing=True)), placed("x", "y")) == []


def test_counts_are_compared_with_those_without_a_strategy():
    law = "rack_aware_keeps_counts"
    both = TaskAssignment({A: Given((ONE, TWO), ()), B: Given((), (TWO,))}, probing=False)
    assert said(law, rack_wise(both), placed("x", "y")) == [
        f"{A} has 2 active tasks; without a strategy 1",
        f"{B} has 0 active tasks; without a strategy 1",
    ]
    assert said(law, rack_wise(OTHER), placed("x", "y")) == []


def conditions(application):
    """Return under which conditions settings are said to be idle."""
    asked = []

    def assign(other):
        asked.append(other)
        return FIRST

    assert said("idle_settings_ignored", assign, application) == []
    return asked[1:]


def test_idle_settings_are_changed_and_no_others():
    costs, homeless = conditions(having(rack_aware_assignment_traffic_cost=1))
    assert costs.settings.rack_aware_assignment_traffic_cost == 7
    assert costs.settings.rack_aware_assignment_non_overlap_cost == 7
    assert (
        {topic.racks for topic in homeless.topics} == {client.rack for client in homeless.clients} == {None}
    )
    assert conditions(placed("x", "y")) == []
    standbys = tagged((("zone", "1"),), ())
    tags = having(rack_aware_assignment_tags=("zone",))
    assert [other.settings.rack_aware_assignment_tags for other in conditions(standbys)] == [("zone",)] * 2
    assert [other.settings.rack_aware_assignment_tags for other in conditions(tags)] == [
        ("zone",),
        ("zone",),
        (),
    ]
    stateless = having(tasks=tuple(replace(task, stateful=False, changelogs=()) for task in BOTH))
    *_, idle = conditions(stateless)
    assert idle.settings.num_standby_replicas == idle.settings.max_warmup_replicas == 7
    assert idle.settings.acceptable_recovery_lag == 7


def test_an_idle_setting_that_counts_is_told():
    def assign(application):
        cost = application.settings.rack_aware_assignment_traffic_cost or 0
        return dealt(*in_order(application), start=cost)

    (one, _) = said("idle_settings_ignored", assign)
    assert one == f"{A} is given active 0_0; with other costs, without a strategy, active 0_1"


@settings(max_examples=60, deadline=None)
@given(any_choices())
def test_the_honest_keep_the_laws_on_tiny_applications_too(choices):
    application = tiny_application(choices)
    for assign, keeps in HONEST.values():
        for name in LAWS.keys() & keeps:
            assert list(LAWS[name](assign, application)) == [], name


def test_clients_that_are_not_named_are_told_as_well():
    stranger = FIRST._replace(clients={**FIRST.clients, C: Given((), ())})
    condition = "with the clients in reverse order"
    assert said("client_order_independent", by_turns(FIRST, stranger)) == [
        f"{C} is given no answer; {condition}, nothing"
    ]
