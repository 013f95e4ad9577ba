"""A Kafka cluster of three brokers in three racks, on loopback, in a folder of its own."""

import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, NewTopic
from over_the_wire.certified import PASSWORD, certify

from kassay.targets.java import SOURCES, find_newest_kafka
from kassay.targets.maven.java_programs import compile_sources, find_java, resolve_class_path
from kassay.targets.maven.repository import Coordinate

RELEASE = "4.3.1"
"""The release whose tools, Kafka Streams and Connect are on Maven Central, too."""
NEWEST = "4.4.0"
"""That of whose server all is there; its kafka-tools need Jetty 12.0.39, which is not."""
SERVER = {RELEASE: ("kafka_2.13", "kafka-tools"), NEWEST: ("kafka_2.13",)}
COMPILED_AGAINST = ("kafka-group-coordinator", "kafka-group-coordinator-api")
LOGGER = Coordinate("org.slf4j", "slf4j-simple", "1.7.36")
CLUSTER_ID = "a2Fzc2F5LWJyb2tlcg"  # 16 bytes in base64
BROKERS = {1: "a", 2: "b", 3: "c"}
"""Broker ids and their racks."""

HERE = Path(__file__).with_name("java")
START_S = 120.0

PROPERTIES = """\
process.roles={roles}
node.id={number}
broker.rack={rack}
controller.quorum.voters=1@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL
listeners={listeners}
advertised.listeners=PLAINTEXT://127.0.0.1:{port},SASL_SSL://127.0.0.1:{secure}
ssl.keystore.type=PKCS12
ssl.keystore.location={certified}/store.p12
ssl.keystore.password={password}
sasl.enabled.mechanisms=SCRAM-SHA-512,PLAIN,OAUTHBEARER
listener.name.sasl_ssl.oauthbearer.sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";
listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_stranger="right";
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS
log.dirs={folder}
auto.create.topics.enable=false
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
group.initial.rebalance.delay.ms={delay}
group.min.session.timeout.ms=1000
share.coordinator.state.topic.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.consumer.assignors=kassay.Coordinated$Uniform,kassay.Coordinated$Range
group.share.assignors=kassay.Coordinated$Simple
group.consumer.min.heartbeat.interval.ms=200
group.consumer.heartbeat.interval.ms=200
group.share.min.heartbeat.interval.ms=200
group.share.heartbeat.interval.ms=200
group.streams.min.heartbeat.interval.ms=200
group.streams.heartbeat.interval.ms=200
group.streams.num.standby.replicas=1
"""


@dataclass(frozen=True)
class Cluster:
    """A running cluster: where it is, its jars, and a client that administers it; behind TLS and SASL it is at `secure`, certified by the files of a folder."""

    address: str
    secure: str
    certified: Path
    jars: Sequence[Path]
    admin: AdminClient

    def create(self, topics: Mapping[str, int]) -> None:
        """Create topics of so many partitions, each with replicas in two of the three racks."""
        ids = list(BROKERS)
        made = self.admin.create_topics(
            [
                NewTopic(
                    name,
                    num_partitions=size,
                    replica_assignment=[[ids[n % 3], ids[(n + 1) % 3]] for n in range(size)],
                )
                for name, size in topics.items()
            ]
        )
        for done in made.values():
            done.result()

    def tool(self, name: str, *arguments: str) -> str:
        """Return what one of Kafka's own tools prints."""
        command = find_java().command([*self.jars], f"org.apache.kafka.tools.{name}")
        server = ("--bootstrap-server", self.address)
        return subprocess.run(
            [*command, *server, *arguments], capture_output=True, text=True, check=True, timeout=120
        ).stdout


@contextmanager
def running(folder: Path, release: str = RELEASE, delay_ms: int = 1_500) -> Iterator[Cluster]:
    """Run a cluster whose files are in a folder, and whose new groups wait so long for members; what it logged is in the error where it does not start."""
    jars = resolve_class_path([*_of(release, SERVER[release]), LOGGER])
    own = [HERE / "Brokers.java", HERE / "Coordinated.java", *(one for one in SOURCES if one.stem == "Json")]
    classes = compile_sources(own, [find_newest_kafka(), *_of(release, COMPILED_AGAINST)])
    controller, *free = free_ports(1 + 2 * len(BROKERS))
    ports, secure, certified = free[::2], free[1::2], certify(folder)
    files = [
        _properties(folder, number, (port, behind), controller, delay_ms)
        for number, port, behind in zip(BROKERS, ports, secure, strict=True)
    ]
    switches = ("-Xmx768m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
    command = find_java().command([classes, *jars], *switches, "kassay.Brokers", CLUSTER_ID, *map(str, files))
    log = folder / "brokers.log"
    address, behind = (",".join(f"127.0.0.1:{port}" for port in some) for some in (ports, secure))
    with (
        log.open("wb") as out,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=out) as process,
    ):
        try:
            yield Cluster(address, behind, certified, jars, _reached(address, process, log))
        finally:
            process.kill()


def _of(release: str, names: Sequence[str]) -> list[Coordinate]:
    return [Coordinate("org.apache.kafka", name, release) for name in names]


def free_ports(count: int) -> list[int]:
    """Return ports on which nothing listens now."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def _properties(folder: Path, number: int, ports: tuple[int, int], controller: int, delay_ms: int) -> Path:
    port, secure = ports
    first = number == next(iter(BROKERS))
    listener = f"PLAINTEXT://127.0.0.1:{port},SASL_SSL://127.0.0.1:{secure}"
    file = folder / f"{number}.properties"
    file.write_text(
        PROPERTIES.format(
            roles="broker,controller" if first else "broker",
            number=number,
            rack=BROKERS[number],
            controller=controller,
            listeners=f"{listener},CONTROLLER://127.0.0.1:{controller}" if first else listener,
            port=port,
            secure=secure,
            certified=folder,
            password=PASSWORD,
            folder=folder / str(number),
            delay=delay_ms,
        )
    )
    return file


def _reached(address: str, process: subprocess.Popen[bytes], log: Path) -> AdminClient:
    """Wait until all brokers are there."""
    admin = AdminClient({"bootstrap.servers": address, "log_level": 0})
    deadline = time.monotonic() + START_S
    while process.poll() is None and time.monotonic() < deadline:
        try:
            if len(admin.list_topics(timeout=2).brokers) == len(BROKERS):
                return admin
        except KafkaException:
            time.sleep(0.2)
    raise AssertionError(f"the brokers did not start:\n{log.read_text(errors='replace')[-8000:]}")
