"""Takes them, and sleeps for 3 s after the 20,000th."""
import time, zmq

pull = zmq.Context().socket(zmq.PULL)
pull.connect("tcp://127.0.0.1:7495")
taken = 0
while pull.recv() != b"end":
    taken += 1
    if taken == 20_000:
        begun = time.monotonic()
        time.sleep(3)
        print(f"slept for {time.monotonic() - begun:.3f} s", flush=True)
print("taken:", taken)
