"""What commands need installed beside kassay itself."""

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


def require_pages() -> None:
    """Raise InputError where what writes pages is missing."""
    if find_spec("jinja2") is None:
        raise InputError("--html needs jinja2, which is not here; pip install 'kassay[pages]'")


def require_live(what: str) -> None:
    """Raise InputError where what asks clusters is missing, which `what` needs."""
    known = {
        "kio": "kio",
        "kafka": "kafka-python",
        "javaproperties": "javaproperties",
        "cryptography": "cryptography",
    }
    missing = [name for module, name in known.items() if find_spec(module) is None]
    if missing:
        raise InputError(f"{what} needs {', '.join(missing)}, which is not here; pip install 'kassay[live]'")


def require_wire(what: str) -> None:
    """Raise InputError where what speaks Kafka's protocol is missing, which `what` needs."""
    if find_spec("kio") is None:
        raise InputError(f"{what} needs kio, which is not here; pip install 'kassay[wire]'")
