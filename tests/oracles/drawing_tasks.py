"""Applications of every kind, small enough to be counted out, and answers to them that are legal and nothing more."""

from dataclasses import replace
from random import Random

from hypothesis import strategies as st
from second_opinions.every_placement import placements

from kassay.model.tasks import Application, Given, TaskAssignment
from kassay.properties.choices import LENGTH, from_bytes
from kassay.properties.tasks.applications import application, choose_settings

QUESTIONS = [
    "balance", "active", "standby", "joint", "moves", "restore", "spread", "balance,active", "balance,joint",
    "balance,moves", "balance,joint,moves", "balance,spread,joint", "balance,restore,moves", "active,balance",
    "moves,spread,standby", "spread,moves,balance,joint", "balance,active,joint,moves", "subtopologies,joint",
    "subtopologies,balance,active", "subtopologies,balance,moves,spread", "subtopology-spread,balance",
    "balance,subtopology-spread,restore", "restore,subtopology-spread,active,balance",
]  # fmt: skip
FEW = {
    "clients": (1, 3),
    "subtopologies": (1, 2),
    "partitions": (1, 2),
    "standbys": (0, 2),
    "threads": (1, 3),
}

A, B, C = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2, 3))
APPLICATION = {
    "family": "streams",
    "topics": [
        {"name": "in", "partitions": 4, "racks": [["a"], ["b"], ["a"], ["a"]]},
        {"name": "log", "partitions": 4, "racks": [["a"], ["b"], ["a"], ["b"]]},
    ],
    "tasks": [
        {"id": "0_0", "stateful": True, "inputs": [["in", 0]], "changelogs": [["log", 0]]},
        {"id": "0_1", "stateful": True, "inputs": [["in", 1]], "changelogs": [["log", 1]]},
        {"id": "0_2", "inputs": [["in", 2]]},
        {"id": "1_3", "stateful": True, "inputs": [["in", 3]], "changelogs": [["log", 3]]},
    ],
    "clients": [
        {"id": A, "threads": 1, "rack": "a", "active": ["0_1"], "lags": {"0_0": 0, "0_1": 0, "1_3": 0}},
        {"id": B, "threads": 1, "rack": "b", "active": ["0_0"], "lags": {"0_0": 0, "0_1": 0, "1_3": 0}},
        {"id": C, "threads": 1, "rack": "a", "lags": {"0_0": 0, "0_1": 0, "1_3": 0}},
    ],
    "config": {"num.standby.replicas": 1},
}
"""Four tasks on three clients, where the joint optimum is 1 and what Kafka does is 3."""


def tiny(content: bytes) -> Application:
    """Make an application of at most five tasks and three clients."""
    choices = from_bytes(content)
    usual = choose_settings(choices)
    return application(choices, replace(usual, numbers={**usual.numbers, **FEW}))


def tinies() -> st.SearchStrategy[Application]:
    """Draw such applications."""
    return st.binary(min_size=LENGTH, max_size=LENGTH).map(tiny)


def some_tiny(seed: int) -> Application:
    """Draw one by a seed."""
    return tiny(Random(seed).randbytes(LENGTH))


def anyhow(application: Application, r: Random) -> TaskAssignment:
    """Place the tasks of an application anyhow, each once with all its standbys."""
    names = [client.id for client in application.clients]
    first = next(placements(application))
    given: dict[str, tuple[list, list]] = {name: ([], []) for name in names}
    for task in application.tasks:
        copies = sum(task.id in role for held in first.clients.values() for role in held)
        for rank, name in enumerate(r.sample(names, copies)):
            given[name][rank > 0].append(task.id)
    held = {name: Given(tuple(sorted(a)), tuple(sorted(s))) for name, (a, s) in given.items()}
    return TaskAssignment(held, probing=False)
