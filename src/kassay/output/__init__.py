"""What a command says, in each of the formats: one stream of blocks, and a writer for each format."""

from kassay.output.block import Block, JUnitCase

__all__ = ["Block", "JUnitCase"]
