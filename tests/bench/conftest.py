import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # methods "small_grid:..." are imported by name
