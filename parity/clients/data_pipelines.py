"""Programs that move data, and read Kafka on the way: Benthos and Filebeat, started with a file of settings."""

import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from client_settings.real_clients import Command

HERE = Path(__file__).parent
BUILD = HERE.parents[1] / "build" / "clients"

BENTHOS = """
http: {enabled: false}
input:
  INPUT:
    ADDRESSES: ["${KASSAY_BOOTSTRAP}"]
    topics: ["${KASSAY_TOPICS}"]
    consumer_group: "${KASSAY_GROUP}"
output:
  drop: {}
"""
"""The settings of an input of Benthos. No strategy can be set there, so no line has a place in it."""
ADDRESSES = {"kafka": "addresses", "kafka_franz": "seed_brokers"}
"""The name of the setting for the broker, by the input."""
FILEBEAT = """
filebeat.inputs:
- type: kafka
  hosts: ["${KASSAY_BOOTSTRAP}"]
  topics: ["${KASSAY_TOPICS}"]
  group_id: "${KASSAY_GROUP}"
# lines
output.console: {}
"""


@cache
def build_program(name: str) -> Path:
    """Build a program in Go, and return its path."""
    folder = BUILD / name
    shutil.copytree(HERE / name, folder, dirs_exist_ok=True)
    subprocess.run(["go", "build", "-o", "program", "."], cwd=folder, check=True)
    return folder / "program"


def write_benthos(name: str) -> Command:
    """Return what writes the settings of an input of Benthos, which no line changes."""

    def command(lines: Sequence[str], own: Path) -> Sequence[str]:
        assert not lines
        settings = own / "benthos.yaml"
        settings.write_text(BENTHOS.replace("INPUT", name).replace("ADDRESSES", ADDRESSES[name]))
        return [str(build_program("benthos")), "-c", str(settings)]

    return command


def write_filebeat(lines: Sequence[str], own: Path) -> Sequence[str]:
    """Write the settings of the kafka input of Filebeat, and return its command."""
    settings = own / "filebeat.yml"
    settings.write_text(FILEBEAT.replace("# lines", "\n".join(f"  {line}" for line in lines)))
    return [str(build_program("filebeat")), "-e", "--path.home", str(own), "-c", str(settings)]
