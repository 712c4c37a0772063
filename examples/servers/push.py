"""Sends 1000 messages of 500 B a second for 40 s."""
import time, zmq

push = zmq.Context().socket(zmq.PUSH)
push.bind("tcp://127.0.0.1:7495")
begun = time.monotonic()
for number in range(40_000):
    time.sleep(max(0, begun + number / 1000 - time.monotonic()))
    push.send(b"x" * 500)
push.send(b"end")
