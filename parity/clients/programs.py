"""Programs of members in Java, Go, Rust and JavaScript: their sources, and how they are built with lines of settings."""

import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from client_settings.real_clients import Command

from kassay.comparison.client_settings import read_clients
from kassay.comparison.client_settings.cells import wrap_lines
from kassay.targets.java import SLF4J_API, SLF4J_NOP
from kassay.targets.maven.java_programs import compile_sources, find_java
from kassay.targets.maven.repository import Coordinate, fetch

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
SOURCES, BUILD = ROOT / "examples" / "clients", ROOT / "build" / "clients"
PROPERTIES = """import java.io.FileReader;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.KafkaConsumer;

public class Lines {
    public static void main(String[] arguments) throws Exception {
        Properties config = new Properties();
        config.load(new FileReader(arguments[0]));
        config.put("bootstrap.servers", System.getenv("KASSAY_BOOTSTRAP"));
        config.put("group.id", System.getenv("KASSAY_GROUP"));
        config.put("heartbeat.interval.ms", "200");
        String bytes = "org.apache.kafka.common.serialization.ByteArrayDeserializer";
        config.put("key.deserializer", bytes);
        config.put("value.deserializer", bytes);
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(config)) {
            consumer.subscribe(List.of(System.getenv("KASSAY_TOPICS")));
            while (true) {
                consumer.poll(Duration.ofMillis(200));
            }
        }
    }
}
"""
FRANZ_GO = """package main

import (
	"context"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func main() {
	client, err := kgo.NewClient(
		kgo.SeedBrokers(os.Getenv("KASSAY_BOOTSTRAP")),
		kgo.ConsumerGroup(os.Getenv("KASSAY_GROUP")),
		kgo.ConsumeTopics(os.Getenv("KASSAY_TOPICS")),
		kgo.HeartbeatInterval(200*time.Millisecond),
// lines
	)
	if err != nil {
		panic(err)
	}
	for {
		client.PollFetches(context.Background())
	}
}
"""
SARAMA = """package main

import (
	"context"
	"os"
	"time"

	"github.com/IBM/sarama"
)

type handler struct{}

func (handler) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (handler) Cleanup(sarama.ConsumerGroupSession) error { return nil }
func (handler) ConsumeClaim(session sarama.ConsumerGroupSession, _ sarama.ConsumerGroupClaim) error {
	<-session.Context().Done()
	return nil
}

func main() {
	config := sarama.NewConfig()
	config.Consumer.Group.Heartbeat.Interval = 200 * time.Millisecond
// lines
	group, err := sarama.NewConsumerGroup([]string{os.Getenv("KASSAY_BOOTSTRAP")}, os.Getenv("KASSAY_GROUP"), config)
	if err != nil {
		panic(err)
	}
	for {
		_ = group.Consume(context.Background(), []string{os.Getenv("KASSAY_TOPICS")}, handler{})
		time.Sleep(200 * time.Millisecond)
	}
}
"""
KAFKA_GO = """package main

import (
	"context"
	"os"
	"time"

	"github.com/segmentio/kafka-go"
)

func main() {
	reader := kafka.NewReader(kafka.ReaderConfig{
		Brokers:           []string{os.Getenv("KASSAY_BOOTSTRAP")},
		GroupID:           os.Getenv("KASSAY_GROUP"),
		GroupTopics:       []string{os.Getenv("KASSAY_TOPICS")},
		HeartbeatInterval: 200 * time.Millisecond,
// lines
	})
	for {
		_, _ = reader.FetchMessage(context.Background())
	}
}
"""
LIBRDKAFKA_GO = """package main

import (
	"os"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

func main() {
	consumer, err := kafka.NewConsumer(&kafka.ConfigMap{
		"bootstrap.servers":     os.Getenv("KASSAY_BOOTSTRAP"),
		"group.id":              os.Getenv("KASSAY_GROUP"),
		"heartbeat.interval.ms": 200,
// lines
	})
	if err != nil {
		panic(err)
	}
	if err := consumer.Subscribe(os.Getenv("KASSAY_TOPICS"), nil); err != nil {
		panic(err)
	}
	for {
		consumer.Poll(200)
	}
}
"""
RUST_RDKAFKA = """use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use std::env::var;
use std::time::Duration;

fn main() {
    let consumer: BaseConsumer = ClientConfig::new()
        .set("bootstrap.servers", var("KASSAY_BOOTSTRAP").unwrap())
        .set("group.id", var("KASSAY_GROUP").unwrap())
        .set("heartbeat.interval.ms", "200")
// lines
        .create()
        .unwrap();
    let topic = var("KASSAY_TOPICS").unwrap();
    consumer.subscribe(&[topic.as_str()]).unwrap();
    loop {
        consumer.poll(Duration::from_millis(200));
    }
}
"""
KAFKAJS = """import { Kafka, PartitionAssigners } from "kafkajs";
const kafka = new Kafka({ brokers: [process.env.KASSAY_BOOTSTRAP] });
const consumer = kafka.consumer({
  groupId: process.env.KASSAY_GROUP,
  heartbeatInterval: 200,
// lines
});
await consumer.connect();
await consumer.subscribe({ topics: [process.env.KASSAY_TOPICS] });
await consumer.run({ eachMessage: async () => {} });
"""
PLATFORMATIC = """import { Consumer } from "@platformatic/kafka";
const consumer = new Consumer({
  clientId: "kassay",
  groupId: process.env.KASSAY_GROUP,
  bootstrapBrokers: [process.env.KASSAY_BOOTSTRAP],
  heartbeatInterval: 200,
// lines
});
const stream = await consumer.consume({ topics: [process.env.KASSAY_TOPICS] });
stream.on("data", () => {});
"""


