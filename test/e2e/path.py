"""Imported first by every test file, so that it finds the harness from wherever it is started."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
