"""Levels of unequal partitions: their weights, and the capacities of members.

The least greatest load of unequal partitions is strongly NP-hard (machine scheduling with eligibility). So an answer is an interval between
a lower bound by counting (:mod:`.counting`) and an assignment. An answer says so if two solvers agree on its value without such a bound.
"""
