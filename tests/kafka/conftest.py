"""Let the modules of this folder import one another; they need Java, so none is named test_*.py and collected.

pytest -n 0 tests/kafka/live_java.py
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
