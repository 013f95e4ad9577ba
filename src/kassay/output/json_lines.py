"""JSON lines: every record of every block, and nothing else."""

from collections.abc import Iterable
from typing import TextIO

import msgspec

from kassay.output.block import Block


def write_json(blocks: Iterable[Block], out: TextIO) -> None:
    """Write one JSON value a line."""
    for block in blocks:
        out.writelines(msgspec.json.encode(record).decode() + "\n" for record in block.records)
        out.flush()
