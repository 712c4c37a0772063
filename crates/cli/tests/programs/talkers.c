/* A server and a client in two processes, with one planted delay. What it says on standard output
 * is the truth in ns: how long it waited in each place, or which bytes went where. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "whole.h"

enum { ROUNDS = 20, MESSAGE = 100, DELAY_MS = 50 };

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void pause_ms(int ms) { usleep(ms * 1000); }

static int listening(struct sockaddr_in *address) {
    socklen_t length = sizeof *address;
    int socket_ = socket(AF_INET, SOCK_STREAM, 0);
    int small = 8192;
    memset(address, 0, sizeof *address);
    address->sin_family = AF_INET;
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    if (bind(socket_, (void *)address, length) || listen(socket_, 8)) fail("listen");
    getsockname(socket_, (void *)address, &length);
    return socket_;
}

static int connected(const struct sockaddr_in *address) {
    int socket_ = socket(AF_INET, SOCK_STREAM, 0), one = 1, small = 8192;
    setsockopt(socket_, SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(socket_, (const void *)address, sizeof *address)) fail("connect");
    return socket_;
}

/* The server reads each message late. */
static void sleepy_server(int peer) {
    char buffer[MESSAGE];
    for (int round = 0; round < ROUNDS; round++) {
        pause_ms(DELAY_MS);
        read_whole(peer, buffer, MESSAGE);
        if (write(peer, buffer, 1) != 1) fail("write");
    }
}

static void asking_client(int peer) {
    char buffer[MESSAGE] = {0};
    long long wait = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (write(peer, buffer, MESSAGE) != MESSAGE) fail("write");
        long long begun = now();
        read_whole(peer, buffer, 1);
        wait += now() - begun;
        if (round == 0) printf("first %lld\n", wait);
    }
    printf("waited %lld\n", wait);
}

/* The server takes nothing for a while, so the client's socket has no room. */
static void late_server(int peer, long long bytes) {
    static char buffer[1 << 16];
    pause_ms(300);
    while (bytes > 0) {
        ssize_t got = recv(peer, buffer, sizeof buffer, 0);
        if (got <= 0) fail("recv");
        bytes -= got;
    }
}

enum { BLOCKS = 64, BLOCK = 4096 };

static void blocked_client(int peer) {
    char buffer[BLOCK] = {0};
    long long longest = 0;
    for (int block = 0; block < BLOCKS; block++) {
        long long begun = now();
        if (send(peer, buffer, BLOCK, 0) != BLOCK) fail("send");
        long long took = now() - begun;
        if (took > longest) longest = took;
    }
    printf("longest %lld\n", longest);
}

/* The same with a socket that does not wait: refused, and tried again when there is room. */
static void refused_client(int peer) {
    char buffer[BLOCK] = {0};
    long long longest = 0;
    fcntl(peer, F_SETFL, O_NONBLOCK);
    for (int block = 0; block < BLOCKS; block++) {
        long long begun = now();
        size_t done = 0;
        while (done < BLOCK) {
            ssize_t sent = send(peer, buffer + done, BLOCK - done, 0);
            if (sent > 0) {
                done += sent;
                continue;
            }
            if (errno != EAGAIN) fail("send");
            struct pollfd room = {peer, POLLOUT, 0};
            poll(&room, 1, -1);
        }
        long long took = now() - begun;
        if (took > longest) longest = took;
    }
    printf("longest %lld\n", longest);
}

enum { LOSSES = 10 };

/* From now on the socket loses all that comes, or nothing. */
static void lose(int peer, int is_so) {
    struct sock_filter nothing = {BPF_RET | BPF_K, 0, 0, 0};
    struct sock_fprog filter = {1, &nothing};
    int answer = is_so
        ? setsockopt(peer, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter)
        : setsockopt(peer, SOL_SOCKET, SO_DETACH_FILTER, &filter, sizeof filter);
    if (answer) fail("filter");
}

/* The server waits for messages that are lost at first: the client's system sends each again. */
static void losing_server(int peer) {
    long long sent, lost = 0;
    for (int round = 0; round < LOSSES; round++) {
        lose(peer, 1);
        if (write(peer, "g", 1) != 1) fail("write");
        pause_ms(30);
        lose(peer, 0);
        char buffer[MESSAGE];
        read_whole(peer, buffer, MESSAGE);
        memcpy(&sent, buffer, sizeof sent);
        lost += now() - sent;
    }
    printf("lost %lld\n", lost);
}

