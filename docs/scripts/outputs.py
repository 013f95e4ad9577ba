"""Write the outputs that tutorials and explanations show: ``python docs/scripts/outputs.py --write [PAGE...]``.

The blocks of a page run from top to bottom in an empty folder, as tests/api/test_tutorials.py runs them. A ``text`` block gets what the commands before it
print. A block that ends with ``...`` gets as many first lines as it has now. Other blocks with ``...`` are only compared.
"""

import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from api.test_tutorials import BLOCK, PAGES, comparable, missing, printed_by

ROOT = Path(__file__).parents[2]


def write_outputs(page: Path) -> str:
    """Return the text of a page with the outputs of its commands."""
    printed: list[str] = []

    def replace(block: re.Match[str]) -> str:
        nonlocal printed
        file, kind, text = block.groups()
        if file:
            Path(file).write_text(text, encoding="utf-8")
        elif kind == "sh":
            printed = [line.rstrip() for line in printed_by(text).strip("\n").splitlines()]
        elif kind == "text" and missing(text, comparable("\n".join(printed))) is not None:
            return block[0].replace(text, _shorten(text, printed, page))
        return block[0]

    return BLOCK.sub(replace, page.read_text(encoding="utf-8"))


def _shorten(shown: str, printed: list[str], page: Path) -> str:
    """Return the new text of a block, cut as the old one is cut."""
    lines = shown.splitlines()
    if "..." not in lines:
        return "\n".join([*printed, ""])
    if lines.index("...") == len(lines) - 1:
        return "\n".join([*printed[: len(lines) - 1], "...", ""])
    print(
        f"{page.relative_to(ROOT)}: change by hand:\n{shown}\n--- printed:\n" + "\n".join(printed),
        file=sys.stderr,
    )
    return shown


@contextlib.contextmanager
def enter_empty_folder() -> Iterator[None]:
    """Work in an empty folder that has the examples, at 110 columns."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("examples").symlink_to(ROOT / "examples")
        try:
            yield
        finally:
            os.chdir(before)


def main() -> int:
    """Compare the pages, or write them."""
    os.environ["COLUMNS"] = "110"
    os.environ.pop("KASSAY_REPLAY", None)
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    stale = 0
    for name in PAGES:
        if words and not any(word in name for word in words):
            continue
        page = ROOT / "docs" / name
        with enter_empty_folder():
            text = write_outputs(page)
        if text != page.read_text(encoding="utf-8"):
            stale = 1
            print(f"docs/{name}: outputs differ", file=sys.stderr)
            if "--write" in sys.argv:
                page.write_text(text, encoding="utf-8")
    return 0 if "--write" in sys.argv else stale


if __name__ == "__main__":
    raise SystemExit(main())
