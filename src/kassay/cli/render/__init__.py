"""What commands print: blocks for the terminal, JSON and CI systems."""
