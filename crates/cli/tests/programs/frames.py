"""Servers and clients that frame their messages, each kind with the truth on standard output: a line
`exchange REQUEST_BYTES ANSWER_BYTES SERVICE_NS` (over HTTP: `service ANSWER_BYTES NS`) for each, in
order. The port comes first, then the
kind of talk: `http`, `length`, `binary`, `answers` or `killed`."""

import http.client
import http.server
import os
import signal
import socket
import struct
import sys
import threading
import time


def say(*words):
    os.write(1, (" ".join(str(word) for word in words) + "\n").encode())


def receive(connection, count):
    got = b""
    while len(got) < count:
        more = connection.recv(count - len(got))
        if not more:
            raise EOFError
        got += more
    return got


class Handler(http.server.BaseHTTPRequestHandler):
    """`/SIZE/MILLISECONDS/HOW`: a body of this size after this time, sized or in chunks."""

    protocol_version = "HTTP/1.1"
    # Head and body leave in two calls, of which the second would wait for the client's late ACK.
    disable_nagle_algorithm = True

    def answer(self):
        _, size, delay, how = self.path.split("/")
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        begun = time.monotonic_ns()
        time.sleep(int(delay) / 1000)
        body = b"x" * int(size)
        ended = time.monotonic_ns()
        self.send_response(200)
        if how == "chunked":
            self.send_header("Transfer-Encoding", "chunked")
            body = b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n"
        else:
            self.send_header("Content-Length", size)
        if self.command == "HEAD":
            body = b""
        head = sum(map(len, self._headers_buffer)) + 2
        self.end_headers()
        self.wfile.write(body)
        say("service", head + len(body), ended - begun)

    do_GET = do_HEAD = do_POST = answer

    def log_message(self, *_):
        pass


def http_client(port):
    talk = http.client.HTTPConnection("127.0.0.1", port)
    kinds = [("GET", "sized"), ("GET", "chunked"), ("HEAD", "sized"), ("POST", "sized")]
    for number in range(12):
        method, how = kinds[number % 4]
        body = b"b" * 5000 if method == "POST" else None
        talk.request(method, f"/{100 + 700 * number}/{number % 3 * 15}/{how}", body)
        talk.getresponse().read()
    # Five at once, the third slow.
    request = "GET /1000/%d/sized HTTP/1.1\r\nHost: x\r\n\r\n"
    talk.sock.sendall("".join(request % (60 if at == 2 else 0) for at in range(5)).encode())
    reader = talk.sock.makefile("rb")
    for _ in range(5):
        while reader.readline() != b"\r\n":
            pass
        reader.read(1000)


def length_server(listener):
    connection, _ = listener.accept()
    while True:
        try:
            head = receive(connection, 4)
        except EOFError:
            return
        count = struct.unpack(">I", head)[0]
        receive(connection, count)
        begun = time.monotonic_ns()
        time.sleep(0.005)
        ended = time.monotonic_ns()
        answer = struct.pack(">I", count * 2) + b"y" * (count * 2)
        connection.sendall(answer[:3])
        connection.sendall(answer[3:])
        say("exchange", 4 + count, len(answer), ended - begun)


def length_client(port):
    connection = socket.create_connection(("127.0.0.1", port))
    message = lambda count: struct.pack(">I", count) + b"x" * count
    connection.sendall(message(10) + message(0) + message(300))
    rest = message(40) + message(5)
    for at in range(len(rest)):
        connection.sendall(rest[at : at + 1])
    # A part of a message, and what is left with the next one.
    connection.sendall(message(200000)[:70000])
    connection.sendall(message(200000)[70000:] + message(1))
    for count in [10, 0, 300, 40, 5, 200000, 1]:
        receive(connection, 4 + 2 * count)


def binary_server(listener):
    connection, _ = listener.accept()
    while data := connection.recv(10000):
        connection.sendall(data[:100])


def binary_client(port):
    connection = socket.create_connection(("127.0.0.1", port))
    for number in range(30):
        connection.sendall(bytes([number, 0, 255, 10]) * 100)
        receive(connection, 100)


def lines_server(listener):
    connection, _ = listener.accept()
    reader = connection.makefile("rb")
    while (line := reader.readline()).endswith(b"\n"):
        connection.sendall(line)


ANSWERS = ["to-the-end", "file", "file-in-chunks", "tls", "threads"]


def answers_server(listener):
    """Each answer to a connection of its own."""
    for kind in ANSWERS:
        connection, _ = listener.accept()
        connection.recv(1000)
        head = "HTTP/1.1 200 OK\r\n%s\r\n"
        if kind == "to-the-end":
            connection.sendall((head % "").encode())
            connection.sendall(b"abc")
            connection.sendall(b"def")
        elif kind == "tls":
            connection.sendall(b"\x16\x03\x03hello")
        elif kind == "threads":
            # Both wait for room at once, before either has written all.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)
            connection.sendall((head % "Content-Length: 8000000\r\n").encode())
            write = lambda: [connection.sendall(b"x" * 40000) for _ in range(100)]
            threads = [threading.Thread(target=write) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        else:
            sized = kind == "file"
            length = "Content-Length: 100000" if sized else "Transfer-Encoding: chunked"
            connection.sendall((head % (length + "\r\n")).encode())
            with open("body", "wb+") as body:
                body.write(b"z" * 100000)
                body.seek(0)
                connection.sendfile(body)
        connection.close()


def answers_client(port):
    for kind in ANSWERS:
        connection = socket.create_connection(("127.0.0.1", port))
        hello = b"\x16\x03\x01hello"
        connection.sendall(hello if kind == "tls" else b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        # Until the server has filled the socket, and its threads wait for room.
        time.sleep(0.3 if kind == "threads" else 0)
        while connection.recv(100000):
            pass


def killed_client(port):
    connection = socket.create_connection(("127.0.0.1", port))
    for number in range(500):
        connection.sendall(b"line\n" * 4)
        receive(connection, 20)
    connection.sendall(b"half a li")
    os.kill(os.getpid(), signal.SIGKILL)


port, kind = int(sys.argv[1]), sys.argv[2]
if kind == "http":
    server = http.server.HTTPServer(("127.0.0.1", port), Handler)
    client, serve = http_client, server.handle_request
else:
    listener = socket.create_server(("127.0.0.1", port))
    talks = {
        "length": (length_server, length_client),
        "binary": (binary_server, binary_client),
        "killed": (lines_server, killed_client),
        "answers": (answers_server, answers_client),
    }
    server, client = talks[kind]
    serve = lambda: server(listener)
if os.fork() == 0:
    client(port)
    os._exit(0)
serve()
os.wait()
