"""How long a byte takes there and back over TCP: echo_far.py serve ADDRESS, echo_far.py ask ADDRESS.

The median of a thousand, in us.
"""

import socket
import sys
import time

PORT, COUNT = 7019, 1000
what, address = sys.argv[1:]
if what == "serve":
    with socket.create_server((address, PORT)) as server:
        connection = server.accept()[0]
        while byte := connection.recv(1):
            connection.sendall(byte)
else:
    for _ in range(100):
        try:
            connection = socket.create_connection((address, PORT))
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    took = []
    for _ in range(COUNT):
        begun = time.perf_counter()
        connection.sendall(b"a")
        connection.recv(1)
        took.append(time.perf_counter() - begun)
    print(sorted(took)[COUNT // 2] * 1e6)
