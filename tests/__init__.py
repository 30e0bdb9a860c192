"""The tests of bayesvc, in folders named after the parts of the package."""
