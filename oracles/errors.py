"""The errors of oracles; the text of each is one sentence for users."""

from kassay.errors import InputError


class OracleError(Exception):
    """An oracle gave no answer (exit status 3)."""


class ImpossibleError(OracleError, InputError):
    """The question has no answer for this group, or makes no sense: wrong input (exit status 2)."""


class UnsolvedError(OracleError):
    """No optimum was proved: the solver is missing, stopped early or failed."""


class TooLargeError(OracleError):
    """The question is beyond what is counted exactly: sums leave 64 bits, or there are too many things to try."""
