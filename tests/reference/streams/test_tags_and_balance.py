"""Kafka moves a standby for balance only to a client that has all tags of the other one, also those that no setting names."""

import pytest

from kassay.model.tasks_json import read_group
from kassay.properties.streams import INVARIANTS, SITUATIONS
from kassay.reference import ASSIGNORS

NAME = "00000000-0000-0000-0000-00000000000{}"


@pytest.mark.parametrize(
    ("tags", "situation"),
    [
        ([{"k1": "x", "k0": "v"}, {"k1": "x"}, {"k1": "x"}], "idle_tag"),
        ([{"k1": "x"}, {"k1": "x"}, {}], "missing_tag"),
    ],
)
def test_tags_that_another_client_lacks_keep_its_standbys_there(
    tags: list[dict[str, str]], situation: str
) -> None:
    tasks = [f"0_{n}" for n in range(3)]
    application = read_group(
        {
            "tasks": [{"id": task, "stateful": True} for task in tasks],
            "clients": [
                {"id": NAME.format(n), "threads": 1, "tags": of, "lags": dict.fromkeys(tasks, 0)}
                for n, of in enumerate(tags, 1)
            ],
            "config": {"num.standby.replicas": 1, "rack.aware.assignment.tags": ["k1"]},
        }
    )
    assignor = ASSIGNORS["streams/high-availability"]
    answer = assignor.assign(application)
    assert list(INVARIANTS["total_balanced"](application, answer))
    met = {name for name, holds in SITUATIONS.items() if holds(application)}
    assert met & assignor.except_in["total_balanced"] == {situation}
