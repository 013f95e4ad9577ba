"""The known defects of the references, as they are recorded."""

from kassay.engine.trial import Defect, read_defects

__all__ = ["Defect", "read_defects"]
