"""Connect's assignors round by round, and the sentences of what they do: by examples that can be read."""

from dataclasses import replace

from kassay.families import family
from kassay.model.workers import Cluster, Connector, ConnectorTask, Work, Worker
from kassay.properties.workers.timelines import (
    Break,
    Join,
    Leave,
    Miss,
    Timeline,
    Wait,
    apply_answer,
    happen,
    order_as_reported,
    play,
    play_round,
    run_until_converged,
)
from kassay.reference.connect import apart
from kassay.reference.connect.incremental_cooperative import assign, assign_with_wait
from kassay.reference.releases import behaviours

START = Cluster((Connector("a", 3), Connector("b", 3)), (Worker("w0"), Worker("w1")))
CONNECT = family("connect")


def running(start=START):
    """Return a cluster at rest."""
    return apply_answer(*run_until_converged(assign, start)[-1], wait_ms=1)


def test_a_worker_that_joins_is_given_its_share_in_two_rounds():
    first, second = run_until_converged(assign, happen(running(), Join("w2")))
    assert [len(work.items) for work in first[1].revoked.values()] == [1, 1, 0]
    assert second[1].workers["w2"].items
    assert second[0].time_ms == first[0].time_ms


def test_what_a_lost_worker_ran_waits_and_goes_to_the_one_that_comes_back():
    at_rest = running()
    lost = at_rest.workers[1].work
    waiting = assign(happen(at_rest, Leave("w1")))
    assert waiting.delay_ms == 300_000
    assert waiting.memory.scheduled_rebalance_ms == at_rest.time_ms + 300_000
    back = happen(apply_answer(happen(at_rest, Leave("w1")), waiting, wait_ms=100_000), Join("w9"))
    again = assign(back)
    assert (again.delay_ms, again.memory.candidates) == (200_000, ("w9",))
    given = assign(apply_answer(back, again, wait_ms=200_000))
    assert set(given.workers["w9"].items) == set(lost.items)
    assert given.delay_ms == 0


def test_two_revoking_rounds_in_a_row_are_apart():
    first = happen(running(Cluster((Connector("a", 12),), (Worker("w0"), Worker("w1")))), Join("w2"))
    answer = assign(first)
    assert answer.memory.revoked
    second = happen(apply_answer(first, answer), Join("w3"))
    delayed = assign(second)
    assert (delayed.delay_ms, delayed.memory.revoking_rounds) == (40, 1)
    assert not any(work.items for work in delayed.revoked.values())


def test_without_a_delay_releases_before_3_5_2_leave_lost_work_lying():
    left = replace(happen(running(), Leave("w1")), max_delay_ms=0)
    complete = CONNECT.invariants["complete"]
    assert list(complete(left, assign_with_wait(left)))
    assert not list(complete(left, assign(left)))


def test_3_3_never_evens_out_workers_that_have_something():
    uneven = replace(running(), workers=(Worker("w0", START.configured), Worker("w1")))
    uneven = replace(
        uneven,
        workers=(
            Worker("w0", Work(("a", "b"), START.configured.tasks[1:])),
            Worker("w1", Work((), START.configured.tasks[:1])),
        ),
    )
    even = CONNECT.laws["even_at_rest"]
    assert list(even(apart.assign, uneven))
    assert not list(even(assign, uneven))


def test_releases_that_assign_alike():
    assert " · ".join(map(str, behaviours("connect/incremental-cooperative"))) == (
        "3.3.0 to 3.3.2 · 3.4.0 to 3.5.1 · 3.5.2 · 3.6.0 · 3.6.1 to 4.3.1"
    )


def test_what_a_worker_reports_is_grouped_by_connector():
    tasks = [ConnectorTask(name, n) for n in (1, 0) for name in ("b", "a")]
    assert order_as_reported(Work(("b", "a"), tuple(tasks))) == Work(
        ("a", "b"), (("a", 1), ("a", 0), ("b", 1), ("b", 0))
    )


def test_a_worker_that_misses_its_answer_runs_on_as_before():
    joined = happen(running(), Join("w2"))
    answer = assign(joined)
    missed = play_round(joined, answer, Miss("w0"))
    assert missed.workers[0].work == joined.workers[0].work
    assert missed.last_completed_generation == joined.generation
    broken = play_round(joined, answer, Break())
    assert broken.workers == joined.workers
    assert broken.last_completed_generation == joined.last_completed_generation


def test_a_timeline_has_a_round_after_each_event():
    events = (Join("w2"), Wait(), Leave("w0"), Wait())
    rounds = list(play(assign, Timeline(START, events)))
    assert [len(cluster.workers) for cluster in rounds] == [2, 3, 3, 2, 2]
    assert [cluster.generation for cluster in rounds] == [1, 2, 3, 4, 5]


def test_tables_show_what_runs_and_what_changes():
    joined = happen(running(), Join("w2"))
    table = CONNECT.shape.show(joined, {"is given": assign(joined)})
    assert table.columns == ["worker", "runs now", "is given"]
    assert table.rows[0] == ["w0", "a; tasks a:0,2 b:1", "a; tasks a:2 b:1 - tasks a:0"]
    assert table.rows[-1][0] == "(nobody)"
    left = happen(running(), Leave("w1"))
    assert "asks for a round after 300000 ms" in CONNECT.shape.show(left, {"it": assign(left)}).note
