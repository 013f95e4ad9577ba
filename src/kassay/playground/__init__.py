"""The playground: one static folder in which a browser answers groups with kassay's own code."""
