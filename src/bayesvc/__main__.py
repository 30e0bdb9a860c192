"""`python -m bayesvc` is the command line."""

from bayesvc.cli import main

main()
