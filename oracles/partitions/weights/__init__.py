"""Levels in which partitions are unequal: what they weigh, and what members can bear.

The least greatest load of unequal partitions is strongly NP-hard (machine scheduling with eligibility), so an answer is an interval: above
stands an assignment, below what counting proves (:mod:`.counting`). What two solvers agree on without a count is said to be that.
"""
