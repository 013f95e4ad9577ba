"""Pictures of groups of members that own partitions: members down, partitions across."""
