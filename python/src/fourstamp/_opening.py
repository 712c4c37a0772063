"""Opening a run: what is no run, still goes on, or was cut."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
from pathlib import Path
from typing import Any

from . import _program
from .errors import FileError, GoingOnError, NotARunError

FORMAT = 1


def read_info(folder: Path) -> dict[str, Any]:
    """run.json of a run that has ended. One that was cut is closed first."""
    info = _parse(folder)
    if info["state"] != "open":
        return info
    if _somebody_records(folder):
        raise GoingOnError(
            f"the run {folder} is still in progress; wait until it has ended, or stop it"
        )
    # The commands of Fourstamp close such a run; how is not this package's to know.
    report = [_program.path(), "report", "--csv", os.fspath(folder)]
    said = subprocess.run(report, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    info = _parse(folder)
    if info["state"] == "open":
        raise FileError(said.stderr.strip().removeprefix("error: "))
    return info


def _parse(folder: Path) -> dict[str, Any]:
    file = folder / "run.json"
    try:
        info = json.loads(file.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise NotARunError(
            f"{folder} is not a run: it has no run.json; name the folder that a run was written to"
        ) from None
    except OSError as error:
        raise FileError(f"cannot read {file}: {error.strerror}") from error
    except ValueError as error:
        raise FileError(f"{file} is damaged, or no file of a run: {error}") from error
    if not isinstance(info, dict) or "format" not in info or "state" not in info:
        raise FileError(f"{file} is not the run.json of a run")
    if info["format"] != FORMAT:
        raise FileError(
            f"{file} has format {info['format']}, but this package reads format {FORMAT}; "
            "install a newer fourstamp"
        )
    return info


def _somebody_records(folder: Path) -> bool:
    """Who records holds a shared lock (docs/FORMAT.md)."""
    try:
        with open(folder / "live" / "lock", "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return False
    except BlockingIOError:
        return True
    except OSError:
        return False  # the command says what is wrong