static void lost_client(int peer) {
    for (int round = 0; round < LOSSES; round++) {
        char buffer[MESSAGE] = {0};
        read_whole(peer, buffer, 1);
        long long sent = now();
        memcpy(buffer, &sent, sizeof sent);
        if (write(peer, buffer, MESSAGE) != MESSAGE) fail("write");
    }
}

/* Every way of moving bytes, with peeks, partial reads and vectors; says a sum of what came. */
static void every_server(int peer, long long bytes) {
    unsigned long long sum = 0;
    unsigned char buffer[700];
    for (int round = 0; bytes > 0; round++) {
        ssize_t got = 0;
        struct iovec pieces[2] = {{buffer, 100}, {buffer + 100, 33}};
        char control[64];
        struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2};
        switch (round % 7) {
        case 0: got = read(peer, buffer, 37); break;
        case 1: recv(peer, buffer, 5, MSG_PEEK); got = recv(peer, buffer, 700, 0); break;
        case 2: got = readv(peer, pieces, 2); break;
        case 3:
            message.msg_control = control;
            message.msg_controllen = sizeof control;
            got = recvmsg(peer, &message, 0);
            if (message.msg_controllen != 0 || message.msg_flags & MSG_CTRUNC) {
                printf("control data\n");
            }
            break;
        case 4: got = recvfrom(peer, buffer, 11, MSG_WAITALL, NULL, NULL); break;
        case 5: {
            int copy = dup(peer);
            got = read(copy, buffer, 301);
            close(copy);
            break;
        }
        default:
            fcntl(peer, F_SETFL, O_NONBLOCK);
            got = recv(peer, buffer, 64, 0);
            if (got < 0 && errno == EAGAIN) got = 0;
            fcntl(peer, F_SETFL, 0);
        }
        if (got < 0) fail("receive");
        for (ssize_t at = 0; at < got; at++) sum = sum * 31 + buffer[at];
        bytes -= got;
    }
    printf("received %llu\n", sum);
}

enum { EVERY = 7 * 200 * 40 };

static void every_client(int peer) {
    unsigned char buffer[200];
    for (int at = 0; at < 200; at++) buffer[at] = at * 7;
    for (int round = 0; round < 40; round++) {
        struct iovec pieces[2] = {{buffer, 50}, {buffer + 50, 150}};
        struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2};
        struct mmsghdr two[2] = {{.msg_hdr = message}, {.msg_hdr = message}};
        long long sent = write(peer, buffer, 200) + send(peer, buffer, 200, MSG_NOSIGNAL) +
                         writev(peer, pieces, 2) + sendto(peer, buffer, 200, 0, NULL, 0) +
                         sendmsg(peer, &message, 0);
        if (sent != 1000) fail("send");
        if (sendmmsg(peer, two, 2, 0) != 2) fail("sendmmsg");
    }
}

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "";
    struct sockaddr_in address;
    int listener = listening(&address);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        close(listener);
        int peer = connected(&address);
        if (!strcmp(what, "asleep") || !strcmp(what, "slow-accept")) asking_client(peer);
        if (!strcmp(what, "blocked")) blocked_client(peer);
        if (!strcmp(what, "refused")) refused_client(peer);
        if (!strcmp(what, "lost")) lost_client(peer);
        if (!strcmp(what, "every")) every_client(peer);
        if (!strcmp(what, "killed")) {
            for (int at = 0; at < 1000; at++) {
                if (write(peer, "0123456789", 10) != 10) fail("write");
            }
            raise(SIGKILL);
        }
        exit(0);
    }
    if (!strcmp(what, "slow-accept")) pause_ms(300);
    int peer = accept(listener, NULL, NULL);
    if (!strcmp(what, "asleep")) sleepy_server(peer);
    if (!strcmp(what, "slow-accept")) {
        char buffer[MESSAGE];
        for (int round = 0; round < ROUNDS; round++) {
            read_whole(peer, buffer, MESSAGE);
            if (write(peer, buffer, 1) != 1) fail("write");
        }
    }
    if (!strcmp(what, "blocked") || !strcmp(what, "refused")) {
        late_server(peer, (long long)BLOCKS * BLOCK);
    }
    if (!strcmp(what, "lost")) losing_server(peer);
    if (!strcmp(what, "every")) every_server(peer, EVERY);
    if (!strcmp(what, "killed")) late_server(peer, 10000);
    int status;
    waitpid(child, &status, 0);
    return 7;
}
