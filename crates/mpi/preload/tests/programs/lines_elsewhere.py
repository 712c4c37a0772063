"""A module of lines.py."""

import sys

from mpi4py import MPI

expected = {}


def here(tag):
    """The tag; where the call is that asks for it is written down."""
    frame = sys._getframe(1)
    name = getattr(frame.f_code, "co_qualname", frame.f_code.co_name)
    # A call over some lines is where its function is.
    line = frame.f_lineno - (3 if name == "over_some_lines" else 0)
    expected[tag] = (name, frame.f_code.co_filename, line)
    return tag


def send(comm, what, tag):
    comm.Send(what, MPI.PROC_NULL, here(tag))
