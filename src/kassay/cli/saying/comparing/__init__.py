"""What `kassay compare` says and draws: of one group, of several groups, and of the gates of a sweep."""
