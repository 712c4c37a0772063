"""Calls of which the program itself says where they are: "place TAG FUNCTION FILE LINE", a tag a place.

lines.py calls     in functions, methods, another module, generated code, while an exception is on its way, as an
                   object goes and at the end
lines.py threads   two threads that talk to the other rank while a third computes in Python
lines.py work      a stencil with numbers, objects and collectives, for so many rounds"""

import atexit
import sys
import threading

import lines_elsewhere
from lines_elsewhere import expected, here
from mpi4py import MPI

world = MPI.COMM_WORLD
nothing = [bytearray(8), MPI.BYTE]


class Solver:
    def step(self, tag):
        world.Send(nothing, MPI.PROC_NULL, here(tag))


class Farewell:
    def __del__(self):
        world.Send(nothing, MPI.PROC_NULL, here(7))


def over_some_lines(tag):
    world.Send(
        nothing,
        MPI.PROC_NULL,
        here(tag),
    )


def failing():
    try:
        world.Send(nothing, 99, 0)
    except MPI.Exception:
        world.Send(nothing, MPI.PROC_NULL, here(3))
    try:
        try:
            raise KeyError("mine")
        finally:
            world.Send(nothing, MPI.PROC_NULL, here(4))
    except KeyError as error:
        assert error.args == ("mine",)


def sorted_by_call(tag):
    # From Python through the interpreter's own code to Python again.
    sorted([2, 1], key=lambda one: world.Send(nothing, MPI.PROC_NULL, here(tag)) or one)


def numbers(tag):
    for one in range(3):
        world.Send(nothing, MPI.PROC_NULL, here(tag))
        yield one


def at_the_end():
    world.Send(nothing, MPI.PROC_NULL, here(8))


def calls():
    world.Send(nothing, MPI.PROC_NULL, here(1))
    Solver().step(2)
    failing()
    lines_elsewhere.send(world, nothing, 5)
    over_some_lines(6)
    farewell = Farewell()
    del farewell
    sorted_by_call(9)
    assert list(numbers(10)) == [0, 1, 2]
    for _ in range(3):
        world.send({"an": "object"}, MPI.PROC_NULL, here(11))
    for tag in range(100, 400):
        code = compile("\n" * tag + "world.Send(nothing, MPI.PROC_NULL, here(tag))", "made.py", "exec")
        exec(code, {**globals(), "tag": tag})
    exec(compile("\n" * 500 + "def again(tag): world.Send(nothing, MPI.PROC_NULL, here(tag))", "made.py", "exec"), globals())
    for _ in range(1000):
        again(12)
    atexit.register(at_the_end)
    globals()["kept"] = Farewell()


def talk(comm, tag, rounds):
    got = bytearray(8)
    for _ in range(rounds):
        comm.Sendrecv(nothing, 1 - world.rank, here(tag), [got, MPI.BYTE], 1 - world.rank, tag)


def other_talk(comm, tag, rounds):
    for one in range(rounds):
        request = comm.isend(one, 1 - world.rank, here(tag))
        assert comm.recv(None, 1 - world.rank, tag) == one
        request.wait()


def threads(rounds):
    comms = [world.Dup(), world.Dup()]
    talking = [threading.Thread(target=what, args=(comm, tag, rounds))
               for what, comm, tag in ((talk, comms[0], 21), (other_talk, comms[1], 22))]
    ended, computed = threading.Event(), 0

    def compute():
        nonlocal computed
        while not ended.is_set():
            computed += sum(range(1000))

    computing = threading.Thread(target=compute)
    for thread in [computing, *talking]:
        thread.start()
    for thread in talking:
        thread.join()
    ended.set()
    computing.join()
    assert computed > 0


def work(rounds):
    cells = [float(world.rank * 10 + at) for at in range(10)]
    left, right = (world.rank - 1) % world.size, (world.rank + 1) % world.size
    total = 0.0
    for one in range(rounds):
        requests = [world.isend(cells[0], left, 1), world.isend(cells[-1], right, 2)]
        after, before = world.recv(source=right, tag=1), world.recv(source=left, tag=2)
        MPI.Request.waitall(requests)
        around = [before, *cells, after]
        cells = [(around[at - 1] + around[at] + around[at + 1]) / 3 for at in range(1, 11)]
        total = world.allreduce(sum(cells))
        told = world.bcast({"round": one, "total": total} if world.rank == 0 else None)
        assert told == {"round": one, "total": total}
        if one % 10 == 0:
            world.gather(cells[0])
    sys.stdout.write(f"rank {world.rank} {total:.9f}\n")  # in one piece, unlike print


if sys.argv[1] == "calls":
    calls()
elif sys.argv[1] == "threads":
    threads(int(sys.argv[2]))
else:
    work(int(sys.argv[2]))
for tag, place in sorted(expected.items()):
    if world.rank == 0:
        print("place", tag, *place)
# What is only called later.
if sys.argv[1] == "calls" and world.rank == 0:
    print("place", 8, "at_the_end", __file__, at_the_end.__code__.co_firstlineno + 1)
