"""The consumer family: client-side assignors of the classic group protocol."""
