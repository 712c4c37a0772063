"""Which tables a run has, and which files each is in."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from .errors import FileError

# `calls-launch-0-node-3.parquet`, `exchanges-0-1.parquet`, `samples-3.csv`: the launch and the node
# stand in the file's name, and in none of its columns.
OF_NODE = re.compile(r"(?:^|-)launch-(?P<launch>\d+)-node-(?P<node>\d+)$|-(\d+)-(\d+)$|-(\d+)$")


def find(folder: Path, info: dict[str, Any]) -> dict[str, list[Path]]:
    """The files of each table, by its name: `messages`, `causes`, `mpi/calls`, `warp/nodes`."""
    found = {"messages": _messages(folder, info)}
    for file in sorted(folder.glob("*/*")):
        if file.suffix in (".parquet", ".csv") and file.parent.name not in ("live", "messages"):
            found.setdefault(_table(file), []).append(file)
    for files in found.values():
        files.sort(key=lambda file: (place(file), file.name))
    return found


def _messages(folder: Path, info: dict[str, Any]) -> list[Path]:
    """Those that run.json names, and no others: it says what was lost of each."""
    try:
        nodes = [node for launch in info.get("launches", []) for node in launch["nodes"]]
        names = [Path(node["file"]) for node in nodes]
    except (KeyError, TypeError) as error:
        raise FileError(f"{folder / 'run.json'} is damaged: it lacks {error}") from error
    for name in names:
        if name.is_absolute() or ".." in name.parts:
            raise FileError(f"{folder / 'run.json'} names {name}, which is outside the run")
        if not (folder / name).is_file():
            raise FileError(
                f"messages are missing, {folder / name} does not exist: an unfinished copy?"
            )
    return [folder / name for name in names]


def place(file: Path) -> tuple[int, int]:
    """Launch and node of a file. The launch is 0 where there can be but one, and the node is −1
    where the file is not of one."""
    found = OF_NODE.search(file.stem)
    numbers = [int(number) for number in found.groups() if number] if found else [-1]
    return (0, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])


def _table(file: Path) -> str:
    stem = OF_NODE.sub("", file.stem).removesuffix("-sequential")
    return f"{file.parent.name}/{stem}" if stem else file.parent.name
