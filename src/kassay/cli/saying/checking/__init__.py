"""What a check says: the answer, what is broken or known, how good answers are, what to do next."""
