"""Reports: what was found, arranged for people."""
