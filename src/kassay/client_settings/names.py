"""The names under which users can state a client."""

from collections.abc import Mapping

from kassay.client_settings.cells import read_clients
from kassay.errors import InputError
from kassay.suggesting import nearest


def list_names() -> Mapping[str, str]:
    """Return the client's id by each name that is taken for it, in lower case."""
    clients = read_clients()
    return {name: one.id for one in clients.values() for name in (one.id, *one.names)}


CLIENT_NAMES: Mapping[str, str] = list_names()
"""The client's id by each name that ``--client NAME`` takes."""


def find_client(name: str, where: str = "--client") -> str:
    """Return the id of the client with a name; raise InputError with the nearest one if there is none."""
    if (found := CLIENT_NAMES.get(name.strip().lower())) is not None:
        return found
    near = nearest(name.strip().lower(), CLIENT_NAMES)
    fix = f"Use {near}." if near else f"Use one of {', '.join(read_clients())}."
    raise InputError(f"{where}: {name!r} is not a known client. {fix}")
