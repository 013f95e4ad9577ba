"""The checker of all that kassay proves: optima, frontiers and sums over time, of every kind of group.

It reads a group and an answer as JSON, finds the possible holders, and counts the values of the answer again. Then it adds up the lower
bounds of the certificate. It needs only Python's standard library and imports nothing of kassay outside this folder, so it
shares no code with the solvers. ``nox -s build`` makes one file of it:

    $ python kassay-proof.pyz answer.json group.json
    proved: nothing is better in balance,moves: balance 0, moves 1

A level is known here a second time, in the tables of :mod:`.levels` and :mod:`.applications`.
"""
