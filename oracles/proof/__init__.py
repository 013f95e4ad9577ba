"""The one program that checks what kassay proves: optima, frontiers and sums over time, of every kind of group.

It reads a group and an answer as JSON, finds who may hold what, counts again what the answer is worth, and adds up what its certificate
proves that nothing goes below. It needs Python's standard library alone and imports nothing of kassay outside this folder, so it
shares nothing with what finds optima; ``nox -s build`` makes one file of it:

    $ python kassay-proof.pyz answer.json group.json
    proved: nothing is better in balance,moves: balance 0, moves 1

A level is known here a second time, in the tables of :mod:`.levels` and :mod:`.applications`.
"""
