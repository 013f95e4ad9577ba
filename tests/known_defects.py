"""The known defects of the references, as they are recorded."""

from kassay.recorded import Defect, defects

__all__ = ["Defect", "defects"]
