"""The way from one strategy to another with each client: a test for each rule of the advice."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.comparison.client_settings import (
    CLIENT_NAMES,
    METHODS,
    combine_methods,
    describe_change,
    describe_kip848,
    read_clients,
)
from kassay.comparison.client_settings.changes import COOPERATIVE, KAFKA_STRATEGIES
from kassay.errors import InputError

CS = "cooperative-sticky"
CLASS = "org.apache.kafka.clients.consumer."
KEY = "partition.assignment.strategy="
CLIENTS = read_clients()
NAMES = (*KAFKA_STRATEGIES, "RoundRobinAssigner", "rack-affinity")


def change(client, strategy, in_use="range", members=3, **more):
    return describe_change(client, strategy, in_use, members=members, **more)


ONE, TWO, STOP, NOTHING, NEVER = (
    "one rolling restart",
    "two rolling restarts",
    "full stop",
    "no restart",
    "impossible",
)
STICKY, RANGE, ROUNDROBIN = (
    f"{CLASS}{name}Assignor" for name in ("CooperativeSticky", "Range", "RoundRobin")
)
WAYS = [
    # One restart, or two with both names in the first list.
    ("java", CS, "range", {"release": "3.9.2"}, ONE, f"{KEY}{STICKY}", f"{KEY}{STICKY},{RANGE}",
     ["If no strategy was set before: one rolling restart.", "Otherwise: two, and the first one lists both names."]),
    ("java", CS, "range", {"release": "2.8.2"}, TWO, f"{KEY}{STICKY}", f"{KEY}{STICKY},{RANGE}", ["-one rolling restart"]),
    ("java", CS, "range", {}, TWO, None, None, ["If no strategy was set before (Java 3.0 or newer): one rolling restart."]),
    ("java", CS, "roundrobin", {"release": "4.4.0"}, TWO, None, f"{KEY}{STICKY},{ROUNDROBIN}", []),
    ("java", CS, "range", {"release": "4.4.0", "default_unset_possible": False}, TWO, None, f"{KEY}{STICKY},{RANGE}", []),
    ("spring", CS, "roundrobin", {}, TWO, None, f"spring.kafka.consumer.properties.{KEY}{STICKY},{ROUNDROBIN}", ["Never skip the first one"]),
    ("franz-go", CS, "roundrobin", {}, TWO, None, "kgo.Balancers(kgo.CooperativeStickyBalancer(), kgo.RoundRobinBalancer()),", ["Never skip the first one"]),
    ("logstash", CS, "roundrobin", {}, TWO, None, f'partition_assignment_strategy => "{STICKY},{ROUNDROBIN}"', ["Never skip the first one"]),
    # A stop.
    ("vector", CS, "range", {}, STOP, 'librdkafka_options."partition.assignment.strategy" = "cooperative-sticky"', "", []),
    ("connect-sink", CS, "range", {}, STOP, f'"consumer.override.partition.assignment.strategy": "{STICKY}"', "", ["no second step"]),
    ("java", CS, "range", {"members": 1}, STOP, None, "", ["one member"]),
    ("librdkafka", CS, "range", {"members": 1}, STOP, None, "", ["one member"]),
    ("filebeat", "roundrobin", "range", {}, STOP, "rebalance.strategy: roundrobin", "", ["no list can hold both names"]),
    ("confluent-kafka-dotnet", "roundrobin", "range", {}, ONE, 'config.Set("partition.assignment.strategy", "roundrobin,range");', "", []),
    ("confluent-kafka-dotnet", CS, "range", {}, STOP, "PartitionAssignmentStrategy = PartitionAssignmentStrategy.CooperativeSticky,", "", []),
    # Nothing to set.
    ("redpanda-connect", CS, CS, {}, NOTHING, "", "", []),
    ("java", CS, CS, {}, NOTHING, None, "", []),
    ("java", "range", "", {}, NOTHING, None, "", []),
    ("franz-go", CS, "", {}, NOTHING, None, "", []),
    ("java", CS, "range", {"members": 0}, NOTHING, None, "", []),
    # Strategies that the client does not have.
    ("kafkajs", "roundrobin", "RoundRobinAssigner", {}, NEVER, "", "", ["RoundRobinAssigner", "@confluentinc/kafka-javascript"]),
    ("librdkafka", "sticky", "range", {}, NEVER, "", "", ["librdkafka has range, roundrobin and cooperative-sticky, and no sticky."]),
    *((client, CS, "range", {}, NEVER, "", "", []) for client in (
        "streams", "flink", "spark", "connect", "kafkajs", "kafka-go", "aiokafka", "filebeat", "ruby-kafka", "platformatic", "benthos")),
    *(("streams", strategy, "stream", {}, NEVER, "", "", ["task.assignor.class"]) for strategy in NAMES),
    # A class of the user, an unknown strategy, and static members.
    ("java", CS, "mine", {}, TWO, None, "", ["put cooperative-sticky in front of what is set for mine"]),
    ("librdkafka", CS, "mine", {}, STOP, None, "", []),
    ("librdkafka", CS, "", {}, STOP, None, "", ["This is the way from range, the default."]),
    ("java", "roundrobin", "range", {"all_static": True}, ONE, None, "", ["the group rebalances once, when the last one has the new list."]),
    ("java", "roundrobin", "range", {}, ONE, None, "", ["-static", "-Static"]),
    ("java", CS, "range", {"release": "3.9.2", "all_static": True}, ONE, None, None, ["until the strategy changes.", "-when the last one has"]),
    ("librdkafka", CS, "range", {"all_static": True}, STOP, None, "",
     ["wait for the session timeout (45 s by default) before the start.", "-start all new members, which wait"]),
]  # fmt: skip
"""Client, strategy, strategy in use, more -> method, lines, first lines (None: any), and texts (with -: that must not be there)."""


@pytest.mark.parametrize(("client", "strategy", "in_use", "more", "method", "lines", "first", "texts"), WAYS)
def test_the_way_of_a_client(client, strategy, in_use, more, method, lines, first, texts):
    found = change(client, strategy, in_use, **{"members": 3, **more})
    assert (found.method, found.lacks) == (method, method == NEVER)
    for wanted, written in ((lines, found.lines), (first, found.first_lines)):
        assert wanted is None or written == ((wanted,) if wanted else ())
    assert found.text or method == NOTHING
    for text in texts:
        assert (text.removeprefix("-") in found.text) != text.startswith("-"), text
    assert client != "streams" or not found.alternative


@pytest.mark.parametrize(
    "client", ["java", "librdkafka", "kafka-python", "aiokafka", "franz-go", "sarama", "kafka-go"]
)
def test_between_eager_strategies_one_list_holds_both(client):
    found = change(client, "roundrobin")
    assert (found.method, found.first_lines) == (ONE, ())
    text = "\n".join(found.lines)
    values = {one.name: one.value for one in CLIENTS[client].strategies}
    assert text.rindex(values["roundrobin"]) < text.rindex(values["range"])


def test_sarama_names_each_strategy_on_a_line():
    found = change("sarama", CS)
    both = ("    sarama.NewBalanceStrategyCooperativeSticky(),", "    sarama.NewBalanceStrategyRange(),")
    assert (found.first_lines[1:-1], found.lines[1:-1]) == (both, both[:1])
    assert change("aiokafka", "range", "").lines[-1].endswith("[RangePartitionAssignor, RoundRobinPartitionAssignor],")  # fmt: skip


@pytest.mark.parametrize("client", ["java", "spring", "franz-go", "sarama", "logstash"])
def test_back_from_cooperative_takes_two_as_well(client):
    found = change(client, "range", CS, release="4.4.0")
    assert found.method == TWO
    assert found.first_lines


@pytest.mark.parametrize(
    "client", [name for name, one in CLIENTS.items() if one.base == "librdkafka"] + ["kafka-python", "rpk"]
)
def test_a_client_that_cannot_mix_is_stopped(client):
    for found in (change(client, CS), change(client, "range", CS)):
        assert (found.method, found.first_lines) == (STOP, ())


def test_kip_848_is_the_way_without_a_stop():
    found = change("librdkafka", CS)
    assert found.alternative == ("group.protocol=consumer",)
    assert "start all new members, which wait. Then stop all old ones at once." in found.text
    assert "KIP-848 needs librdkafka 2.12.0 or newer and brokers 4.0 or newer." in found.text
    back = change("librdkafka", "range", CS)
    assert back.alternative == ("group.protocol=consumer", "group.remote.assignor=range")
    assert change("librdkafka", CS, release="2.11.1").alternative == change("vector", CS).alternative == ()


@pytest.mark.parametrize(
    ("client", "release", "since"), [("java", "2.3.1", "2.4"), ("kafka-python", "2.2.15", "3.0"), ("sarama", "1.43.0", "1.60.1")]
)  # fmt: skip
def test_an_old_release_is_told_to_update(client, release, since):
    found = change(client, CS, release=release)
    assert (found.lacks, found.method, found.lines) == (True, NEVER, ())
    assert f"Update to {since} or newer first." in found.text
    assert any(f"{since} or newer" in one for one in change(client, CS).cautions)


def test_an_unknown_client_gets_the_lines_of_java_and_librdkafka():
    found = change("", CS)
    assert found.lines == ("# Java (kafka-clients)", f"{KEY}{STICKY}", "# librdkafka", f"{KEY}{CS}")
    assert found.method == STOP
    assert "--client NAME" in found.text
    assert CS in found.text
    without = change("", "sticky")
    assert without.lines[-1] == "# librdkafka: no sticky"
    assert "librdkafka: it has no sticky." in without.text
    assert not without.lacks


@pytest.mark.parametrize(
    ("client", "release", "short"),
    [("sarama", "", True), ("aiokafka", "", True), ("java", "2.8", True), ("java", "3.0", False), ("kafka-python", "2.2.15", True), ("kafka-python", "", False)],
)  # fmt: skip
def test_a_short_session_is_named(client, release, short):
    found = change(client, "roundrobin", all_static=True, release=release)
    assert any("must be longer than a restart" in one for one in found.cautions) == short


def test_kip_848_names_what_to_remove_and_the_silence_of_java():
    found = describe_kip848("java", "range")
    assert found.lines == ("group.protocol=consumer", "group.remote.assignor=range")
    assert found.remove == ("partition.assignment.strategy", "session.timeout.ms", "heartbeat.interval.ms")
    assert "Java 3.7 to 3.9 accept these settings" in found.text
    assert "3.7 to 3.9" not in describe_kip848("java", release="4.4.0").text
    early = describe_kip848("java", release="3.9.2")
    assert not early.lines
    assert "early version only" in early.text
    for release in ("", "1.35.0"):
        ignored = describe_kip848("platformatic", release=release).text
        assert ignored.endswith("With KIP-848, @platformatic/kafka accepts these settings and ignores them.")
    assert not describe_kip848("vector").lines
    assert describe_kip848("karafka", "range").lines == (
        "kafka: { 'group.protocol': 'consumer', 'group.remote.assignor': 'range' }",
    )


@pytest.mark.parametrize(
    ("client", "strategy", "in_use", "release", "trap"),
    [
        ("java", CS, "sticky", "", "class names"), ("librdkafka", CS, "sticky", "", "short names"), ("logstash", CS, "sticky", "", "underscore"),
        ("librdkafka", CS, "sticky", "", "incremental_assign"), ("connect-sink", CS, "sticky", "", "override.policy=All"),
        ("kafka-python", "roundrobin", "sticky", "", "different topics"), ("sarama", CS, "sticky", "", "config.Version"), ("java", CS, "sticky", "", "KAFKA-16277"),
        ("java", CS, "range", "3.7.0", "KAFKA-16277"), ("java", CS, "range", "3.7.1", "-KAFKA"), ("java", CS, "range", "3.3.1", "KAFKA-14016"),
        ("java", CS, "range", "3.2.0", "-KAFKA-14016"), ("java", "range", "sticky", "", "-KAFKA"),
    ],
)  # fmt: skip
def test_traps_and_defects_are_named(client, strategy, in_use, release, trap):
    cautions = change(client, strategy, in_use, release=release).cautions
    assert any(trap.removeprefix("-") in one for one in cautions) != trap.startswith("-")


def test_wrong_names_are_refused():
    with pytest.raises(InputError, match="Use librdkafka"):
        change("librdkafk", CS)
    with pytest.raises(InputError, match="is not a release of a client"):
        change("java", CS, release="latest")


def test_the_most_costly_method_counts_for_all():
    assert combine_methods([ONE, STOP, NOTHING]) == STOP
    assert combine_methods([]) == NOTHING


QUESTIONS = {
    "client": st.sampled_from(["", *CLIENT_NAMES]),
    "strategy": st.sampled_from(NAMES),
    "in_use": st.sampled_from(["", "mine", "stream", *NAMES]),
    "members": st.integers(0, 4),
    "all_static": st.booleans(),
    "release": st.sampled_from(["", "0.11", "2.3.1", "2.8", "3.0.12", "3.9.2", "4.4"]),
    "default_unset_possible": st.booleans(),
}
VALUES = {
    name: {one.name: {one.value, one.listed} - {""} for one in client.strategies} for name, client in CLIENTS.items()
}  # fmt: skip


@given(**QUESTIONS)
def test_lines_hold_only_strategies_that_the_client_has(client, strategy, in_use, **more):
    found = change(client, strategy, in_use, **more)
    assert found.method in METHODS
    assert found.lacks == (found.method == "impossible")
    assert not (found.lacks and found.lines)
    if not client:
        return
    owner = CLIENTS[CLIENT_NAMES[client]]
    for lines in (found.lines, found.first_lines):
        setting = "\n".join(line for line in lines if "import" not in line)
        for name in {one for other in VALUES.values() for one in other} - set(owner.settable):
            foreign = {v for values in VALUES.values() for v in values.get(name, ()) if v}
            own = {v for each in VALUES[owner.id].values() for v in each}
            for value in foreign - own:
                assert not re.search(rf"(?<![\w.-]){re.escape(value)}(?![\w-])", setting), (value, setting)
        if lines and not owner.line.fixed:
            assert any(value in setting for value in VALUES[owner.id][strategy]) or strategy in setting


@given(**QUESTIONS)
def test_no_client_that_cannot_mix_is_rolled_between_the_kinds(client, strategy, in_use, **more):
    found = change(client, strategy, in_use, **more)
    crosses = in_use in NAMES and (strategy in COOPERATIVE) != (in_use in COOPERATIVE)
    cannot = not client or not (m := CLIENTS[CLIENT_NAMES[client]].mixing) or not m.allowed
    if crosses and cannot and more["members"] > 1:
        assert found.method in ("full stop", "impossible", *(["no restart"] if not found.lines else []))
        assert not found.first_lines or not client
    for name in found.first_lines:
        assert name


@given(**QUESTIONS)
def test_sentences_are_short(client, strategy, in_use, **more):
    found = change(client, strategy, in_use, **more)
    assert found.text
    for sentence in re.split(r"(?<=[.?]) ", " ".join((found.text, *found.cautions))):
        assert len(sentence.split()) <= 25, sentence
