"""The commands of `python -m tokenlab`.

`python -m tokenlab why --tokenizer tokenizer.json --text "..."` explains the tokens of a text.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from tokenlab.why import command as why


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return the exit status: 2 for an error of the user."""
    parser = argparse.ArgumentParser(prog="python -m tokenlab", description="Commands of tokenlab.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    one = commands.add_parser("why", help="explain which tokens a text becomes, and why", allow_abbrev=False)
    why.add_arguments(one)
    for each in (parser, one):
        why.quiet_errors(each)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal whose encoding lacks a character
    given = parser.parse_args(arguments)
    try:
        status: int = given.run(given)
        sys.stdout.flush()
    except BrokenPipeError:  # such as `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    return status


if __name__ == "__main__":
    sys.exit(main())
