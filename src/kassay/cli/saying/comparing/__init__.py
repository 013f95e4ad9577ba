"""What `kassay compare` says and draws of what cli/comparing found: one group, several groups, and the gates of a sweep."""
