"""The known defects of the references, as they are recorded."""

from kassay.engine.trial import Defect, defects

__all__ = ["Defect", "defects"]
