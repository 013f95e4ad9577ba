"""Clients are recognised by the ids that they have if the application sets none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.comparison.client_settings import Detection, detect_clients, list_lookalikes, read_clients

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


RDKAFKA, JAVA_ID = f"rdkafka-{UUID}", "bSURQb3NTfSDGXQmgRrEeQ"
SINK, WORKER = "connector-consumer-copy-0", "connect-10.0.0.1:8083"
SITUATIONS = [
    # Only the CLIENT-ID counts if there is one. With an instance id, the CONSUMER-ID begins with that id.
    ("shop", {RDKAFKA: "payments"}, "", [], ()),
    ("shop", {RDKAFKA: ""}, "", ["rdkafka"], ()),
    ("shop", {RDKAFKA: ""}, "", ["pod-0"], ("librdkafka",)),
    # Sinks and workers of Connect.
    ("connect-copy", {"m": SINK}, "range", [], ("connect-sink",)),
    ("copy", {"m": SINK}, "range", [], ()),
    *(("connect", {"m": WORKER}, strategy, [], ("connect",)) for strategy in ("default", "compatible", "sessioned")),
    ("connect", {"m": WORKER}, "range", [], ()),
    # Two inputs of Benthos have one id and different strategies.
    ("shop", {"m": "benthos"}, "range", [], ("benthos",)),
    ("shop", {"m": "benthos"}, "cooperative-sticky", [], ("redpanda-connect",)),
    # A strategy of one client alone shows all members.
    *(("shop", {"a": "mine", "b": "consumer-shop-1"}, strategy, [], (client,)) for strategy, client in (
        ("stream", "streams"), ("RoundRobinAssigner", "kafkajs"), ("rack-affinity", "kafka-go"), ("sessioned", "connect"))),
    # Member ids of KIP-848; the id of Java does not show the client.
    ("shop", {"N6hME4I3QSWpQo5az14/AA": "payments"}, "", [], ("librdkafka",)),
    ("shop", {"uHcLuvlUap7-ixpD0i2__Q==": "payments"}, "", [], ("franz-go",)),
    ("shop", {"a92224f4-1da8-4c2a-9015-4f3745c4db39": "payments"}, "", [], ("platformatic",)),
    ("shop", {JAVA_ID: "pay"}, "", [], ()),
    # Without the group, a number at the end has to do. The name of a group may be a regular expression.
    ("", {"m": "consumer-shop-1"}, "", [], ("java",)),
    ("", {"m": "consumer-shop-pod"}, "", [], ()),
    ("a.b(c", {"m": "consumer-a.b(c-1"}, "", [], ("java",)),
    ("a.b", {"m": "consumer-axb-1"}, "", [], ()),
]  # fmt: skip
"""Group, CLIENT-ID by member, strategy, instance ids -> clients; all members are of them, or unknown."""


@pytest.mark.parametrize(("group", "ids", "strategy", "instances", "clients"), SITUATIONS)
def test_situations(group, ids, strategy, instances, clients):
    found = detect_clients(group, ids, ids, strategy, instances)
    assert (found.clients, found.unknown) == (clients, 0 if clients else len(ids))
    assert found.by_member == (dict.fromkeys(ids, clients[0]) if clients else {})


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
