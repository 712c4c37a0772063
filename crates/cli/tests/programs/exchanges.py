"""A server with one thread and two clients. It prints where the time of exchanges went, by its own
clock: `service`, `whole` and `unread`, ns, of all exchanges of the patient client; and `blocked`,
the length of the one exchange of the other client, which the patient one has to wait for."""

import os
import select
import socket
import time

ROUNDS = 20


def say(word, ns):
    os.write(1, f"{word} {ns}\n".encode())


def patient(port):
    connection = socket.create_connection(("127.0.0.1", port))
    whole = unread = 0
    for number in range(ROUNDS):
        begun = time.monotonic_ns()
        connection.sendall(b"ask" * 20)
        select.select([connection], [], [])
        came = time.monotonic_ns()
        time.sleep(0.02)
        connection.recv(1000)
        ended = time.monotonic_ns()
        whole += ended - begun
        unread += ended - came
        if number == ROUNDS // 2:
            open("half-way", "w").close()
            time.sleep(0.1)
    say("whole", whole)
    say("unread", unread)


def slow(port):
    connection = socket.create_connection(("127.0.0.1", port))
    while not os.path.exists("half-way"):
        time.sleep(0.005)
    connection.sendall(b"slow")
    connection.recv(1000)


def serve(listener):
    connections = [listener.accept()[0] for _ in range(2)]
    service = 0
    while connections:
        for connection in select.select(connections, [], [])[0]:
            asked = connection.recv(1000)
            begun = time.monotonic_ns()
            if not asked:
                connections.remove(connection)
                continue
            time.sleep(0.5 if asked == b"slow" else 0.01)
            ended = time.monotonic_ns()
            connection.sendall(b"answer")
            if asked == b"slow":
                say("blocked", ended - begun)
            else:
                service += ended - begun
    say("service", service)


listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
for client in [patient, slow]:
    if os.fork() == 0:
        listener.close()
        client(port)
        os._exit(0)
serve(listener)
for _ in range(2):
    os.wait()
