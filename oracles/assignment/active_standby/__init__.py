"""The joint optimum of active and standby copies of each item, with certificates.

:mod:`.problem` defines a problem, :mod:`.optimum` solves it (also as a disaggregated program, for two solvers), and
:mod:`.check` verifies the certificate with no code of the solver. The ``small_`` modules solve many small problems in
machine code.
"""
