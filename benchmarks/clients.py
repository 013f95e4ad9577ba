"""How long a check of a real client with its default settings takes: ``python benchmarks/clients.py [--write] [NAME=COMMAND...]``; Linux.

By default the client is kafka-python. A COMMAND starts another one that reads KASSAY_BOOTSTRAP, KASSAY_GROUP and KASSAY_TOPICS. For each number
of groups: seconds to the first line about a group, to the end, and of CPU in all processes. ``--write`` keeps the figures.
"""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))

from figures import keep, today
from spark import below, cpu_of

SIZES = (500, 1_000, 2_000)
EVERY_S = 0.1
"""The seconds between two looks at the CPU time of each process."""
FIRST = re.compile(r"breaks|[1-9][\d,]* of [\d,]+ groups|PASS|FAIL")
PROGRAM = """
import os
from kafka import KafkaConsumer
consumer = KafkaConsumer(
    *os.environ["KASSAY_TOPICS"].split(","),
    bootstrap_servers=os.environ["KASSAY_BOOTSTRAP"],
    group_id=os.environ["KASSAY_GROUP"],
)
while True:
    consumer.poll(1000)
"""


def measure_check(command: str, groups: int, folder: Path) -> dict[str, float]:
    """Return the seconds of a check of a client with this number of groups; raises SystemExit if it comes to no conclusion."""
    strategy = ["--assignor-name", "range"] if command.endswith("default.py") else []
    line = [
        sys.executable,
        "-m",
        "kassay",
        "check",
        f"client:{command}",
        "--examples",
        str(groups),
        *strategy,
    ]
    log, cpu_s, first_s = folder / "output", dict[int, float](), 0.0
    began = time.monotonic()
    with (
        log.open("wb") as output,
        subprocess.Popen(line, cwd=folder, stdout=output, stderr=output) as process,
    ):
        while process.poll() is None:
            cpu_s |= {pid: cpu_of([pid], of_children=False) for pid in below(process.pid)}
            if not first_s and FIRST.search(log.read_text(errors="replace")):
                first_s = time.monotonic() - began
            time.sleep(EVERY_S)
    end_s = time.monotonic() - began
    if process.returncode not in (0, 1):
        raise SystemExit(log.read_text(errors="replace"))
    return {
        "first line, s": round(first_s or end_s, 1),
        "end, s": round(end_s, 1),
        "CPU, s": round(sum(cpu_s.values()), 1),
    }


def main() -> None:
    """Print and keep the figures of each client."""
    rows = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "default.py").write_text(PROGRAM)
        given = [one.split("=", 1) for one in sys.argv[1:] if "=" in one]
        for client, command in given or [("kafka-python", f"{sys.executable} {folder / 'default.py'}")]:
            for groups in SIZES:
                rows[f"{client}, {groups:,} groups"] = measure_check(command, groups, folder)
                print(client, groups, rows[f"{client}, {groups:,} groups"], flush=True)
    if "--write" in sys.argv:
        keep("clients", "nox -s bench -- clients --write", today(), {"checks": rows})


if __name__ == "__main__":
    main()
