"""What `kassay compare` shows: one group on a page, or the rows of a sweep with gates."""
