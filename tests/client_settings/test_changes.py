"""The way from one strategy to another with each client: a test for each rule of the advice."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.client_settings import (
    CLIENT_NAMES,
    METHODS,
    combine_methods,
    describe_change,
    describe_kip848,
    read_clients,
)
from kassay.client_settings.changes import COOPERATIVE, KAFKA_STRATEGIES
from kassay.errors import InputError

CS = "cooperative-sticky"
CLASS = "org.apache.kafka.clients.consumer."
KEY = "partition.assignment.strategy="
CLIENTS = read_clients()
NAMES = (*KAFKA_STRATEGIES, "RoundRobinAssigner", "rack-affinity")


def change(client, strategy, in_use="range", members=3, **more):
    return describe_change(client, strategy, in_use, members=members, **more)


# Rule 1: one restart


def test_java_30_needs_one_restart_to_cooperative_where_nothing_was_set():
    found = change("java", CS, release="3.9.2")
    assert found.method == "one rolling restart"
    assert found.lines == (f"{KEY}{CLASS}CooperativeStickyAssignor",)
    assert found.first_lines == (f"{KEY}{CLASS}CooperativeStickyAssignor,{CLASS}RangeAssignor",)
    assert "If no strategy was set before: one rolling restart." in found.text
    assert "Otherwise: two, and the first one lists both names." in found.text


def test_java_28_needs_two():
    found = change("java", CS, release="2.8.2")
    assert found.method == "two rolling restarts"
    assert "one rolling restart" not in found.text


def test_java_of_an_unknown_release_is_told_both():
    found = change("java", CS)
    assert found.method == "two rolling restarts"
    assert "If no strategy was set before (Java 3.0 or newer): one rolling restart." in found.text


@pytest.mark.parametrize(
    ("in_use", "more"), [("roundrobin", {}), ("range", {"default_unset_possible": False})]
)
def test_java_with_a_list_that_was_set_needs_two(in_use, more):
    found = change("java", CS, in_use, release="4.4.0", **more)
    assert found.method == "two rolling restarts"
    assert found.first_lines[0].count(CLASS) == 2


@pytest.mark.parametrize(
    "client", ["java", "librdkafka", "kafka-python", "aiokafka", "franz-go", "sarama", "kafka-go"]
)
def test_between_eager_strategies_one_list_holds_both(client):
    found = change(client, "roundrobin")
    assert found.method == "one rolling restart"
    text = "\n".join(found.lines)
    new, old = (
        next(one.value for one in CLIENTS[client].strategies if one.name == n)
        for n in ("roundrobin", "range")
    )
    assert text.rindex(new) < text.rindex(old)
    assert not found.first_lines


# Rule 2: two restarts


@pytest.mark.parametrize(
    ("client", "first"),
    [
        ("spring", f"spring.kafka.consumer.properties.{KEY}{CLASS}CooperativeStickyAssignor,{CLASS}RoundRobinAssignor"),
        ("franz-go", "kgo.Balancers(kgo.CooperativeStickyBalancer(), kgo.RoundRobinBalancer()),"),
        ("logstash", f'partition_assignment_strategy => "{CLASS}CooperativeStickyAssignor,{CLASS}RoundRobinAssignor"'),
    ],
)  # fmt: skip
def test_two_restarts_where_both_kinds_may_stand_in_one_list(client, first):
    found = change(client, CS, "roundrobin")
    assert (found.method, found.first_lines) == ("two rolling restarts", (first,))
    assert "Never skip the first one" in found.text


def test_sarama_names_each_strategy_on_a_line():
    found = change("sarama", CS)
    assert found.first_lines[1:-1] == (
        "    sarama.NewBalanceStrategyCooperativeSticky(),",
        "    sarama.NewBalanceStrategyRange(),",
    )
    assert found.lines[1:-1] == ("    sarama.NewBalanceStrategyCooperativeSticky(),",)


@pytest.mark.parametrize("client", ["java", "spring", "franz-go", "sarama", "logstash"])
def test_back_from_cooperative_takes_two_as_well(client):
    found = change(client, "range", CS, release="4.4.0")
    assert found.method == "two rolling restarts"
    assert found.first_lines


# Rule 3: a stop


@pytest.mark.parametrize(
    "client", [name for name, one in CLIENTS.items() if one.base == "librdkafka"] + ["kafka-python", "rpk"]
)
def test_a_client_that_cannot_mix_is_stopped(client):
    for found in (change(client, CS), change(client, "range", CS)):
        assert found.method == "full stop"
        assert not found.first_lines


def test_librdkafka_has_kip_848_as_the_way_without_a_stop():
    found = change("librdkafka", CS)
    assert found.alternative == ("group.protocol=consumer",)
    assert "start all new members, which wait. Then stop all old ones at once." in found.text
    assert "KIP-848 needs librdkafka 2.12.0 or newer and brokers 4.0 or newer." in found.text
    back = change("librdkafka", "range", CS)
    assert back.alternative == ("group.protocol=consumer", "group.remote.assignor=range")
    assert change("librdkafka", CS, release="2.11.1").alternative == ()


def test_vector_has_no_such_way():
    found = change("vector", CS)
    assert found.lines == ('librdkafka_options."partition.assignment.strategy" = "cooperative-sticky"',)
    assert (found.method, found.alternative) == ("full stop", ())


# Rule 4: nothing to set


@pytest.mark.parametrize(
    "client",
    [
        "streams",
        "flink",
        "spark",
        "connect",
        "kafkajs",
        "kafka-go",
        "aiokafka",
        "filebeat",
        "ruby-kafka",
        "platformatic",
        "benthos",
    ],
)
def test_a_client_without_the_strategy_says_so(client):
    found = change(client, CS)
    assert (found.lacks, found.method, found.lines, found.first_lines) == (True, "impossible", (), ())
    assert found.text


def test_streams_never_gets_the_line():
    for strategy in NAMES:
        found = change("streams", strategy, "stream")
        assert (found.lacks, found.lines, found.alternative) == (True, (), ())
        assert "task.assignor.class" in found.text


def test_kafkajs_names_what_it_has_instead():
    found = change("kafkajs", "roundrobin", "RoundRobinAssigner")
    assert found.lacks
    assert "RoundRobinAssigner" in found.text
    assert "@confluentinc/kafka-javascript" in found.text


def test_librdkafka_has_no_sticky():
    found = change("librdkafka", "sticky")
    assert found.lacks
    assert found.text.startswith("librdkafka has range, roundrobin and cooperative-sticky, and no sticky.")


@pytest.mark.parametrize(
    ("client", "release", "since"), [("java", "2.3.1", "2.4"), ("kafka-python", "2.2.15", "3.0"), ("sarama", "1.43.0", "1.60.1")]
)  # fmt: skip
def test_an_old_release_is_told_to_update(client, release, since):
    found = change(client, CS, release=release)
    assert (found.lacks, found.method, found.lines) == (True, "impossible", ())
    assert f"Update to {since} or newer first." in found.text
    assert any(f"{since} or newer" in one for one in change(client, CS).cautions)


def test_redpanda_connect_has_nothing_to_set():
    found = change("redpanda-connect", CS, CS)
    assert (found.lacks, found.method, found.lines) == (False, "no restart", ())


# Rule 5: an unknown client


def test_an_unknown_client_gets_the_lines_of_java_and_librdkafka():
    found = change("", CS)
    assert found.lines == (
        "# Java (kafka-clients)", f"{KEY}{CLASS}CooperativeStickyAssignor", "# librdkafka", f"{KEY}{CS}",
    )  # fmt: skip
    assert found.method == "full stop"
    assert "--client NAME" in found.text
    assert CS in found.text
    without = change("", "sticky")
    assert without.lines[-1] == "# librdkafka: no sticky"
    assert "librdkafka: it has no sticky." in without.text
    assert not without.lacks


# Rules 8 to 10


def test_static_members_rebalance_once():
    found = change("java", "roundrobin", all_static=True)
    assert "the group rebalances once, when the last one has the new list." in found.text
    assert "static" not in change("java", "roundrobin").text.lower()
    default = change("java", CS, release="3.9.2", all_static=True).text
    assert "until the strategy changes." in default
    assert "when the last one has" not in default


def test_static_members_stay_in_a_group_that_is_stopped():
    found = change("librdkafka", CS, all_static=True)
    assert "wait for the session timeout (45 s by default) before the start." in found.text
    assert "start all new members, which wait" not in found.text


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
    ("client", "strategy", "trap"),
    [
        ("java", CS, "class names"), ("librdkafka", CS, "short names"), ("logstash", CS, "underscore"),
        ("librdkafka", CS, "incremental_assign"), ("connect-sink", CS, "override.policy=All"), ("kafka-python", "roundrobin", "different topics"),
        ("sarama", CS, "config.Version"), ("java", CS, "KAFKA-16277"),
    ],
)  # fmt: skip
def test_traps_are_named(client, strategy, trap):
    assert any(trap in one for one in change(client, strategy, "sticky").cautions)


def test_a_defect_is_named_for_releases_that_have_it():
    assert any("KAFKA-16277" in one for one in change("java", CS, release="3.7.0").cautions)
    assert not any("KAFKA" in one for one in change("java", CS, release="3.7.1").cautions)
    assert any("KAFKA-14016" in one for one in change("java", CS, release="3.3.1").cautions)
    assert not any("KAFKA-14016" in one for one in change("java", CS, release="3.2.0").cautions)
    assert not any("KAFKA" in one for one in change("java", "range", "sticky").cautions)


# Other cases


def test_a_sink_restarts_all_its_tasks_together():
    found = change("connect-sink", CS)
    assert found.lines == (
        f'"consumer.override.partition.assignment.strategy": "{CLASS}CooperativeStickyAssignor"',
    )
    assert (found.method, found.first_lines) == ("full stop", ())
    assert "no second step" in found.text


def test_what_is_in_use_needs_no_restart():
    assert change("java", CS, CS).method == "no restart"
    assert change("java", "range", "").method == "no restart"
    assert change("franz-go", CS, "").method == "no restart"
    assert change("java", CS, members=0).method == "no restart"


def test_a_single_member_is_stopped_and_started():
    for client in ("java", "librdkafka"):
        found = change(client, CS, members=1)
        assert (found.method, found.first_lines) == ("full stop", ())
        assert "one member" in found.text


def test_a_class_of_the_user_is_kept_in_the_first_list():
    found = change("java", CS, "mine")
    assert (found.method, found.first_lines) == ("two rolling restarts", ())
    assert "put cooperative-sticky in front of what is set for mine" in found.text
    assert change("librdkafka", CS, "mine").method == "full stop"


def test_an_unknown_strategy_in_use_is_taken_for_the_default_and_said():
    assert change("librdkafka", CS, "").text.startswith("This is the way from range, the default.")
    assert (
        change("aiokafka", "range", "")
        .lines[-1]
        .endswith("[RangePartitionAssignor, RoundRobinPartitionAssignor],")
    )


def test_filebeat_takes_one_value():
    found = change("filebeat", "roundrobin")
    assert (found.method, found.lines) == ("full stop", ("rebalance.strategy: roundrobin",))
    assert "no list can hold both names" in found.text


def test_dotnet_has_a_line_of_its_own_for_two():
    found = change("confluent-kafka-dotnet", "roundrobin")
    assert found.lines == ('config.Set("partition.assignment.strategy", "roundrobin,range");',)
    assert change("confluent-kafka-dotnet", CS).lines == (
        "PartitionAssignmentStrategy = PartitionAssignmentStrategy.CooperativeSticky,",
    )


def test_wrong_names_are_refused():
    with pytest.raises(InputError, match="Use librdkafka"):
        change("librdkafk", CS)
    with pytest.raises(InputError, match="is not a release of a client"):
        change("java", CS, release="latest")


def test_the_most_costly_method_counts_for_all():
    assert combine_methods(["one rolling restart", "full stop", "no restart"]) == "full stop"
    assert combine_methods([]) == "no restart"


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
