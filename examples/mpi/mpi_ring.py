"""A ring in mpi4py, to be traced: python objects, then arrays, then a sum.

    fourstamp mpi trace -- mpirun -n 2 python mpi_ring.py
"""

from array import array
from mpi4py import MPI

world = MPI.COMM_WORLD
right, left = (world.rank + 1) % world.size, (world.rank - 1) % world.size

for turn in range(100):
    request = world.isend({"turn": turn, "from": world.rank}, dest=right, tag=1)
    assert world.recv(source=left, tag=1) == {"turn": turn, "from": left}
    request.wait()

numbers, received = array("d", [float(world.rank)] * 1000), array("d", [0.0] * 1000)
for _ in range(100):
    world.Sendrecv(numbers, dest=right, sendtag=2, recvbuf=received, source=MPI.ANY_SOURCE, recvtag=2)
assert received[0] == float(left)

total = world.allreduce(world.rank)
if world.rank == 0:
    print("sum of the ranks:", total)
