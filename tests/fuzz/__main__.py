"""`python -m tests.fuzz`: see `tests.fuzz.run`."""

import sys

from tests.fuzz.run import main  # the processes of a pool cannot import functions from here

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
