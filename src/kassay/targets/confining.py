"""Run a command with limited memory, ended with the process that asked for it: ``confining.py LIMIT MEGABYTES COMMAND...``.

The limit is RLIMIT_AS, of addresses, or RLIMIT_DATA, of what can be written: some runtimes reserve far more addresses than they use. 0
megabytes: no limit. A script on its own, with nothing but the standard library: it is what every program that is
judged is started by. The kernel ends the program when its parent dies, on Linux; elsewhere the end of its input must.
"""

import ctypes
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Set the limits, then become the command."""
    limit, megabytes, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    if megabytes:
        resource.setrlimit(getattr(resource, limit), (megabytes * 2**20, megabytes * 2**20))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    try:
        os.execvp(command[0], command)  # noqa: S606 - becoming the command is its purpose
    except OSError as wrong:
        sys.exit(f"{command[0]}: cannot be started ({wrong.strerror}). Check the command")


if __name__ == "__main__":
    main()
