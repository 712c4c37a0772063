"""The program `fourstamp`, which this package carries."""

from __future__ import annotations

import os
import sys


def path() -> str:
    """Where it is."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "fourstamp")


def main() -> None:
    """Become the program, with this process's arguments."""
    program = path()
    try:
        os.execv(program, ["fourstamp", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"error: cannot start {program}: {error.strerror}; install the package again")
