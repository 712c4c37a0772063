// The plainest TCP ping-pong: two pinned processes, loopback, TCP_NODELAY, bare payloads.
//
//     cc -O2 tcp_pingpong.c -o tcp_pingpong -lm && ./tcp_pingpong --size 8 --count 20000 [--blocking [--looks 200]]
//
// Polling asks the socket again and again with MSG_DONTWAIT; blocking sleeps in recv, at once or after so many
// looks in vain. On a ping-pong the answer mostly comes during the looks, so the two kinds of blocking differ by a
// factor of ten and must never be compared with each other. It prints how often it slept, to tell them apart.

#include "peer.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int blocking;
static long looks_before_sleep;

static void send_all(int socket, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t n = send(socket, bytes, length, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR) die("send");
        if (n > 0) {
            bytes += n;
            length -= (size_t)n;
        }
    }
}

static void receive_all(int socket, char *bytes, size_t length) {
    for (long looks = 0; length > 0; looks++) {
        int sleeps = blocking && looks >= looks_before_sleep;
        ssize_t n = recv(socket, bytes, length, sleeps ? 0 : MSG_DONTWAIT);
        if (n == 0) {
            fprintf(stderr, "the other side closed the connection\n");
            exit(2);
        }
        if (n < 0 && errno != EAGAIN && errno != EINTR) die("recv");
        if (n > 0) {
            bytes += n;
            length -= (size_t)n;
            looks = 0;
        }
    }
}

static int without_delay(int socket) {
    int on = 1;
    if (socket < 0) die("socket");
    if (setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) die("TCP_NODELAY");
    return socket;
}

static void answer(int listener, char *message, size_t size, long rounds) {
    int socket = without_delay(accept(listener, NULL, NULL));
    for (long i = 0; i < rounds; i++) {
        receive_all(socket, message, size);
        send_all(socket, message, size);
    }
    close(socket);
}

static void ask(const struct sockaddr_in *address, char *message, size_t size, long warm_up, long count) {
    uint64_t *times = calloc((size_t)count, sizeof *times);
    if (times == NULL) die("calloc");
    memset(times, 1, (size_t)count * sizeof *times);  // touched now, not while measuring
    int socket_fd = without_delay(socket(AF_INET, SOCK_STREAM, 0));
    if (connect(socket_fd, (const struct sockaddr *)address, sizeof *address) != 0) die("connect");

    anchor start = anchor_now();
    uint64_t before = ticks();
    for (long i = 0; i < warm_up + count; i++) {
        send_all(socket_fd, message, size);
        receive_all(socket_fd, message, size);
        uint64_t now = ticks();
        if (i >= warm_up) times[i - warm_up] = now - before;
        before = now;
    }
    anchor end = anchor_now();
    close(socket_fd);
    print_times("cycle", times, count, ns_per_tick(start, end));
}

int main(int argc, char **argv) {
    long size = option(argc, argv, "--size", 8, 1, 1 << 26);
    long count = option(argc, argv, "--count", 20000, 1, 100000000);
    long warm_up = option(argc, argv, "--warm-up", 2000, 0, 100000000);
    blocking = flag(argc, argv, "--blocking");
    looks_before_sleep = option(argc, argv, "--looks", 0, 0, 1000000000);
    char *message = calloc(1, (size_t)size);
    if (message == NULL) die("calloc");

    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        die("listen on loopback");

    int first = allowed_core(0), second = allowed_core(1);
    pid_t child = fork();
    if (child < 0) die("fork");
    if (child == 0) {
        pin_to(second);
        answer(listener, message, (size_t)size, warm_up + count);
        return 0;
    }
    close(listener);
    pin_to(first);
    ask(&address, message, (size_t)size, warm_up, count);
    int status = 0;
    waitpid(child, &status, 0);
    return status == 0 ? 0 : 2;
}
