"""Timetables as standbys: the reduction of docs/explanation/tasks.md, which shows that two tags that cross are NP-hard.

In a restricted timetable (Even, Itai and Shamir 1976) a teacher is free in some of three hours and gives a lesson in each of
these, each to another class of his. A teacher is his free hours and as many classes.
"""

from itertools import permutations, product

import numpy as np

from kassay.oracles.assignment.active_standby.problem import RoleLevel, RoleProblem

HOURS = 3


def timetable(r, teachers, classes):
    """Draw teachers: the two or three hours in which each is free, and as many classes."""
    free = [sorted(r.permutation(HOURS)[: r.integers(2, HOURS + 1)].tolist()) for _ in range(teachers)]
    return [(hours, sorted(r.permutation(classes)[: len(hours)].tolist())) for hours in free]


def possible(teachers):
    """Whether all lessons can be given so that no class has two at one hour, by trying all."""
    for orders in product(*(permutations(classes) for _, classes in teachers)):
        lessons = [
            lesson
            for (hours, _), order in zip(teachers, orders, strict=True)
            for lesson in zip(hours, order, strict=True)
        ]
        if len(set(lessons)) == len(lessons):
            return True
    return False


def standbys_of(teachers, turns=1):
    """Return the problem whose standbys collide nowhere and cost nothing exactly where the timetable is possible.

    Items are hours, with as many standbys as teachers are free; three turns have the timetable three times, with the hours
    turned round, so that all items have as many. A member is a pair of a teacher and a class of his, in the zones teacher
    and class, with one standby, which costs 1 in hours in which the teacher is not free. Active copies are given to
    members in zones of their own.
    """
    pairs = [
        ((turn, teacher), (turn, each), {(hour + turn) % HOURS for hour in hours})
        for turn in range(turns)
        for teacher, (hours, classes) in enumerate(teachers)
        for each in classes
    ]
    actives = [(("active", hour), ("active", hour), set()) for hour in range(HOURS)]
    members = np.arange(len(pairs) + HOURS)
    zones = [
        [
            sorted({str(pair[tag]) for pair in pairs + actives}).index(str(pair[tag]))
            for pair in pairs + actives
        ]
        for tag in (0, 1)
    ]
    costs = np.array(
        [[hour not in free for _, _, free in pairs + actives] for hour in range(HOURS)], np.int64
    )
    standbys = [
        sum((hour - turn) % HOURS in hours for hours, _ in teachers for turn in range(turns))
        for hour in range(HOURS)
    ]
    active_loads = (members >= len(pairs)).astype(np.int64)
    return RoleProblem(
        kind_of=members, slots=np.ones_like(members), zones=np.array(zones), profile_of=np.arange(HOURS),
        standbys=np.array(standbys), levels=(RoleLevel("standby", None, costs),),
        active_loads=active_loads, loads=np.ones_like(members), active_at=members[len(pairs) :],
    )  # fmt: skip
