"""Where the worst cases of partition assignors are looked for: groups tried out, with structure, changed and doubled."""
