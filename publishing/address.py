"""Write where the repository lies into what is published: ``KASSAY_REPOSITORY=https://HOST/OWNER/kassay python publishing/address.py``.

On a package index README's links to files lead nowhere: afterwards they lead to the files of this version's tag, and pyproject.toml has the
project's links. It changes the checkout it is run in, which the release workflow throws away.
"""

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\()(?!https?:|mailto:|#)([^)\s]+)\)")
ATTRIBUTE = re.compile(r'\b(src|srcset|href)="(?!https?:|#)([^"]+)"')
REPOSITORY = re.compile(r"https://[\w.-]+(/[\w.-]+){2,}")


def addressed(text: str, repository: str, tag: str) -> str:
    """Let what a README links to be found from anywhere: pages and files of a tag, pictures as they are."""

    def there(path: str, *, picture: bool) -> str:
        return f"{repository}/{'raw' if picture else 'blob'}/{tag}/{path.removeprefix('./')}"

    def link(match: re.Match[str]) -> str:
        before, path = match.groups()
        return f"{before}{there(path, picture=before.startswith('!'))})"

    text = LINK.sub(link, text)
    return ATTRIBUTE.sub(lambda found: f'{found[1]}="{there(found[2], picture=found[1] != "href")}"', text)


def links(repository: str, tag: str) -> str:
    """Return the table of links of pyproject.toml."""
    pages = {
        "Repository": repository,
        "Documentation": f"{repository}/blob/{tag}/docs/README.md",
        "Changelog": f"{repository}/blob/{tag}/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }
    return "[project.urls]\n" + "".join(f'{name} = "{page}"\n' for name, page in pages.items())


def main() -> int:
    """Change README.md and pyproject.toml; 2 where the variable is no address."""
    repository = os.environ.get("KASSAY_REPOSITORY", "").rstrip("/")
    if not REPOSITORY.fullmatch(repository):
        print(
            "KASSAY_REPOSITORY: set it to where the repository lies, as in https://HOST/OWNER/kassay",
            file=sys.stderr,
        )
        return 2
    found = VERSION.search((ROOT / "src" / "kassay" / "__init__.py").read_text(encoding="utf-8"))
    assert found, "src/kassay/__init__.py states the version"
    tag = f"v{found[1]}"
    readme, project = ROOT / "README.md", ROOT / "pyproject.toml"
    readme.write_text(addressed(readme.read_text(encoding="utf-8"), repository, tag), encoding="utf-8")
    text = project.read_text(encoding="utf-8")
    if "[project.urls]" not in text:
        text = text.replace("[project.scripts]\n", f"{links(repository, tag)}\n[project.scripts]\n", 1)
        project.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
