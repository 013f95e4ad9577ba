"""The output of commands, one module each: blocks for the terminal, JSON and CI systems."""
