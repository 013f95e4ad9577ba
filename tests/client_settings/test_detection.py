"""Clients are recognised by the ids that they have if the application sets none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.client_settings import Detection, detect_clients, list_lookalikes, read_clients

UUID = "21528018-f06c-4b40-a6e3-b2008a05dddd"
CLIENT_IDS = [
    ("app-0b27b4b0-1111-4444-aaaa-000000000001-StreamThread-1-consumer", "streams", ""),
    ("rdkafka", "librdkafka", ""), ("vector", "vector", ""), ("karafka_app", "karafka", ""),
    ("kgo", "franz-go", ""), ("redpanda-connect", "redpanda-connect", ""), ("rpk", "rpk", ""),
    ("sarama", "sarama", ""), ("benthos", "benthos", ""), ("filebeat", "filebeat", ""),
    ("shop@host-1 (github.com/segmentio/kafka-go)", "kafka-go", ""), ("kafkajs", "kafkajs", ""),
    ("kafka-python-3.0.12", "kafka-python", "3.0.12"), ("aiokafka-0.14.0", "aiokafka", "0.14.0"),
    ("ruby-kafka", "ruby-kafka", ""), ("logstash-0", "logstash", ""),
    ("consumer-7", "java", "2.3"), ("consumer-shop-12", "java", ""), ("consumer-shop-pod-3", "java", ""),
    ("console-consumer", "java", ""),
]  # fmt: skip
APPLICATIONS = [
    "payments",
    "shop-1",
    "rdkafka-shop",
    "my-kgo",
    "consumer-other-1",
    "kafkajs2",
    "sarama1",
    "pod-0",
]
TAILS = [
    f"-{UUID}",
    "-aaaaaaaa-0000",
    "-aaaa0001",
    "-fbca5204",
    "-21528018-f06c-4b40-a6e3-",
    "-21528018-f06c...",
]


@pytest.mark.parametrize(("client_id", "client", "release"), CLIENT_IDS)
def test_a_default_client_id_shows_its_client(client_id, client, release):
    found = detect_clients("shop", {"m": client_id}, ["m"], "range")
    assert found == Detection((client,), 0, {client: release} if release else {}, {"m": client})


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize(("client_id", "client", "release"), CLIENT_IDS)
def test_a_consumer_id_shows_it_too_where_no_client_id_is_printed(client_id, client, release, tail):
    member = f"{client_id}{tail}"
    for printed in ({}, {member: "-"}, {member: ""}):
        found = detect_clients("shop", printed, [member])
        assert (found.by_member, found.releases.get(client, "")) == ({member: client}, release)


@pytest.mark.parametrize("client_id", APPLICATIONS)
def test_a_client_id_of_the_application_hides_the_client(client_id):
    member = f"{client_id}-{UUID}"
    assert detect_clients("shop", {member: client_id}, [member], "range") == Detection((), 1, {}, {})
    assert detect_clients("shop", {}, [member], "range").unknown == 1


def test_only_the_client_id_counts_where_there_is_one():
    """With an instance id the CONSUMER-ID begins with that id."""
    member = f"rdkafka-{UUID}"
    assert detect_clients("shop", {member: "payments"}, [member]).unknown == 1
    assert detect_clients("shop", {}, [member], instance_ids=["rdkafka"]).unknown == 1
    assert detect_clients("shop", {}, [member], instance_ids=["pod-0"]).clients == ("librdkafka",)


def test_sinks_and_workers_of_connect():
    sink = {"m": "connector-consumer-copy-0"}
    assert detect_clients("connect-copy", sink, ["m"], "range").clients == ("connect-sink",)
    assert detect_clients("copy", sink, ["m"], "range").unknown == 1
    worker = {"m": "connect-10.0.0.1:8083"}
    for strategy in ("default", "compatible", "sessioned"):
        assert detect_clients("connect", worker, ["m"], strategy).clients == ("connect",)
    assert detect_clients("connect", worker, ["m"], "range").unknown == 1


def test_two_inputs_of_benthos_have_one_id_and_different_strategies():
    ids = {"m": "benthos"}
    assert detect_clients("shop", ids, ["m"], "range").clients == ("benthos",)
    assert detect_clients("shop", ids, ["m"], "cooperative-sticky").clients == ("redpanda-connect",)


@pytest.mark.parametrize(
    ("strategy", "client"),
    [("stream", "streams"), ("RoundRobinAssigner", "kafkajs"), ("rack-affinity", "kafka-go"), ("sessioned", "connect")],
)  # fmt: skip
def test_a_strategy_of_one_client_alone_shows_all_members(strategy, client):
    found = detect_clients("shop", {"a": "mine", "b": "consumer-shop-1"}, ["a", "b"], strategy)
    assert found.by_member == {"a": client, "b": client}


@pytest.mark.parametrize(
    ("member", "client"),
    [
        ("N6hME4I3QSWpQo5az14/AA", "librdkafka"),
        ("uHcLuvlUap7-ixpD0i2__Q==", "franz-go"),
        ("a92224f4-1da8-4c2a-9015-4f3745c4db39", "platformatic"),
    ],
)
def test_member_ids_of_kip_848(member, client):
    assert detect_clients("shop", {member: "payments"}, [member]).by_member == {member: client}


def test_the_member_id_of_java_in_kip_848_shows_nothing():
    assert detect_clients("shop", {"bSURQb3NTfSDGXQmgRrEeQ": "pay"}, ["bSURQb3NTfSDGXQmgRrEeQ"]).unknown == 1


def test_without_the_group_a_number_at_the_end_has_to_do():
    assert detect_clients("", {"m": "consumer-shop-1"}, ["m"]).clients == ("java",)
    assert detect_clients("", {"m": "consumer-shop-pod"}, ["m"]).unknown == 1


def test_a_group_whose_name_is_a_regular_expression():
    assert detect_clients("a.b(c", {"m": "consumer-a.b(c-1"}, ["m"]).clients == ("java",)
    assert detect_clients("a.b", {"m": "consumer-axb-1"}, ["m"]).unknown == 1


def test_the_oldest_release_counts():
    ids = {"a": "kafka-python-3.0.12", "b": "kafka-python-3.0.2", "c": "kafka-python-2.2.15"}
    assert detect_clients("shop", ids, ids).releases == {"kafka-python": "2.2.15"}


def test_members_without_a_client_id_are_members_too():
    found = detect_clients("shop", {"a": "kgo"}, ["b", f"rdkafka-{UUID}"])
    assert (found.clients, found.unknown) == (("franz-go", "librdkafka"), 1)


@given(
    st.lists(st.sampled_from([one for one, *_ in CLIENT_IDS] + APPLICATIONS), min_size=1, max_size=6), st.randoms()
)  # fmt: skip
def test_the_order_of_members_changes_nothing(client_ids, random):
    ids = {f"m{n}": one for n, one in enumerate(client_ids)}
    mixed = [*ids]
    random.shuffle(mixed)
    found = detect_clients("shop", ids, ids, "range")
    assert detect_clients("shop", {name: ids[name] for name in mixed}, mixed, "range") == found
    assert len(found.by_member) + found.unknown == len(ids)
    assert set(found.clients) <= set(read_clients())


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_no_text_breaks_it(group, client_id, member):
    found = detect_clients(group, {member: client_id}, [member], "range")
    assert len(found.by_member) + found.unknown == 1


def test_a_listing_cannot_tell_some_clients_from_others():
    assert list_lookalikes("java") == ("spring",)
    assert {"confluent-kafka-python", "confluent-kafka-go", "php-rdkafka"} < set(
        list_lookalikes("librdkafka")
    )
    assert not {"vector", "karafka"} & set(list_lookalikes("librdkafka"))
    assert list_lookalikes("kafkajs") == ()
