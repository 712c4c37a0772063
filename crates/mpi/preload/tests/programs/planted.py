"""Delays that are known, as in planted.c, through mpi4py."""

import sys
import time

from mpi4py import MPI

ROUNDS, LARGE = 20, 4 << 20

world = MPI.COMM_WORLD
what, pause = sys.argv[1], int(sys.argv[2]) / 1000
buffer = bytearray(LARGE if what == "rendezvous" else 8)
for _ in range(ROUNDS):
    world.Barrier()
    if world.rank == 0:
        if what in ("late_sender", "waitall"):
            time.sleep(pause)
        world.Send([buffer, MPI.BYTE], dest=1, tag=1)
        if what == "waitall":
            world.Send([buffer, MPI.BYTE], dest=1, tag=2)
    elif world.rank == 1 and what == "waitall":
        more = bytearray(8)
        requests = [world.Irecv([room, MPI.BYTE], source=0, tag=tag) for room, tag in ((buffer, 1), (more, 2))]
        MPI.Request.Waitall(requests)
    elif world.rank == 1 and what == "asleep":
        request = world.Irecv([buffer, MPI.BYTE], source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG)
        time.sleep(pause)
        request.Wait()
    elif world.rank == 1:
        if what != "late_sender":
            time.sleep(pause)
        world.Recv([buffer, MPI.BYTE], source=0, tag=1)
numbers = world.allgather(world.rank)
sys.stdout.write(f"rank {world.rank} of {numbers}\n")  # in one piece, unlike print
