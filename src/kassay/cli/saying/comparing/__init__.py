"""What compare says: of one group, of several, and of a sweep."""
