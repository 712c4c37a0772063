"""Delays that are known, as in planted.c, through mpi4py."""

import sys
import time

from mpi4py import MPI

LARGE = 4 << 20
COLLECTIVES = ("bcast", "reduce", "allreduce", "barrier")

world = MPI.COMM_WORLD
kinds, pause = sys.argv[1].split(","), int(sys.argv[2]) / 1000
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 20
large, small, more = bytearray(LARGE), bytearray(8), bytearray(8)
now = time.monotonic_ns


def pause_if(late):
    if late:
        time.sleep(pause)


def send(kind, buffer):
    if kind == "waitall":
        world.Send([more, MPI.BYTE], dest=1, tag=2)
    pause_if(kind in ("late_sender", "waitall"))
    entered = now()
    world.Send([buffer, MPI.BYTE], dest=1, tag=1)
    return entered, entered, now()


def receive(kind, buffer):
    pause_if(kind in ("unexpected", "rendezvous"))
    posted = entered = now()
    if kind == "waitall":
        requests = [world.Irecv([room, MPI.BYTE], source=0, tag=tag) for room, tag in ((buffer, 1), (more, 2))]
        entered = now()
        MPI.Request.Waitall(requests)
    elif kind == "asleep":
        request = world.Irecv([buffer, MPI.BYTE], source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG)
        pause_if(True)
        entered = now()
        request.Wait()
    else:
        world.Recv([buffer, MPI.BYTE], source=0, tag=1)
    return posted, entered, now()


def collective(kind):
    pause_if(world.rank == (0 if kind == "bcast" else 1))
    entered = now()
    if kind == "bcast":
        world.Bcast([small, MPI.BYTE])
    elif kind == "reduce":
        world.Reduce([small, MPI.INT], [more, MPI.INT], op=MPI.MAX)
    elif kind == "allreduce":
        world.Allreduce([small, MPI.INT], [more, MPI.INT], op=MPI.MAX)
    else:
        world.Barrier()
    return entered, entered, now()


said = ""
stamps = 0, 0, 0
for kind in kinds:
    for _ in range(rounds):
        aligned = now()
        world.Barrier()
        if kind in COLLECTIVES:
            stamps = collective(kind)
        elif world.rank < 2:
            stamps = (receive if world.rank else send)(kind, large if kind == "rendezvous" else small)
        said += "at {} {} {} {} {} {}\n".format(kind, world.rank, aligned, *stamps)
numbers = world.allgather(world.rank)
if len(sys.argv) > 3:
    sys.stdout.write("".join(world.gather(said) or []))
else:
    sys.stdout.write(f"rank {world.rank} of {numbers}\n")  # in one piece, unlike print
