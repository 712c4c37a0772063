// What a send and a receive take when nothing waits: 64 bytes over loopback from a program to itself, again
// and again. The fifth percentile of the mean of blocks, because the machine may be busy.
//
//     cc -O3 tcp_to_itself.c -o tcp_to_itself -lm
//     ./tcp_to_itself --count 200000            with send and recv
//     ./tcp_to_itself --count 200000 --stamps   with send, and recvmsg with the kernel's stamp of receiving

#include "peer.h"
#include <arpa/inet.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

enum { BYTES = 64, BLOCK = 100 };

static void connect_to_itself(int ends[2]) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    if (bind(listener, (struct sockaddr *)&at, size) || listen(listener, 1)) die("listen");
    if (getsockname(listener, (struct sockaddr *)&at, &size)) die("getsockname");
    ends[0] = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(ends[0], (struct sockaddr *)&at, size)) die("connect");
    ends[1] = accept(listener, NULL, NULL);
    if (setsockopt(ends[0], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on)) die("TCP_NODELAY");
}

static void ask_for_stamps(int end) {
    int flags = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
    if (setsockopt(end, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags)) die("SO_TIMESTAMPING");
}

static ssize_t receive_stamped(int end, char *to) {
    _Alignas(8) char control[64];
    struct iovec piece = {to, BYTES};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    return recvmsg(end, &message, 0);
}

int main(int argc, char **argv) {
    long blocks = option(argc, argv, "--count", 200000, BLOCK, 1000000000) / BLOCK;
    int stamps = flag(argc, argv, "--stamps"), ends[2];
    connect_to_itself(ends);
    if (stamps) ask_for_stamps(ends[1]);
    uint64_t *times = calloc((size_t)blocks, sizeof *times);
    char message[BYTES] = {0};
    anchor start = anchor_now();
    for (long block = 0; block < blocks; block++) {
        uint64_t begin = ticks();
        for (int i = 0; i < BLOCK; i++) {
            if (send(ends[0], message, BYTES, 0) != BYTES) die("send");
            ssize_t got = stamps ? receive_stamped(ends[1], message) : recv(ends[1], message, BYTES, 0);
            if (got != BYTES) die("recv");
        }
        times[block] = ticks() - begin;
    }
    double scale = ns_per_tick(start, anchor_now()) / BLOCK;
    qsort(times, (size_t)blocks, sizeof *times, by_value);
    printf("calls,call_ns\nall,%.2f\n", (double)quantile(times, blocks, 0.05) * scale);
    return 0;
}
