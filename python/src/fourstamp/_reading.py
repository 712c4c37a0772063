"""A table of files as one Arrow table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from . import _tables
from ._optional import need
from .errors import ArgumentError, FileError

if TYPE_CHECKING:
    import pyarrow


def read(files: Sequence[Path], columns: Sequence[str] | None) -> pyarrow.Table:
    """All rows, file by file; a column that a file lacks is null in its rows."""
    arrow = need("pyarrow", "reading a table")
    parts = [_with_place(_rows(file, columns), file, columns) for file in files]
    whole = arrow.concat_tables(parts, promote_options="default") if parts else arrow.table({})
    if columns is None:
        return whole
    for name in columns:
        if name not in whole.column_names:
            raise ArgumentError(f"no file of the table has a column {name!r}")
    return whole.select(list(columns))


def _rows(file: Path, columns: Sequence[str] | None) -> pyarrow.Table:
    arrow = need("pyarrow", "reading a table")
    try:
        return _parsed(file, columns)
    except (arrow.ArrowException, OSError) as error:
        raise FileError(f"{file} cannot be read: {error}") from error


def _parsed(file: Path, columns: Sequence[str] | None) -> pyarrow.Table:
    if file.suffix == ".csv":
        return need("pyarrow.csv", "reading a table").read_csv(file)
    parquet = need("pyarrow.parquet", "reading a table").ParquetFile(file)
    if columns is None:
        return parquet.read()
    return parquet.read([name for name in parquet.schema_arrow.names if name in columns])


def _with_place(
    rows: pyarrow.Table, file: Path, columns: Sequence[str] | None
) -> pyarrow.Table:
    """The same with the launch and node of the file's name, where no column says them."""
    arrow = need("pyarrow", "reading a table")
    launch, node = _tables.place(file)
    for name, number in (("launch", launch), ("node", node)):
        wanted = columns is None or name in columns
        if node >= 0 and wanted and name not in rows.column_names and not _is_messages(file):
            numbers = arrow.repeat(arrow.scalar(number, arrow.int32()), rows.num_rows)
            rows = rows.append_column(name, numbers)
    return rows


def _is_messages(file: Path) -> bool:
    """Messages name their launch, source and destination themselves."""
    return file.parent.name == "messages"
