"""Tables: what a sweep's summaries say, as plain DataFrames, and as files that people paste."""
