"""`gone.py WHO PATH`: clients that connect to a Unix-domain socket, write lines of 20 bytes and go
before they are accepted. WHO: children, one process (self), threads of it at once, or a child that
is not traced (untraced)."""

import os, socket, subprocess, sys, threading

WHO, PATH = sys.argv[1:3]
LINE = b"nineteen characters\n"
CLIENTS = 3


def client(number):
    end = socket.socket(socket.AF_UNIX)
    end.connect(PATH)
    for _ in range(10 * (number + 1)):
        end.sendall(LINE)
    end.close()


def child(number):
    if (pid := os.fork()) == 0:
        client(number)
        os._exit(0)
    os.waitpid(pid, 0)


def at_once():
    gate = threading.Barrier(CLIENTS)

    def one(number):
        gate.wait()
        client(number)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(CLIENTS)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]


if WHO == "client":
    client(0)
    sys.exit()
listener = socket.socket(socket.AF_UNIX)
listener.bind(PATH)
listener.listen(CLIENTS)
clients = CLIENTS
if WHO == "children":
    [child(number) for number in range(CLIENTS)]
elif WHO == "self":
    [client(number) for number in range(CLIENTS)]
elif WHO == "threads":
    at_once()
else:
    without = {name: text for name, text in os.environ.items() if name != "LD_PRELOAD"}
    subprocess.run([sys.executable, __file__, "client", PATH], env=without, check=True)
    clients = 1
took = 0
for _ in range(clients):
    end, _ = listener.accept()
    while got := end.recv(4096):
        took += len(got)
    end.close()
print("took", took, file=sys.stderr)
