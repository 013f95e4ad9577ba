"""What is said where kassay itself fails."""

import sys
import tempfile
import traceback

from kassay import __version__
from kassay.output.block import one_line
from kassay.redaction import redact

REPORTED = "please report it where kassay comes from, with the command"


def tell_bug(bug: Exception) -> int:
    """Say in a sentence that this is a bug of kassay and how to report it; returns the exit status.

    The traceback goes into a file, or after the sentence where no file can be written.
    """
    trace = redact(
        f"kassay {__version__}, Python {sys.version}\n\n{''.join(traceback.format_exception(bug))}"
    )
    said = f"kassay: this is a bug of kassay, nothing is wrong with what it judges: {one_line(redact(repr(bug)))[:300]}; {REPORTED}"
    try:
        with tempfile.NamedTemporaryFile(
            "w",
            prefix="kassay-bug-",
            suffix=".txt",
            delete=False,
            encoding="utf-8",
            errors="backslashreplace",
        ) as file:
            file.write(trace)
    except OSError:
        print(f"{said} and this:\n{trace}", file=sys.stderr)
    else:
        print(f"{said} and {file.name}", file=sys.stderr)
    return 3
