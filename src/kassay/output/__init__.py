"""The output of commands: one stream of blocks, and a writer for each format."""

from kassay.output.block import Block, JUnitCase

__all__ = ["Block", "JUnitCase"]
