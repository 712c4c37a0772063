"""Servers that take a known time for each request, and clients that ask them in known ways.

serve HOW FOLDER NAME MS [OTHER]  until a request says so: HOW is
    threads  a thread for each connection, which reads and answers
    loop     one thread that serves who comes first
    pool     one thread that reads, another that answers
    proxy    one thread that asks the server OTHER for each request
ask HOW FOLDER NAME COUNT [CLIENTS]  one request after the other: HOW is
    keep     on one connection for each client, which is a thread
    each     on a new connection for each request
A request, and its answer, has as many bytes as the environment's LINE says, or 16.
"""

import os
import queue
import selectors
import socket
import sys
import threading
import time

LINE = int(os.environ.get("LINE", 16))
LAST = b"that was the end".ljust(LINE)


def listen(folder, name):
    server = socket.create_server(("127.0.0.1", 0))
    path = os.path.join(folder, name)
    with open(path + ".new", "w") as file:
        file.write(str(server.getsockname()[1]))
    os.rename(path + ".new", path)
    return server


def call(folder, name):
    path = os.path.join(folder, name)
    while not os.path.exists(path):
        time.sleep(0.01)
    with open(path) as file:
        return socket.create_connection(("127.0.0.1", int(file.read())))


def read(connection):
    line = b""
    while len(line) < LINE:
        part = connection.recv(LINE - len(line))
        if not part:
            return b""
        line += part
    return line


def work(ms):
    time.sleep(ms / 1000)


def serve_threads(folder, name, ms):
    server = listen(folder, name)

    def serve(connection):
        while line := read(connection):
            if line == LAST:
                os._exit(0)
            work(ms)
            connection.sendall(line)

    while True:
        threading.Thread(target=serve, args=server.accept()[:1]).start()


def serve_loop(folder, name, ms, answer=None):
    server, chooser = listen(folder, name), selectors.DefaultSelector()
    chooser.register(server, selectors.EVENT_READ)
    while True:
        for key, _ in chooser.select():
            if key.fileobj is server:
                chooser.register(server.accept()[0], selectors.EVENT_READ)
                continue
            line = read(key.fileobj)
            if not line:
                chooser.unregister(key.fileobj)
                key.fileobj.close()
            elif line == LAST:
                return
            elif answer:
                answer(chooser, key, line)
            else:
                work(ms)
                key.fileobj.sendall(line)


def serve_pool(folder, name, ms):
    lines = queue.Queue()

    def answer():
        while True:
            connection, line = lines.get()
            work(ms)
            connection.sendall(line)

    threading.Thread(target=answer, daemon=True).start()
    serve_loop(folder, name, ms, lambda _, key, line: lines.put((key.fileobj, line)))


def serve_proxy(folder, name, ms, other):
    behind = {}

    def forward(chooser, key, line):
        if key.data:
            key.data.sendall(line)
            return
        if key.fileobj not in behind:
            behind[key.fileobj] = call(folder, other)
            chooser.register(behind[key.fileobj], selectors.EVENT_READ, key.fileobj)
        work(ms)
        behind[key.fileobj].sendall(line)

    serve_loop(folder, name, ms, forward)


def ask(connection):
    connection.sendall(b"a" * LINE)
    read(connection)


def ask_keep(folder, name, count):
    with call(folder, name) as connection:
        for _ in range(count):
            ask(connection)


def ask_each(folder, name, count):
    for _ in range(count):
        with call(folder, name) as connection:
            ask(connection)


def end(folder, name):
    with call(folder, name) as connection:
        connection.sendall(LAST)


def main(what, how, folder, name, *more):
    if what == "serve":
        serve = {
            "threads": serve_threads, "loop": serve_loop, "pool": serve_pool, "proxy": serve_proxy,
        }[how]
        serve(folder, name, float(more[0]), *more[1:])
    elif what == "end":
        end(folder, name)
    else:
        clients = int(more[1]) if more[1:] else 1
        arguments = (folder, name, int(more[0]))
        each = {"keep": ask_keep, "each": ask_each}[how]
        threads = [threading.Thread(target=each, args=arguments) for _ in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


main(*sys.argv[1:])
