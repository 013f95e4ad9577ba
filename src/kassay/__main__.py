"""``python -m kassay`` is the command ``kassay``."""

from kassay.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
