"""Copies in roles: one active copy of each item and its standbys, placed together; optima with certificates.

:mod:`.problem` says what is asked, :mod:`.optimum` answers, :mod:`.check` checks the certificate and shares nothing with
what found it, and :mod:`.item_program` is the same question item by item, for two solvers.
"""
