"""The modules of this folder, and the adapter for franz-go that `nox -s parity -- exported` builds."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
