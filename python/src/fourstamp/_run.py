"""A run that has ended, for Arrow, pandas and DuckDB.

The files are plain Parquet and CSV; their readers are pyarrow's and DuckDB's own. docs/FORMAT.md
of the project names every column.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _opening, _reading, _tables
from ._optional import need
from .errors import ArgumentError

if TYPE_CHECKING:
    import duckdb
    import pandas
    import pyarrow


class Run:
    """A run that has ended; open() gives one."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._info = _opening.read_info(self._path)
        self._files = _tables.find(self._path, self._info)

    def __repr__(self) -> str:
        return f"<fourstamp.Run {os.fspath(self._path)!r}>"

    @property
    def path(self) -> Path:
        """The folder."""
        return self._path

    @property
    def info(self) -> dict[str, Any]:
        """run.json: what ran, where, on which clocks, every parameter, and what was lost."""
        return self._info

    @property
    def tables(self) -> list[str]:
        """Names of the tables beside the messages, as `causes` and `mpi/calls`."""
        return [name for name in self._files if name != "messages"]

    def messages(self, columns: Sequence[str] | None = None) -> pyarrow.Table:
        """A row for each message: its stamps in ns since the run's start, and what it was.

        Where the nodes have different columns, a column that a node lacks is null there. Some rows
        are no messages but intervals of work: leave out the kinds `cycle`, `execution`, `rollback`,
        `collection` and `gvt-round`.
        """
        return self.table("messages", columns)

    def table(self, name: str, columns: Sequence[str] | None = None) -> pyarrow.Table:
        """One of `tables`. Where its files are of a node each and no column says which, `launch`
        and `node` come from their names."""
        return _reading.read(self._of(name), columns)

    def pandas(
        self, name: str = "messages", columns: Sequence[str] | None = None
    ) -> pandas.DataFrame:
        """The messages, or another table, as a DataFrame. Whole numbers stay whole where some are
        missing: a stamp that was not observed is <NA>."""
        pandas = need("pandas", "pandas()")
        arrow = need("pyarrow", "pandas()")
        whole = {arrow.int32(): pandas.Int32Dtype(), arrow.int64(): pandas.Int64Dtype()}
        return self.table(name, columns).to_pandas(types_mapper=whole.get)

    def duckdb(
        self, name: str = "messages", connection: duckdb.DuckDBPyConnection | None = None
    ) -> duckdb.DuckDBPyRelation:
        """The messages, or another table, as a relation of `connection` (DuckDB's default one). The
        messages stay in their files, and DuckDB reads what a query asks for."""
        database = connection or need("duckdb", "duckdb()")
        files = self._of(name)
        if name == "messages":
            return database.read_parquet([os.fspath(file) for file in files], union_by_name=True)
        return database.from_arrow(self.table(name))

    def _of(self, name: str) -> list[Path]:
        if name in self._files:
            return self._files[name]
        names = ", ".join(["messages", *self.tables])
        raise ArgumentError(f"{self._path} has no table {name!r}; it has {names}")


def open(path: str | os.PathLike[str]) -> Run:
    """Open the run in the folder `path`. One that was cut is closed first.

    Raises NotARunError where there is none, GoingOnError while it is still recorded, and FileError
    where its files cannot be read.
    """
    return Run(path)
