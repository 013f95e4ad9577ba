"""What `kassay compare` does: asks for answers and judges them; cli/saying/comparing has the words and pictures of it."""
