"""Where the worst cases of task assignors are looked for, and the prices of deciding as KIP-925 does, whoever decides."""
