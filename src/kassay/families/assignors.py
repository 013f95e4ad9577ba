"""All assignors that have a name: the references and kassay's own."""

from collections.abc import Mapping

from kassay.families.optimal import ASSIGNORS as OPTIMAL
from kassay.model import Assignor
from kassay.reference import ASSIGNORS as REFERENCES

_ALL = {**REFERENCES, **OPTIMAL}
ASSIGNORS: Mapping[str, Assignor] = {
    name: assignor
    for family in dict.fromkeys(assignor.family for assignor in _ALL.values())
    for name, assignor in _ALL.items()
    if assignor.family == family
}
"""Name -> assignor, family by family."""
