"""What a check takes from the settings of a project where its command line says nothing."""

import argparse
import os
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

from kassay.defaults import FAMILY, STATE
from kassay.errors import InputError, UnwritableError
from kassay.output import Block
from kassay.output.telling import tell

USUAL: dict[str, Any] = {
    "targets": [], "family": FAMILY, "promise": None, "promises_of": None, "like_kafka": False, "excepted": [],
    "examples": None, "seeds": [0], "timed": False, "strict": False, "timeout": None, "baseline": None,
}  # fmt: skip
"""What may be set -> what holds where neither the command line nor settings say it."""
SPELLED = {"promise": "promises", "excepted": "except_"}
"""What arguments and settings do not call the same."""
PATHS = ("folder", "group", "baseline", "write_baseline")


def add_profile(parser: argparse.ArgumentParser) -> None:
    """Add which profile of the settings holds, and let what settings may say be open."""
    parser.add_argument(
        "--profile", metavar="NAME",
        help="of the settings in kassay.toml, or pyproject.toml under [tool.kassay]: ci, deep or one of your own",
    )  # fmt: skip
    parser.add_argument(
        "--no-replay", dest="replay", action="store_false",
        help=f"neither try first what failed in the last run, nor keep in {STATE}/ what fails in this one",
    )  # fmt: skip
    parser.set_defaults(seed=None, **{name: None for name in USUAL if name != "seeds"})


def apply_settings(args: argparse.Namespace) -> Path:
    """Fill in what the command line leaves open, and return the folder of the project: that of its settings, or the working one.

    Where the settings name the targets, the check runs in their folder. Raises InputError naming the file and the key that is wrong.
    """
    from kassay.files.settings import read_settings

    here = Path.cwd()
    found = read_settings(here, args.profile)
    project = Path(found.folder or here)
    args.seeds = None if args.seed is None else [args.seed]
    said = {name: getattr(found, SPELLED.get(name, name)) for name in USUAL}
    if args.promise is not None or args.promises_of is not None:
        said |= {"promise": None, "promises_of": None, "like_kafka": None}
    if args.group:  # then none are generated unless the command line says so
        said["examples"] = None
    if said["baseline"] is not None:
        said["baseline"] = str(project / said["baseline"])
    if said["targets"] and not args.targets and project != here:
        for name in PATHS:
            setattr(args, name, _from(here, getattr(args, name)))
        tell(f"runs in {project}, whose settings name what is checked")
        os.chdir(project)
    args.settled = {}
    for name, usual in USUAL.items():
        given = getattr(args, name)
        if given is None or given == []:
            setattr(args, name, usual if said[name] is None else said[name])
            if said[name] is not None:
                args.settled[name] = said[name]
    return project


def name_settings_in_errors(
    checked: Generator[Block, None, int], args: argparse.Namespace, project: Path
) -> Generator[Block, None, int]:
    """Pass a check on; where it is wrong what was taken from the settings, let the sentence name their file and key, too."""
    from kassay.files.settings import OWN, SHARED

    try:
        return (yield from checked)
    except UnwritableError:  # settings name nothing that is written
        raise
    except InputError as wrong:
        name = next((each for each, value in args.settled.items() if _speaks(str(wrong), each, value)), None)
        if name is None:
            raise
        own = (project / OWN).exists()
        place = f"{project / (OWN if own else SHARED)}: {'' if own else 'tool.kassay.'}{_key(name)}"
        raise InputError(f"{place}: {wrong}", wrong.copy) from None


def _speaks(said: str, name: str, value: Any) -> bool:
    """Say whether a sentence is about a setting: it names the option, or what stands in the file."""
    words = [
        f"--{name.replace('_', '-')}",
        f"--{_key(name)}",
        *filter(lambda one: isinstance(one, str), value if isinstance(value, list) else [value]),
    ]
    return any(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", said) for word in words)


def _key(name: str) -> str:
    """Return what an argument is called in settings."""
    return SPELLED.get(name, name).rstrip("_").replace("_", "-")


def _from(here: Path, value: Any) -> Any:
    """Return paths of the command line as they are seen from another folder."""
    if isinstance(value, list):
        return [_from(here, each) for each in value]
    return value if value in {None, "-"} else str(here / value)
