"""`forking.py HOW PATH COUNT`: a server on a Unix-domain socket that forks a child for each
client, and clients, of which every second is a child, too. HOW: plain, or crowded, where the run has
taken all numbers of processes before there are any clients."""

import glob, os, socket, sys

HOW, PATH, COUNT = sys.argv[1], sys.argv[2], int(sys.argv[3])
NUMBERS = 1 << 16


def client(number):
    end = socket.socket(socket.AF_UNIX)
    end.connect(PATH)
    end.sendall(b"?" * (number + 1))
    assert end.recv(4096) == b"?" * (number + 1)
    end.close()


def clients():
    for number in range(COUNT):
        if number % 2:
            client(number)
        elif os.fork() == 0:
            client(number)
            os._exit(0)
        else:
            os.wait()


listener = socket.socket(socket.AF_UNIX)
listener.bind(PATH)
listener.listen(64)
if HOW == "crowded":
    (log,) = glob.glob("run/live/*.sockets")
    for number in range(1, NUMBERS):
        open(log.replace("node-0", f"node-{number}"), "x").close()
if os.fork() == 0:
    listener.close()
    clients()
    os._exit(0)
for _ in range(COUNT):
    end, _ = listener.accept()
    if os.fork() == 0:
        end.sendall(end.recv(4096))
        os._exit(0)
    end.close()
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
