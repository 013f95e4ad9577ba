"""Let the modules of this folder import one another. Nothing here is collected by default: no file is test_*.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
