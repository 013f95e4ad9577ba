"""What stops an oracle from answering; the text of each is one sentence for people."""


class OracleError(Exception):
    """An oracle gave no answer."""


class ImpossibleError(OracleError):
    """The question has no answer for this group, or makes no sense: wrong input."""


class UnsolvedError(OracleError):
    """No optimum was proved: the solver is missing, stopped early or failed."""


class TooLargeError(OracleError):
    """The numbers would leave 64 bits."""
