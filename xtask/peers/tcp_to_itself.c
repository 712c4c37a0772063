// What a send and a receive take when nothing waits: 64 bytes over loopback from a program to itself, again
// and again. The fifth percentile of the mean of blocks, because the machine may be busy.
//
//     cc -O3 tcp_to_itself.c -o tcp_to_itself -lm
//     ./tcp_to_itself --count 200000            with send and recv
//     ./tcp_to_itself --count 200000 --stamps   with send, and recvmsg with the kernel's stamp of receiving
//     fourstamp trace -- ./tcp_to_itself --count 200000 --beside
//         what a tracer adds: send and recv as the program calls them, and the C library's own send and recvmsg
//         with the stamp, which a preloaded library does not see, on another connection, a block of each in turn
//     fourstamp trace -- ./tcp_to_itself --count 200000 --beside --block 2048
//         the same with what comes once in 1,024 pairs: in each block the tracer writes out what it has kept

#include "peer.h"
#include <arpa/inet.h>
#include <dlfcn.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

enum { BYTES = 64 };

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

typedef ssize_t send_function(int, const void *, size_t, int);
typedef ssize_t recvmsg_function(int, struct msghdr *, int);

// The functions that are called: those that the loader has found first, or the C library's.
static send_function *send_with = send;
static recvmsg_function *recvmsg_with = recvmsg;

static void look_behind_the_tracer(send_function **its_send, recvmsg_function **its_recvmsg) {
    void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (!library) die("dlopen");
    *its_send = (send_function *)dlsym(library, "send");
    *its_recvmsg = (recvmsg_function *)dlsym(library, "recvmsg");
    if (!*its_send || !*its_recvmsg) die("dlsym");
}

static ssize_t receive_stamped(int end, char *to) {
    _Alignas(8) char control[64];
    struct iovec piece = {to, BYTES};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    return recvmsg_with(end, &message, 0);
}

// The mean ticks of a send and a receive, over a block of them.
static uint64_t block_of(const int ends[2], long pairs, int stamps) {
    char message[BYTES] = {0};
    uint64_t begin = ticks();
    for (long pair = 0; pair < pairs; pair++) {
        if (send_with(ends[0], message, BYTES, 0) != BYTES) die("send");
        ssize_t got = stamps ? receive_stamped(ends[1], message) : recv(ends[1], message, BYTES, 0);
        if (got != BYTES) die("recv");
    }
    return ticks() - begin;
}

static double fifth_percentile(uint64_t *times, long count) {
    qsort(times, (size_t)count, sizeof *times, by_value);
    return (double)quantile(times, count, 0.05);
}

int main(int argc, char **argv) {
    long block = option(argc, argv, "--block", 100, 1, 1000000);
    long blocks = option(argc, argv, "--count", 200000, block, 1000000000) / block;
    int stamps = flag(argc, argv, "--stamps"), beside = flag(argc, argv, "--beside"), ends[2], others[2];
    connect_to_itself(ends);
    if (stamps) ask_for_stamps(ends[1]);
    uint64_t *times = calloc((size_t)blocks, sizeof *times), *besides = calloc((size_t)blocks, sizeof *besides);
    send_function *its_send = send;
    recvmsg_function *its_recvmsg = recvmsg;
    if (beside) {
        connect_to_itself(others);
        ask_for_stamps(others[1]);
        look_behind_the_tracer(&its_send, &its_recvmsg);
    }
    anchor start = anchor_now();
    for (long at = 0; at < blocks; at++) {
        times[at] = block_of(ends, block, stamps);
        if (!beside) continue;
        send_with = its_send, recvmsg_with = its_recvmsg;
        besides[at] = block_of(others, block, 1);
        send_with = send, recvmsg_with = recvmsg;
    }
    double scale = ns_per_tick(start, anchor_now()) / (double)block;
    double took = fifth_percentile(times, blocks) - (beside ? fifth_percentile(besides, blocks) : 0);
    printf("calls,call_ns\nall,%.2f\n", took * scale);
    return 0;
}
