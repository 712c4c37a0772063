"""Programs that use TCP connections which others have made. `inherited.py ROLE ...`."""

import array, fcntl, os, socket, sys, termios, time

ROLE = sys.argv[1]


def wait_for(path):
    while not os.path.exists(path):
        time.sleep(0.005)


def told(path, text=""):
    with open(path + ".new", "w") as file:
        file.write(text)
    os.rename(path + ".new", path)


def exactly(end, count):
    data = b""
    while len(data) < count:
        part = end.recv(count - len(data))
        assert part, "the other end has gone"
        data += part
    return data


def unread(end):
    count = array.array("i", [0])
    fcntl.ioctl(end, termios.FIONREAD, count)
    return count[0]


def lies_there(end, count):
    while unread(end) < count:
        time.sleep(0.001)


def accepted():
    listener = socket.create_server(("127.0.0.1", 0))
    told("port", str(listener.getsockname()[1]))
    return listener.accept()[0]


def connected():
    wait_for("port")
    return socket.create_connection(("127.0.0.1", int(open("port").read())))


def inherited(place=2):
    return socket.socket(fileno=int(sys.argv[place]))


def become(words, *ends):
    """Run this command instead, which has these connections."""
    for end in ends:
        end.set_inheritable(True)
    numbers = [str(end.detach()) for end in ends]
    os.execvp(words[0], words + numbers)


def ask(end, count):
    """Requests of 100 B, one after another; answers have 20 B."""
    for _ in range(count):
        end.sendall(b"x" * 100)
        exactly(end, 20)


def answer(end, count):
    for _ in range(count):
        exactly(end, 100)
        end.sendall(b"y" * 20)


if ROLE == "ask":
    ask(connected(), int(sys.argv[2]))
elif ROLE == "answer":
    answer(accepted(), int(sys.argv[2]))
elif ROLE == "answer-some":
    # Of one more request 40 B are read, and 60 lie there.
    end = accepted()
    answer(end, int(sys.argv[2]))
    exactly(end, 40)
    lies_there(end, 60)
    become(sys.argv[3:], end)
elif ROLE == "answer-rest":
    end = inherited(3)
    exactly(end, 60)
    end.sendall(b"y" * 20)
    answer(end, int(sys.argv[2]))
elif ROLE == "ask-some":
    end = connected()
    ask(end, int(sys.argv[2]))
    become(sys.argv[3:], end)
elif ROLE == "ask-rest":
    ask(inherited(3), int(sys.argv[2]))
elif ROLE == "hand-over":
    # As inetd does: the request lies there for a while, and nothing is read.
    end = accepted()
    lies_there(end, 1)
    time.sleep(0.4)
    become(sys.argv[2:], end)
elif ROLE == "get":
    end = connected()
    for _ in range(3):
        end.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        exactly(end, 43)
elif ROLE == "serve":
    end = inherited()
    for _ in range(3):
        exactly(end, 30)
        end.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
        end.sendall(b"hello")
elif ROLE == "fill":
    # The socket is full: bytes are on their way, and some have not left.
    end = accepted()
    end.setblocking(False)
    sent = 0
    try:
        while True:
            sent += end.send(b"f" * 10_000)
    except BlockingIOError:
        pass
    end.setblocking(True)
    told("filled", str(sent))
    become(sys.argv[2:], end)
elif ROLE == "write-on":
    end = inherited()
    told("go")
    for _ in range(50):
        end.sendall(b"w" * 3000)
elif ROLE == "read-all":
    end = connected()
    wait_for("go")
    got = 0
    while part := end.recv(7000):
        got += len(part)
    print("got", got, flush=True)
elif ROLE == "both":
    # Both ends have moved bytes, and bytes lie in both sockets.
    listener = socket.create_server(("127.0.0.1", 0))
    one = socket.create_connection(listener.getsockname())
    other = listener.accept()[0]
    one.sendall(b"a" * 1000)
    exactly(other, 700)
    other.sendall(b"b" * 500)
    exactly(one, 100)
    lies_there(other, 300)
    lies_there(one, 400)
    become(sys.argv[2:], one, other)
elif ROLE == "both-go-on":
    # What is first to write is the end that was accepted.
    one, other = inherited(2), inherited(3)
    exactly(one, 400)
    exactly(other, 300)
    if os.fork() == 0:
        one.close()
        other.sendall(b"c" * 50)
        answer(other, 10)
        os._exit(0)
    other.close()
    exactly(one, 50)
    ask(one, 10)
    os.wait()
elif ROLE == "pass":
    end = accepted()
    answer(end, 5)
    wait_for("way")
    way = socket.socket(socket.AF_UNIX)
    way.connect("way")
    socket.send_fds(way, [b"!"], [end.fileno()])
elif ROLE == "take":
    way = socket.socket(socket.AF_UNIX)
    way.bind("way.new")
    way.listen()
    os.rename("way.new", "way")
    _, ends, _, _ = socket.recv_fds(way.accept()[0], 1, 1)
    answer(socket.socket(fileno=ends[0]), 7)
else:
    sys.exit("no such role")
