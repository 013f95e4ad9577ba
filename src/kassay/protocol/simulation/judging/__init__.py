"""What has happened is remembered, judged by the invariants, and told from what is known to go wrong."""
