"""The shape of streams groups: tasks, members, and the processes that these are threads of (KIP-1071)."""
