"""What goes wrong, under the names of fourstamp.h: FOURSTAMP_NODE_TAKEN is NodeTakenError.

Each text says what happened, to what, and what to do about it.
"""

__all__ = [
    "FourstampError",
    "ClosedError",
    "ForkedError",
    "ArgumentError",
    "HeaderError",
    "HalvesError",
    "NotEmptyError",
    "NotARunError",
    "EndedError",
    "GoingOnError",
    "NodeTakenError",
    "DiskFullError",
    "FileError",
    "OutOfMemoryError",
    "BugError",
]


class FourstampError(Exception):
    """Any failure of Fourstamp."""


class ClosedError(FourstampError):
    """The run or node was closed, left or finished before."""


class ForkedError(FourstampError):
    """The run or node belongs to the parent process: join the run in this one."""


class ArgumentError(FourstampError, ValueError):
    """A value is not possible."""


class HeaderError(FourstampError):
    """The bytes are no header."""


class HalvesError(FourstampError):
    """The node records halves, and this is for one that does not, or the other way round."""


class NotEmptyError(FourstampError):
    """The folder for a new run is not empty."""


class NotARunError(FourstampError):
    """There is no run."""


class EndedError(FourstampError):
    """The run was closed before."""


class GoingOnError(FourstampError):
    """Nodes of the run still record."""


class NodeTakenError(FourstampError):
    """The run has a node of this number."""


class DiskFullError(FourstampError):
    """No space left."""


class FileError(FourstampError):
    """The system refused something, or a file is damaged."""


class OutOfMemoryError(FourstampError, MemoryError):
    """No memory for the buffer."""


class BugError(FourstampError):
    """An error in Fourstamp."""


# By the codes of fourstamp.h. Those of null pointers, handles and sizes have no class: only an
# error in this package could raise them.
BY_CODE = {
    1: BugError,
    2: BugError,
    3: ClosedError,
    4: ForkedError,
    5: BugError,
    6: ArgumentError,
    7: HeaderError,
    8: HalvesError,
    9: NotEmptyError,
    10: NotARunError,
    11: EndedError,
    12: GoingOnError,
    13: NodeTakenError,
    14: DiskFullError,
    15: FileError,
    16: OutOfMemoryError,
    17: BugError,
}
