"""What a tracer leaves of the clients a second of a server that forks a child for each:
forks_in_turn.py CLIENTS ROUNDS TRACER...
The tracer is the beginning of a command line that runs a server with its clients. One with it and
one without it are asked for so many clients in turn, so that both have the same neighbours; the
median of the ratios of the rounds."""

import os, statistics, subprocess, sys, time


def serve(clients):
    import socket

    listener = socket.create_server(("127.0.0.1", 0))
    for _ in sys.stdin:
        begun = time.monotonic()
        for _ in range(clients):
            asks = socket.create_connection(listener.getsockname())
            answers, _ = listener.accept()
            child = os.fork()
            if child == 0:
                answers.sendall(answers.recv(100))
                os._exit(0)
            answers.close()
            asks.sendall(b"?" * 100)
            asks.recv(100)
            asks.close()
            os.waitpid(child, 0)
        print(clients / (time.monotonic() - begun), flush=True)


def start(before, clients):
    words = [*before, sys.executable, __file__, "serve", str(clients)]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def rate(server):
    server.stdin.write("go\n")
    server.stdin.flush()
    return float(server.stdout.readline())


def main(clients, rounds, tracer):
    servers = [start([], clients), start(tracer, clients)]
    ratios = []
    for at in range(rounds):
        # Who is first has the other's warmth behind it: they change places.
        order = [0, 1] if at % 2 == 0 else [1, 0]
        rates = {which: rate(servers[which]) for which in order}
        ratios.append(rates[1] / rates[0])
    for server in servers:
        server.stdin.close()
        if server.wait() != 0:
            sys.exit("a server failed")
    print(f"messages,ratio\n{2 * clients * rounds},{statistics.median(ratios):.4f}")


if sys.argv[1] == "serve":
    serve(int(sys.argv[2]))
else:
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
