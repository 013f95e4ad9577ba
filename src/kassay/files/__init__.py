"""Files: reading groups, writing whole files, and what is taken from files without trust."""
