"""The docstring of every package of properties and references opens with an example that is true."""

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest

import kassay.properties
import kassay.reference

PACKAGES = [found.__name__ for found in (kassay.properties, kassay.reference)] + [
    inner.name
    for found in (kassay.properties, kassay.reference)
    for inner in walk_packages(found.__path__, f"{found.__name__}.")
    if inner.ispkg
]


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_opens_with_an_example(name):
    package = import_module(name)
    _, begins, rest = (package.__doc__ or "").partition(">>>")
    lines = (begins + rest).split("\n\n")[0].splitlines()
    assert 3 <= len(lines) <= 8, f"{name}: give an example of three to eight lines after the first sentences"
    found = doctest.testmod(package, verbose=False)
    assert found.attempted >= 2
    assert not found.failed
