"""What commands on sweeps need installed."""

from importlib.util import find_spec

from kassay.errors import InputError


def require_reports() -> None:
    """Raise InputError where a library of the extra ``reports`` is missing."""
    missing = [
        name for name in ("pandas", "pyarrow", "matplotlib", "scipy", "jinja2") if find_spec(name) is None
    ]
    if missing:
        raise InputError(
            f"reports and sweeps need {', '.join(missing)}, which is not here; pip install 'kassay[reports]'"
        )
