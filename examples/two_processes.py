"""Two processes in Python that stamp their messages into one run.

    python examples/two_processes.py runs/python && fourstamp report runs/python

The first process makes the folder and receives; the other joins the folder and sends, over a socket
pair. Each finishes its own node, and the one that made the folder closes the run.
"""

import multiprocessing
import socket
import sys

import fourstamp

MESSAGES, BODY = 10_000, bytes(64)
LENGTH = fourstamp.HEADER_BYTES + len(BODY)


def send_all(path, connection):
    with fourstamp.join(path) as run, run.node(0) as stamper:
        for _ in range(MESSAGES):
            ready = stamper.now()  # 1: it is a message
            header = stamper.header(1, ready, stamper.now())  # 2: it goes to the network
            connection.sendall(header + BODY)
    connection.close()


def receive_all(run, connection):
    with run.node(1) as stamper:
        while message := connection.recv(LENGTH, socket.MSG_WAITALL):
            arrived = stamper.now()  # 3: it is here
            # 4: this program has no queue, so the message is taken as soon as it is here
            stamper.taken(message[: fourstamp.HEADER_BYTES], arrived, len(BODY))


def main(path):
    with fourstamp.create(path, transport="socketpair") as run:
        here, there = socket.socketpair()
        sender = multiprocessing.get_context("spawn").Process(target=send_all, args=(path, there))
        sender.start()
        there.close()  # so that receiving ends when the sender ends
        receive_all(run, here)
        sender.join()
        if sender.exitcode:
            sys.exit(f"error: the sender failed; what it recorded is in {path}")
        messages = run.close()
    print(f"{messages} messages; see them: fourstamp report {path}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "runs/python")
