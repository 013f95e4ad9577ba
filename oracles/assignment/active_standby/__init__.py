"""Copies in roles: one active copy of each item and its standbys, placed together; optima with certificates.

:mod:`.problem` says what is asked, :mod:`.optimum` answers (also item by item, for two solvers), and :mod:`.check` checks the
certificate and shares nothing with what found it. The ``small_`` modules solve many small problems in machine code.
"""
