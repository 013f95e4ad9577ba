"""What jars lack of Kafka is added by what the class is built on: told from its file, without Java and without a network."""

import struct
import zipfile
from pathlib import Path

import pytest

from kassay.errors import InputError
from kassay.targets import java as opening
from kassay.targets.java import KAFKA_CLASS, SLF4J_CLASS, STREAMS_CLASS, complete_spec, read_supertypes
from kassay.targets.java.releases import find_newest

TASK_ASSIGNOR = "org/apache/kafka/streams/processor/assignment/TaskAssignor"
CONSUMERS_ASSIGNOR = "org/apache/kafka/clients/consumer/ConsumerPartitionAssignor"
STREAMS, CLIENTS = find_newest("kafka-streams").version, find_newest("kafka-clients").version


def class_file(*names: str) -> bytes:
    """Make the start of a class file: of a class, its superclass and its interfaces; a long among the constants takes two numbers."""
    pool, count = b"\x05" + bytes(8), 3 + 2 * len(names)
    for n, name in enumerate(names):
        text = name.encode()
        pool += struct.pack(">BH", 1, len(text)) + text + struct.pack(">BH", 7, 3 + 2 * n)
    classes = [4 + 2 * n for n in range(len(names))]
    ends = struct.pack(f">HHHH{len(names) - 2}H", 1, *classes[:2], len(names) - 2, *classes[2:])
    return b"\xca\xfe\xba\xbe" + struct.pack(">HHH", 0, 55, count) + pool + ends


def jar(path: Path, **files: bytes | str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def added(monkeypatch, jars: list[Path], name: str) -> list[str]:
    monkeypatch.setattr(opening, "fetch", lambda one: Path(f"{one.artifact}-{one.version}"))
    return [str(path) for path in complete_spec(jars, name)[len(jars) :]]


def test_supertypes_of_a_class_file():
    assert read_supertypes(class_file("a/B", "a/Base", "a/One", "a/Two")) == ["a/Base", "a/One", "a/Two"]


@pytest.mark.parametrize(
    "spoil", [lambda data: data[:40], lambda data: b"PK" + data, lambda data: data[:10] + b"\x7f"]
)
def test_of_what_is_no_class_file_java_says_what_is_wrong(spoil):
    assert read_supertypes(spoil(class_file("a/B", "a/Base"))) == []


@pytest.fixture
def users(tmp_path):
    """A jar with a task assignor by way of a base class, and a consumers' assignor beside it."""
    return jar(
        tmp_path / "users.jar",
        **{
            "a/Tasks.class": class_file("a/Tasks", "a/Base"),
            "a/Base.class": class_file("a/Base", "java/lang/Object", TASK_ASSIGNOR),
            "a/Partitions.class": class_file("a/Partitions", "java/lang/Object", CONSUMERS_ASSIGNOR),
        },
    )


def test_a_class_built_on_streams_gets_both_of_one_release(users, monkeypatch):
    logging = ["slf4j-api-1.7.36", "slf4j-nop-1.7.36"]
    both = [f"kafka-streams-{STREAMS}", f"kafka-clients-{STREAMS}", *logging]
    assert added(monkeypatch, [users], "a.Tasks") == both
    assert added(monkeypatch, [users], "a.Partitions") == [f"kafka-clients-{CLIENTS}", *logging]
    assert added(monkeypatch, [users], "a.Missing") == [f"kafka-clients-{CLIENTS}", *logging]


def kafka(path: Path, name: str, version: str, held: str) -> Path:
    return jar(
        path, **{f"kafka/{name}-version.properties": f"version={version}\n", held: b"", SLF4J_CLASS: b""}
    )


def test_what_lacks_is_of_the_release_that_is_there(users, tmp_path, monkeypatch):
    clients = kafka(tmp_path / "clients.jar", "kafka", "3.9.2", KAFKA_CLASS)
    assert added(monkeypatch, [users, clients], "a.Tasks") == ["kafka-streams-3.9.2", "slf4j-nop-1.7.36"]
    assert added(monkeypatch, [users, clients], "a.Partitions") == ["slf4j-nop-1.7.36"]
    streams = kafka(tmp_path / "streams.jar", "kafka-streams", "4.1.2", STREAMS_CLASS)
    assert added(monkeypatch, [users, streams], "a.Tasks") == ["kafka-clients-4.1.2", "slf4j-nop-1.7.36"]
    assert added(monkeypatch, [streams, clients], "a.Tasks") == ["slf4j-nop-1.7.36"]


@pytest.mark.parametrize(
    ("version", "lacking"), [("3.7.0", []), ("3.9.2", ["kafka-group-coordinator-api-3.9.2"])]
)
def test_what_a_release_has_not_yet_does_not_lack(version, lacking, tmp_path, monkeypatch):
    names = ("coordinator/group/GroupCoordinator", "server/common/ApiMessageAndVersion")
    coordinator = jar(
        tmp_path / "coordinator.jar", **{f"org/apache/kafka/{name}.class": b"" for name in names}
    )
    clients = kafka(tmp_path / "clients.jar", "kafka", version, KAFKA_CLASS)
    assert added(monkeypatch, [coordinator, clients], "a.Any") == [*lacking, "slf4j-nop-1.7.36"]


def test_a_release_that_is_not_known_has_to_be_named(users, tmp_path):
    clients = kafka(tmp_path / "clients.jar", "kafka", "9.0.1", KAFKA_CLASS)
    with pytest.raises(
        InputError,
        match=r"^class path: org.apache.kafka:kafka-streams:9.0.1 is missing, and its release is not known. Name that jar too$",
    ):
        complete_spec([users, clients], "a.Tasks")
