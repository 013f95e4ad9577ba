"""All that can happen in a small group, whatever the order, up to some number of steps."""
