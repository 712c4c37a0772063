"""Four threads, a channel each: one call of 300 B after another, for 32 s."""
import threading, time, grpc

def call():
    alone = [("grpc.use_local_subchannel_pool", 1)]
    channel = grpc.insecure_channel("127.0.0.1:7497", options=alone)
    echo = channel.unary_unary("/t.Echo/Echo")
    begun, longest, count = time.monotonic(), 0, 0
    while time.monotonic() < begun + 32:
        called = time.monotonic()
        echo(b"x" * 300)
        longest, count = max(longest, time.monotonic() - called), count + 1
    print(f"{count} calls, the longest took {1000 * longest:.1f} ms\n", end="", flush=True)
    channel.close()

threads = [threading.Thread(target=call) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
