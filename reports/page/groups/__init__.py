"""Groups on the page: the one that is drawn open, the smallest that break a property, and the page of a single group."""
