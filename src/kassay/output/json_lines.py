"""JSON lines: every record of every block, and nothing else."""

from collections.abc import Iterable
from typing import TextIO

from kassay.output.block import Block, json_line


def write_json(blocks: Iterable[Block], out: TextIO) -> None:
    """Write one JSON value a line; the first of a block that says something has that sentence, too."""
    for block in blocks:
        records = [*block.records]
        if block.says and records:
            records[0] = {**records[0], "says": block.says}
        out.writelines(json_line(record) + "\n" for record in records)
        out.flush()
