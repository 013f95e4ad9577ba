"""The start page: what `kassay` alone shows."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kassay.output import Block

DOORS = (
    (
        "I change an assignor",
        "kassay check jar:target/mine.jar#com.acme.Mine",
        "what it breaks, on the smallest group that shows it",
    ),
    (
        "My group is lopsided",
        "kassay compare --group members.txt",
        "what each strategy would do, and what to set",
    ),
    (
        "I write a client",
        'kassay check "client:./my-consumer"',
        "the same: your client leads groups, without an adapter",
    ),
    (
        "I need numbers",
        "kassay sweep grids/quick.toml -o quick",
        "4,300 groups, each beside the best possible",
    ),
)
"""Who comes, the command to begin with, and what that gives."""
LISTING = (
    "kafka-consumer-groups.sh --bootstrap-server HOST:PORT --group GROUP \\",
    "    --describe --members --verbose > members.txt",
)
"""The command of Kafka's that prints a group."""
MORE = (
    ("Try it now", "kassay check", "Kafka's four strategies"),
    ("More", "kassay --help", "all commands"),
    ("", "kassay list", "all assignors"),
)


def start_page() -> "Iterator[Block]":
    """Yield the page, 80 columns wide at most."""
    from kassay.output import Block
    from kassay.shape import TextTable

    yield Block(says="kassay tests how Kafka shares out partitions. It needs no Kafka.")
    rows = [row for who, command, gives in DOORS for row in ((who, command), ("", gives))]
    yield Block(prose=True, grid=TextTable(["", ""], rows))
    yield Block(
        prose=True, text="members.txt is what Kafka prints, as it is:", code=[f"  {line}" for line in LISTING]
    )
    yield Block(prose=True, grid=TextTable(["", "", ""], MORE))
