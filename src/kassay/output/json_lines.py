"""JSON lines: every record of every block, and nothing else."""

from collections.abc import Iterable
from typing import TextIO

from kassay.output.block import Block, json_line


def write_json(blocks: Iterable[Block], out: TextIO) -> None:
    """Write one JSON value a line."""
    for block in blocks:
        out.writelines(json_line(record) + "\n" for record in block.records)
        out.flush()
