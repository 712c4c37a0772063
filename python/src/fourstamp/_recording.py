"""Making a run and joining one."""

from __future__ import annotations

import os
import sys

from . import _stamp
from ._stamp import RunFolder


def create(
    path: str | os.PathLike[str], *, workload: str | None = None, transport: str | None = None
) -> RunFolder:
    """Make the folder of a new run; it must not exist yet, or be empty.

    run.json says that `workload` sends its messages (the program's file name unless given), and
    that they travel over `transport`, as "tcp".
    """
    if workload is None:
        workload = os.path.basename(sys.argv[0] if sys.argv else "") or "python"
    return _stamp.create(path, workload, transport)


def join(path: str | os.PathLike[str]) -> RunFolder:
    """Join a run that another process has made and not closed yet."""
    return _stamp.join(path)
