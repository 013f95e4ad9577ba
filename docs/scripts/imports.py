"""Draw which part of kassay imports which, as Mermaid, from the imports in its files."""

import ast
from collections.abc import Mapping
from pathlib import Path

Graph = Mapping[str, set[str]]

EVERYWHERE = {"__init__", "__main__", "errors", "defaults", "sentences"}
"""Small files that any part may use; they are not drawn."""
TOGETHER = {
    "testing": "api, testing",
    "api": "api, testing",
}
CORE = ("assignment", "failures", "solving", "compiled")
"""The parts of the oracles that know no shape."""


def find_part(module: tuple[str, ...]) -> str:
    """Return the part of kassay that a module belongs to, by its path inside the package; empty if it is not drawn."""
    top, *inner = module or ("__init__",)
    if (top, inner[:1]) == ("oracles", ["proof"]):
        return "oracles/proof"
    if top == "oracles" and inner and inner[0] in CORE:
        return "oracles/assignment"
    if (top, inner[:1]) == ("reference", ["java"]):
        return "reference/java"
    if top == "families":  # a family is found by its name, so that who asks for one imports none
        if inner and inner[0] in {"shape", "family"}:
            return "shape, family"
        return "families/FAMILY" if inner and inner[0] != "__init__" else "families"
    return "" if top in EVERYWHERE else TOGETHER.get(top, top)


def read_imports(package: Path) -> Graph:
    """Return what each part of a package imports, also of folders that are links."""
    found: dict[str, set[str]] = {}
    folders = (package, *(inner for inner in package.iterdir() if inner.is_dir()))
    for file in {file for folder in folders for file in folder.rglob("*.py")}:
        here = find_part(file.relative_to(package).with_suffix("").parts)
        for node in ast.walk(ast.parse(file.read_text())):
            if not here or not isinstance(node, ast.ImportFrom) or not node.module:
                continue
            top, *module = node.module.split(".")
            there = find_part(tuple(module)) if top == package.name and module else ""
            found.setdefault(here, set()).update({there} - {"", here})
            found.setdefault(there or here, set())
    return found


def find_reachable(graph: Graph) -> Graph:
    """Return for each part all that it imports, directly or not."""
    far = {name: set(direct) for name, direct in graph.items()}
    for by in graph:
        for name in graph:
            if by in far[name]:
                far[name] |= far[by]
    return far


def reduce_graph(graph: Graph) -> tuple[Mapping[str, str], Graph]:
    """Return in which box each part stands, and which boxes import which, without what follows from other edges.

    Parts that import each other are in one box, with the names of its parts.
    """
    far = find_reachable(graph)
    box = {
        name: " · ".join(sorted({name, *(other for other in far[name] if name in far[other])}))
        for name in graph
    }
    edges: dict[str, set[str]] = {}
    for name, direct in sorted(graph.items()):
        edges.setdefault(box[name], set()).update({box[other] for other in direct} - {box[name]})
    beyond = find_reachable(edges)
    return box, {
        name: {to for to in direct if not any(to in beyond[by] for by in direct)}
        for name, direct in edges.items()
    }


def draw_imports(package: Path) -> str:
    """Draw the imports of a package as Mermaid: an arrow points from who imports to what is imported."""
    _, edges = reduce_graph(read_imports(package))
    number = {name: f"n{at}" for at, name in enumerate(sorted(edges))}
    lines = [f'    {number[name]}["{name}"]' for name in sorted(edges)]
    lines += [f"    {number[name]} --> {number[to]}" for name in sorted(edges) for to in sorted(edges[name])]
    if {"families", "families/FAMILY"} <= edges.keys():
        lines.append(f"    {number['families']} -. by name .-> {number['families/FAMILY']}")
    return "\n".join(["```mermaid", "flowchart TD", *lines, "```", ""])
