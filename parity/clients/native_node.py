"""Members in JavaScript whose packages compile librdkafka when they are installed: some minutes, once.

It takes a compiler for C++, the headers of Node.js, OpenSSL, zlib and libcurl: in Debian `build-essential`, `libssl-dev`,
`zlib1g-dev` and `libcurl4-openssl-dev`.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from client_settings.real_clients import Command
from clients.programs import BUILD, HERE

NODE_RDKAFKA = """import Kafka from "node-rdkafka";
const consumer = new Kafka.KafkaConsumer({
  "bootstrap.servers": process.env.KASSAY_BOOTSTRAP,
  "group.id": process.env.KASSAY_GROUP,
  "heartbeat.interval.ms": 200,
// lines
}, {});
consumer.on("ready", () => {
  consumer.subscribe([process.env.KASSAY_TOPICS]);
  consumer.consume();
});
consumer.connect({}, (error) => {
  if (error) throw error;
});
"""
CONFLUENT = """import Confluent from "@confluentinc/kafka-javascript";
const { Kafka, PartitionAssigners } = Confluent.KafkaJS;
const consumer = new Kafka({ "bootstrap.servers": process.env.KASSAY_BOOTSTRAP }).consumer({
  "group.id": process.env.KASSAY_GROUP,
  "heartbeat.interval.ms": 200,
  kafkaJS: { groupId: process.env.KASSAY_GROUP },
// lines
});
await consumer.connect();
await consumer.subscribe({ topics: [process.env.KASSAY_TOPICS] });
await consumer.run({ eachMessage: async () => {} });
"""
"""Its printed lines are a kafkaJS block, which takes the place of the one here."""


@cache
def build_package(name: str) -> Path:
    """Install a package with the librdkafka that it compiles, and return the folder."""
    folder = BUILD / name
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / name / "package.json", folder)
    # Confluent's package else fetches libraries from their own sites.
    environment = {**os.environ, "CKJS_LINKING": "dynamic"}
    if headers := find_headers():
        environment["npm_config_nodedir"] = str(headers)
    words = ["npm", "install", "--silent", "--no-audit", "--no-fund"]
    subprocess.run(words, cwd=folder, env=environment, check=True)
    return folder


def find_headers() -> Path | None:
    """Return the folder above the headers of the installed Node.js, None if they must be fetched."""
    root = Path(shutil.which("node") or "/").resolve().parents[1:2]
    return next((one for one in root if (one / "include" / "node" / "node.h").exists()), None)


def write_native_node(template: str, name: str) -> Command:
    """Return what writes a program in JavaScript that loads the package of this name."""

    def command(lines: Sequence[str], own: Path) -> Sequence[str]:
        program = own / "member.mjs"
        program.write_text(template.replace("// lines", "\n".join(lines)))
        (own / "node_modules").symlink_to(build_package(name) / "node_modules")
        return ["node", str(program)]

    return command
