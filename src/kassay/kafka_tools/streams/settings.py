"""Settings of an application as the user states them: ``num.standby.replicas=1``; the tools do not print them."""

from collections.abc import Sequence

from kassay.errors import InputError
from kassay.kafka_tools.settings import read_pairs
from kassay.model.tasks import Settings
from kassay.model.tasks_json import SETTINGS, read_group


def read_settings(texts: Sequence[str]) -> Settings:
    """Read ``NAME=VALUE`` each, tags with commas between them; raises InputError naming the setting."""
    pairs = read_pairs(texts, SETTINGS, "task assignors")
    config = {name: _value(name, value) for name, value in pairs.items()}
    try:
        return read_group({"tasks": [], "clients": [], "config": config}).settings
    except InputError as wrong:
        raise InputError(f"--config: {str(wrong).removeprefix('config.')}") from None


def _value(name: str, text: str) -> str | int | list[str]:
    if name.endswith(".tags"):
        return text.split(",")
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 20 else text
