"""A sweep on Spark: sessions, jobs and what runs in Python workers."""
