"""A request in two short writes, for which TCP waits for a delayed acknowledgement between them."""

import os
import socket
import sys
import time

what, folder = sys.argv[1:]
path = os.path.join(folder, "port")
COUNT, HEAD, BODY = 60, 10, 20


def read(connection, count):
    got = b""
    while len(got) < count:
        part = connection.recv(count - len(got))
        if not part:
            sys.exit("the connection ended early")
        got += part


if what == "serve":
    server = socket.create_server(("127.0.0.1", 0))
    with open(path + ".new", "w") as file:
        file.write(str(server.getsockname()[1]))
    os.rename(path + ".new", path)
    connection = server.accept()[0]
    for _ in range(COUNT):
        read(connection, HEAD)
        read(connection, BODY)
        connection.sendall(b"c")
else:
    while not os.path.exists(path):
        time.sleep(0.01)
    with open(path) as file:
        connection = socket.create_connection(("127.0.0.1", int(file.read())))
    for _ in range(COUNT):
        connection.sendall(b"a" * HEAD)
        connection.sendall(b"b" * BODY)
        read(connection, 1)
