"""The data of clients: each cell has its evidence, each key is known, and each regular expression can be read."""

import doctest
import re
import tomllib
from importlib.resources import files

import msgspec
import pytest

import kassay.comparison.client_settings
from kassay.comparison.client_settings import CLIENT_NAMES, find_client, read_clients
from kassay.comparison.client_settings.cells import Cell, has_reached, is_before, parse_clients, parse_release
from kassay.errors import InputError

TEXT = files("kassay.comparison.client_settings").joinpath("clients.toml").read_text(encoding="utf-8")
CLIENTS = read_clients()
NAMED = [
    "java",
    "spring",
    "streams",
    "connect",
    "connect-sink",
    "librdkafka",
    "confluent-kafka-javascript",
    "franz-go",
    "sarama",
    "kafka-go",
    "kafkajs",
    "platformatic",
    "kafka-python",
    "aiokafka",
    "ruby-kafka",
    "karafka",
    "php-rdkafka",
    "redpanda-connect",
    "benthos",
    "vector",
    "logstash",
    "filebeat",
    "flink",
    "spark",
    "confluent-kafka-python",
    "confluent-kafka-go",
    "confluent-kafka-dotnet",
    "node-rdkafka",
    "rust-rdkafka",
]


def cells(client):
    """Yield the cells of a client."""
    for value in msgspec.structs.astuple(client):
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, msgspec.Struct):
                yield one


@pytest.mark.parametrize("client", CLIENTS.values(), ids=list(CLIENTS))
def test_each_cell_has_its_evidence(client):
    found = [*cells(client)]
    assert found
    for cell in found:
        assert isinstance(cell, Cell)
        assert cell.source.strip()
        assert cell.release.strip()
        assert not re.search(r"/work/|/home/|/tmp/", cell.source)


@pytest.mark.parametrize("missing", ["source", "release", "basis"])
def test_a_cell_without_evidence_is_refused(missing):
    evidence = {"source": 'source = "a"', "release": 'release = "1"', "basis": 'basis = "run"'}
    head = '[[client]]\nid = "a"\ntitle = "A"\nsyntax = "text"\n[client.instead]\ntext = "nothing"\n'
    assert parse_clients(head + "\n".join(evidence.values()))["a"].instead.text == "nothing"
    left = "\n".join(line for key, line in evidence.items() if key != missing)
    with pytest.raises(msgspec.ValidationError, match=f"missing required field `{missing}`"):
        parse_clients(head + left)


def test_a_basis_that_is_not_known_is_refused():
    with pytest.raises(msgspec.ValidationError, match="basis"):
        parse_clients(TEXT.replace('basis = "run"', 'basis = "hearsay"', 1))


@pytest.mark.parametrize("place", ['id = "java"', "[client.static]", "[[client.strategies]]"])
def test_a_key_that_is_not_known_is_refused(place):
    with pytest.raises(msgspec.ValidationError, match="unknown field `odd`"):
        parse_clients(TEXT.replace(place, f"{place}\nodd = 1", 1))
    assert not any("library" in client for client in tomllib.loads(TEXT)["client"])


def test_every_client_is_there_and_has_a_way_to_its_strategies():
    assert set(NAMED) <= set(CLIENTS)
    for client in CLIENTS.values():
        assert client.line is not None or client.instead is not None, (
            f"{client.id}: add [client.line] or [client.instead]"
        )
        assert client.kip848 is not None, f"{client.id}: add [client.kip848]"
        assert client.static is not None, f"{client.id}: add [client.static]"
        for one in client.defaults:
            assert set(one.strategies) <= {s.name for s in client.strategies} or client.line is None, (
                client.id
            )


def test_regular_expressions_can_be_read():
    for client in CLIENTS.values():
        for one in (*client.ids, *client.member_ids):
            assert re.compile(one.pattern.replace("{group}", "g"))


def test_clients_inherit_cells_but_not_who_they_are():
    spring, java = CLIENTS["spring"], CLIENTS["java"]
    assert spring.strategies == java.strategies
    assert spring.line != java.line
    assert (spring.ids, spring.base, spring.library) == ((), "java", "Java (kafka-clients)")
    assert set(java.cautions) < set(spring.cautions)
    wants = [one for one in java.cautions if one.form]
    assert wants
    assert not set(wants) & set(CLIENTS["logstash"].cautions)


def test_names_find_one_client_each():
    names = [name for one in CLIENTS.values() for name in (one.id, *one.names)]
    assert len(names) == len(set(names)) == len(CLIENT_NAMES)
    assert all(name == name.lower() for name in names)
    assert find_client("kafka-clients") == "java"
    assert find_client(" Confluent-Kafka ") == "confluent-kafka-python"


@pytest.mark.parametrize(
    ("name", "fix"), [("jav", "Use java."), ("libkafka", "Use librdkafka."), ("qqqq", "Use one of java, ")]
)
def test_a_wrong_name_is_refused_with_the_nearest(name, fix):
    with pytest.raises(InputError, match=f"^--client: '{name}' is not a known client. {fix}"):
        find_client(name)


def test_releases_are_ordered_by_their_numbers():
    assert parse_release("3.0.12") > parse_release("3.0.2")
    assert parse_release("3") == parse_release("3.0") == parse_release("v3.0.0-SNAPSHOT")
    assert is_before("2.8.2", "3.0")
    assert not is_before("", "3.0")
    assert has_reached("3.10", "3.9")
    assert not has_reached("", "3.9")
    with pytest.raises(InputError, match=r"^--release: 'new' is not a release of a client"):
        parse_release("new")


def test_the_example_of_the_package_runs():
    ran = doctest.testmod(kassay.comparison.client_settings)
    assert ran.attempted
    assert not ran.failed
