"""Run the notebooks beside this file, and check that they print what they show; `--write` stores what they print and draw.

`nox -s site` runs it. It needs nbclient, ipykernel and kassay with pandas, pyarrow, matplotlib and scipy.
"""

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent
LONGEST_S = 60
"""How long a cell may take, on a machine that is busy; a whole notebook takes some seconds."""


def printed(notebook: Any) -> list[list[str]]:
    """Return what each cell prints and shows as text; pictures differ by the version of what draws them."""
    return [
        [
            output.get("text") or output.get("data", {}).get("text/plain", "")
            for output in cell.get("outputs", [])
        ]
        for cell in notebook.cells
    ]


def run(path: Path, *, write: bool) -> list[str]:
    """Run a notebook; return what it prints otherwise than it shows, cell by cell, or store that."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    before = printed(notebook)
    NotebookClient(notebook, timeout=LONGEST_S, resources={"metadata": {"path": str(path.parent)}}).execute()
    if write:
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)  # when it ran
        notebook.metadata = {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}
        }
        nbformat.write(notebook, path)  # type: ignore[no-untyped-call]
        return []
    return [
        f"{path.name}, cell {at}: prints {now}, and shows {shown}"
        for at, (shown, now) in enumerate(zip(before, printed(notebook), strict=True))
        if shown != now
    ]


def main() -> int:
    """Run all notebooks; 1 where one is not fresh."""
    stale = [said for path in sorted(HERE.glob("*.ipynb")) for said in run(path, write="--write" in sys.argv)]
    print(*(stale or ["the notebooks print what they show"]), sep="\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
