"""`waits.py HOW TRANSPORT`: a parent sends 20 lines, one after each answer, and a child that lets
each lie for 30 ms. HOW: elsewhere, it sleeps before it reads; polled, selected, woken (by epoll), it
sleeps after its wait is over; stopped, it is stopped while it waits in poll; blocked, in the read;
other, it waits for another connection meanwhile."""

import os, select, signal, socket, sys, time

HOW, TRANSPORT = sys.argv[1:3]
COUNT, LATE = 20, 0.03

if TRANSPORT == "tcp":
    listener = socket.create_server(("127.0.0.1", 0))
    ours = socket.create_connection(listener.getsockname())
    theirs, _ = listener.accept()
else:
    ours, theirs = socket.socketpair()
poll = select.poll()
poll.register(theirs, select.POLLIN)
epoll = select.epoll()
epoll.register(theirs, select.EPOLLIN)
quiet = select.poll()
quiet.register(os.pipe()[0], select.POLLIN)


def wait():
    if HOW == "elsewhere":
        time.sleep(LATE)
    elif HOW == "other":
        quiet.poll(LATE * 1000)
    elif HOW == "polled":
        poll.poll()
    elif HOW == "selected":
        select.select([theirs], [], [])
    elif HOW == "woken":
        epoll.poll()
    elif HOW == "stopped":
        poll.poll()
    if HOW in ("polled", "selected", "woken"):
        time.sleep(LATE)


def is_asleep(process):
    with open(f"/proc/{process}/stat") as stat:
        return stat.read().rsplit(")", 1)[1].split()[0] == "S"


child = os.fork()
if child == 0:
    for _ in range(COUNT):
        wait()
        theirs.recv(20)
        theirs.send(b"ok\n")
    os._exit(0)
for _ in range(COUNT):
    if HOW in ("stopped", "blocked"):
        while not is_asleep(child):
            time.sleep(0.001)
        os.kill(child, signal.SIGSTOP)
    ours.send(b"nineteen characters\n")
    if HOW in ("stopped", "blocked"):
        time.sleep(LATE)
        os.kill(child, signal.SIGCONT)
    ours.recv(3)
os.waitpid(child, 0)
