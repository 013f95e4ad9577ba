"""The tree of the site, read from docs/README.md, and the redirects of old addresses.

A section of the tree is a heading of docs/README.md, and a page is a row with its question.
"""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
INDEX = ROOT / "docs" / "README.md"
ROW = re.compile(r"^\| \[(.+?)\]\((\S+?)\) \| \*\*(.+?)\*\* (?:.+) \|$", re.MULTILINE)
MOVED = {
    "docs/adapter-protocol.md": "docs/reference/adapter.md",
    "docs/api.md": "docs/reference/python.md",
    "docs/architecture.md": "docs/explanation/architecture.md",
    "docs/assignment.md": "docs/explanation/assignment.md",
    "docs/broker.md": "docs/reference/broker.md",
    "docs/brokers.md": "docs/guides/wire.md",
    "docs/ci.md": "docs/guides/ci.md",
    "docs/client-settings.md": "docs/reference/client-settings.md",
    "docs/client-side-assignment.md": "docs/reference/kips.md",
    "docs/clients.md": "docs/tutorials/client.md",
    "docs/concepts.md": "docs/explanation/concepts.md",
    "docs/connect.md": "docs/reference/connect.md",
    "docs/coordinator.md": "docs/reference/protocol.md",
    "docs/differential.md": "docs/explanation/equality.md",
    "docs/findings.md": "docs/results/findings.md",
    "docs/findings/aiokafka.md": "docs/results/findings.md",
    "docs/findings/connect-runtime.md": "docs/results/findings.md",
    "docs/findings/franz-go.md": "docs/results/findings.md",
    "docs/findings/kafka-clients.md": "docs/results/findings.md",
    "docs/findings/kafka-group-coordinator.md": "docs/results/findings.md",
    "docs/findings/kafka-python.md": "docs/results/findings.md",
    "docs/findings/kafka-streams.md": "docs/results/findings.md",
    "docs/findings/librdkafka.md": "docs/results/findings.md",
    "docs/franz-go.md": "docs/results/scoreboard.md",
    "docs/glossary.md": "docs/reference/glossary.md",
    "docs/group-scenarios.md": "docs/reference/simulation.md",
    "docs/import-streams.md": "docs/guides/import.md",
    "docs/import.md": "docs/guides/import.md",
    "docs/kip-925.md": "docs/reference/kips.md",
    "docs/live.md": "docs/guides/import.md",
    "docs/moving-to-kip-848.md": "docs/guides/kip-848.md",
    "docs/museum.md": "docs/results/old-bugs.md",
    "docs/optimal.md": "docs/explanation/solver.md",
    "docs/oracles/README.md": "docs/explanation/optimum.md",
    "docs/oracles/balance.md": "docs/explanation/solver.md",
    "docs/oracles/certificates.md": "docs/explanation/certificates.md",
    "docs/oracles/collapse.md": "docs/explanation/solver.md",
    "docs/oracles/contracts.md": "docs/explanation/solver.md",
    "docs/oracles/core.md": "docs/explanation/solver.md",
    "docs/oracles/face.md": "docs/explanation/solver.md",
    "docs/oracles/frontier.md": "docs/explanation/frontier.md",
    "docs/oracles/joint.md": "docs/explanation/tasks.md",
    "docs/oracles/over-time.md": "docs/explanation/frontier.md",
    "docs/oracles/racks.md": "docs/explanation/solver.md",
    "docs/oracles/tasks.md": "docs/explanation/tasks.md",
    "docs/oracles/topic-spread.md": "docs/explanation/solver.md",
    "docs/oracles/weights.md": "docs/explanation/certificates.md",
    "docs/oracles/worst.md": "docs/results/worst.md",
    "docs/playground.md": "docs/guides/changes.md",
    "docs/properties.md": "docs/reference/properties.md",
    "docs/properties/broker.md": "docs/reference/properties.md",
    "docs/properties/connect.md": "docs/reference/properties.md",
    "docs/properties/consumer.md": "docs/reference/properties.md",
    "docs/properties/share.md": "docs/reference/properties.md",
    "docs/properties/streams-group.md": "docs/reference/properties.md",
    "docs/properties/streams.md": "docs/reference/properties.md",
    "docs/reconciliation.md": "docs/reference/kips.md",
    "docs/report.md": "docs/guides/report.md",
    "docs/results.md": "docs/results/million.md",
    "docs/results/prices.md": "docs/results/worst.md",
    "docs/results/streams.md": "docs/results/million.md",
    "docs/scale.md": "docs/guides/sweep.md",
    "docs/scoreboard.md": "docs/results/scoreboard.md",
    "docs/settings.md": "docs/guides/ci.md",
    "docs/simulate.md": "docs/guides/simulate.md",
    "docs/speed.md": "docs/results/speed.md",
    "docs/streams-groups.md": "docs/reference/streams.md",
    "docs/streams.md": "docs/reference/streams.md",
    "docs/sweep.md": "docs/guides/sweep.md",
    "docs/topic-spread.md": "docs/results/topic-balance.md",
    "docs/tutorial-client.md": "docs/reference/adapter.md",
    "docs/tutorial-fixtures.md": "fixtures/TUTORIAL.md",
    "docs/tutorial-gate.md": "docs/tutorials/assignor.md",
    "docs/tutorial-group.md": "docs/tutorials/group.md",
    "docs/tutorial-research.md": "docs/tutorials/research.md",
    "docs/upstream/README.md": "docs/results/findings.md",
    "docs/upstream/aiokafka.md": "docs/results/findings.md",
    "docs/upstream/franz-go.md": "docs/results/findings.md",
    "docs/upstream/kafka-go.md": "docs/results/findings.md",
    "docs/upstream/kafka-python.md": "docs/results/findings.md",
    "docs/upstream/kafkajs.md": "docs/results/findings.md",
    "docs/upstream/kfake.md": "docs/results/findings.md",
    "docs/upstream/krafka.md": "docs/results/findings.md",
    "docs/upstream/librdkafka.md": "docs/results/findings.md",
    "docs/upstream/platformatic.md": "docs/results/findings.md",
    "docs/upstream/sarama.md": "docs/results/findings.md",
    "docs/user-data.md": "docs/reference/adapter.md",
    "docs/weights.md": "docs/guides/weights.md",
    "docs/what-if.md": "docs/guides/changes.md",
    "docs/wire.md": "docs/reference/protocol.md",
    "reference/commands.md": "docs/reference/commands.md",
}
"""Address of release 0.2.0 -> the page that has its content today. The site writes a redirect for each."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its title in the tree, its file from the root of the repository, and the question that it answers."""

    title: str
    file: str
    question: str

    @property
    def name(self) -> str:
        """The file without its ending, as Sphinx calls it."""
        return self.file.removesuffix(".md")

    @property
    def plain(self) -> str:
        """The question without links and emphasis."""
        return re.sub(r"\[(.+?)\]\(\S+?\)", r"\1", self.question).replace("*", "")


def read_tree(text: str = INDEX.read_text(encoding="utf-8")) -> dict[str, list[Page]]:
    """Return the pages of each section, in order."""
    found: dict[str, list[Page]] = {}
    for section in text.split("\n## ")[1:]:
        title, _, rows = section.partition("\n")
        found[title] = [
            Page(name, (INDEX.parent / path).resolve().relative_to(ROOT).as_posix(), question)
            for name, path, question in ROW.findall(rows)
        ]
    return found
