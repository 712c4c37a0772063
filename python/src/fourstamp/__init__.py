"""Four time stamps on every message of your own program, and runs for Arrow, pandas and DuckDB.

    import fourstamp

    with fourstamp.create("runs/mine", transport="tcp") as run:  # in other processes: join()
        with run.node(0) as stamper:
            ready = stamper.now()                                # 1: it is a message
            header = stamper.header(1, ready, stamper.now())     # 2: it goes to the network
            ...  # the 32 bytes of the header and the message travel to node 1
            arrived = other.now()                                # 3: it is here
            other.taken(header, arrived, length)                 # 4: the program takes it

    run = fourstamp.open("runs/mine")
    run.info["lost"], run.messages(), run.pandas(), run.duckdb()

Stamps are ticks of the node's clock until the run is closed, and nanoseconds since the run's start
when it is read. All of `fourstamp.errors` is here, too.
"""

from . import errors
from ._recording import create, join
from ._run import Run, open
from ._stamp import ACK, DATA, HEADER_BYTES, OTHER, REPLY, RunFolder, Stamper
from ._stamp import version as _version
from .errors import *  # noqa: F403

__version__ = _version()
__all__ = [
    "ACK",
    "DATA",
    "HEADER_BYTES",
    "OTHER",
    "REPLY",
    "Run",
    "RunFolder",
    "Stamper",
    "create",
    "join",
    "open",
    *errors.__all__,
]
