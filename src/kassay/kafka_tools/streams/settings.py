"""Settings of an application as the user states them: ``num.standby.replicas=1``; the tools do not print them."""

from collections.abc import Sequence

from kassay.errors import InputError
from kassay.kafka_tools.place import repeated
from kassay.model.tasks import Settings
from kassay.model.tasks_json import SETTINGS, read_group
from kassay.suggesting import meant


def read_settings(texts: Sequence[str]) -> Settings:
    """Read ``NAME=VALUE`` each, tags with commas between them; raises InputError naming the setting."""
    pairs = [text.partition("=") for text in texts]
    for name, equals, value in pairs:
        if not equals or not value:
            raise InputError(
                f"--config {name}{equals}: has no value; give NAME=VALUE, such as num.standby.replicas=1"
            )
        if name not in SETTINGS:
            raise InputError(
                f"--config {name}: task assignors read no such setting; known are {', '.join(SETTINGS)}{meant(name, SETTINGS)}"
            )
    if twice := repeated(name for name, _, _ in pairs):
        raise InputError(f"--config {twice}: is given twice; give it once")
    config = {name: _value(name, value) for name, _, value in pairs}
    try:
        return read_group({"tasks": [], "clients": [], "config": config}).settings
    except InputError as wrong:
        raise InputError(f"--config: {str(wrong).removeprefix('config.')}") from None


def _value(name: str, text: str) -> str | int | list[str]:
    if name.endswith(".tags"):
        return text.split(",")
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 20 else text
