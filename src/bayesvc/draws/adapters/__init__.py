"""`Draws` from the split counts of other packages.

The functions are also methods of `Draws`, such as ``Draws.from_counts``. The other packages are
never imported: the functions read the objects that their users hold.
"""

from bayesvc.draws.adapters.bartz import from_bartz
from bayesvc.draws.adapters.counts import from_counts
from bayesvc.draws.adapters.pymc_bart import from_pymc_bart
from bayesvc.draws.adapters.stochtree import from_stochtree

__all__ = ["from_bartz", "from_counts", "from_pymc_bart", "from_stochtree"]