def write_java(release: str, program: str = PROPERTIES) -> Command:
    """Return what writes a file of properties for a consumer of a release, with long lines continued."""

    def command(lines: Sequence[str], folder: Path) -> Sequence[str]:
        config, source = folder / "client.properties", folder / "Lines.java"
        config.write_text("\n".join(wrap_lines(read_clients()["java"], lines)))
        source.write_text(program)
        jars = [Coordinate("org.apache.kafka", "kafka-clients", release), SLF4J_API, SLF4J_NOP]
        classes = compile_sources([source], jars[:1])
        return [*find_java().command([classes, *map(fetch, jars)], "Lines"), str(config)]

    return command


@cache
def build_spring(release: str = "") -> Path:
    """Build the application of Spring Boot, with its own release of Kafka's consumer or with another one, and return its jar."""
    folder = BUILD / f"spring{release}"
    shutil.copytree(HERE / "spring", folder, dirs_exist_ok=True)
    words = ["mvn", "-q", "-B", "package", *([f"-Dkafka.version={release}"] if release else [])]
    subprocess.run(words, cwd=folder, check=True)
    return folder / "target" / "settings-1.jar"


SPRING = """spring.kafka.bootstrap-servers=${KASSAY_BOOTSTRAP}
spring.kafka.consumer.properties.heartbeat.interval.ms=200
"""


def write_spring(properties: str = SPRING, release: str = "") -> Command:
    """Return what writes the properties of an application of Spring Boot, with a release of Kafka's consumer."""

    def command(lines: Sequence[str], folder: Path) -> Sequence[str]:
        config = folder / "member.properties"
        config.write_text(properties + "\n".join(wrap_lines(read_clients()["spring"], lines)))
        words = ["-XX:TieredStopAtLevel=1", "-Xmx128m", "-jar", str(build_spring(release))]
        return [find_java().path, *words, f"--spring.config.location=file:{config}"]

    return command


def write_go(template: str, module: Path = SOURCES / "go") -> Command:
    """Return what builds a program in Go with the libraries of a module, once for the same lines."""
    folder = BUILD / "settings"
    built: dict[tuple[str, ...], Path] = {}

    def command(lines: Sequence[str], own: Path) -> Sequence[str]:
        if tuple(lines) not in built:
            for file in ("go.mod", "go.sum"):
                shutil.copy(module / file, own)
            (own / "main.go").write_text(template.replace("// lines", "\n".join(lines)))
            folder.mkdir(parents=True, exist_ok=True)
            program = folder / own.parent.name / own.name
            subprocess.run(["go", "build", "-o", str(program), "."], cwd=own, check=True)
            built[tuple(lines)] = program
        return [str(built[tuple(lines)])]

    return command


def write_rust(program: str = RUST_RDKAFKA) -> Command:
    """Return what builds a program in Rust, whose libraries are built once for all."""

    def command(lines: Sequence[str], own: Path) -> Sequence[str]:
        shutil.copytree(HERE / "rust_rdkafka", own, dirs_exist_ok=True)
        (own / "src").mkdir()
        (own / "src" / "main.rs").write_text(program.replace("// lines", "\n".join(lines)))
        target = BUILD / "rust-rdkafka"
        words = ["cargo", "build", "--quiet", "--locked", "--target-dir", str(target)]
        subprocess.run(words, cwd=own, check=True)
        return [shutil.copy(target / "debug" / "member", own / "member")]

    return command


@cache
def build_node() -> Path:
    """Install the libraries of Node, and return their folder."""
    folder = BUILD / "node"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(SOURCES / "package.json", folder)
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund"], cwd=folder, check=True)
    return folder


def write_node(template: str) -> Command:
    """Return what writes a program in JavaScript."""

    def command(lines: Sequence[str], own: Path) -> Sequence[str]:
        program = own / "member.mjs"
        program.write_text(template.replace("// lines", "\n".join(lines)))
        (own / "node_modules").symlink_to(build_node() / "node_modules")
        return ["node", str(program)]

    return command
