/* Programs that ask the kernel for control data themselves, and pairs of sockets that are made
 * before anything else. What it says on standard output must be the same, traced or not. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/net_tstamp.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "whole.h"

#ifndef TCP_INQ
#define TCP_INQ 36
#endif

enum { ROUNDS = 50, MESSAGE = 300 };

static void write_whole(int to, const char *from, size_t bytes) {
    if (write(to, from, bytes) != (ssize_t)bytes) fail("write");
}

/* A message with what the kernel says of it. The room is for how many bytes are left, which gRPC
 * asks for, or for a moment, and for nothing else. */
static void read_with_control(int from, char *to, size_t bytes, size_t room) {
    char control[CMSG_SPACE(sizeof(struct timeval))];
    struct iovec piece = {to, bytes};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    message.msg_control = control;
    message.msg_controllen = room;
    if (recvmsg(from, &message, MSG_WAITALL) != (ssize_t)bytes) fail("recvmsg");
    struct cmsghdr *one = CMSG_FIRSTHDR(&message);
    if (message.msg_flags & MSG_CTRUNC) printf("cut\n");
    for (; one; one = CMSG_NXTHDR(&message, one)) {
        int left = -1;
        if (one->cmsg_type == TCP_INQ) memcpy(&left, CMSG_DATA(one), sizeof left);
        printf("control %d %d: %d\n", one->cmsg_level, one->cmsg_type, left);
    }
}

static int wanted(int socket_) {
    int flags[2] = {0};
    socklen_t length = sizeof flags;
    if (getsockopt(socket_, SOL_SOCKET, SO_TIMESTAMPING, flags, &length)) fail("getsockopt");
    return flags[0];
}

static void set(int socket_, int level, int name, int value) {
    if (setsockopt(socket_, level, name, &value, sizeof value)) fail("setsockopt");
}

/* The kernel begins to take stamps some time after somebody has asked for them, and takes them of
 * everything from then on: wait until it does. The socket stays open. */
static void wait_for_stamps(void) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    int self = socket(AF_INET, SOCK_DGRAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    set(self, SOL_SOCKET, SO_TIMESTAMPING, SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE);
    if (bind(self, (void *)&address, length)) fail("bind");
    getsockname(self, (void *)&address, &length);
    if (connect(self, (void *)&address, length)) fail("connect");
    for (;;) {
        char byte = 0, control[256];
        struct iovec piece = {&byte, 1};
        struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        if (send(self, &byte, 1, 0) != 1 || recvmsg(self, &message, 0) != 1) fail("datagram");
        if (CMSG_FIRSTHDR(&message)) return;
        usleep(1000);
    }
}

static void answer(int peer, size_t room) {
    char buffer[MESSAGE];
    for (int round = 0; round < ROUNDS; round++) {
        read_with_control(peer, buffer, MESSAGE, room);
        write_whole(peer, buffer, MESSAGE);
    }
}

static void ask(int peer) {
    char buffer[MESSAGE] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        write_whole(peer, buffer, MESSAGE);
        read_whole(peer, buffer, MESSAGE);
    }
}

/* Two processes; `is_own`: they ask for the tracer's stamps themselves, before they are connected.
 * `name`: an option of the accepted socket. */
static void over_tcp(int is_own, int level, int name, size_t room) {
    const int own = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
    const int unreported = SOF_TIMESTAMPING_RX_SOFTWARE;
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (is_own) set(listener, SOL_SOCKET, SO_TIMESTAMPING, unreported);
    if (bind(listener, (void *)&address, length) || listen(listener, 8)) fail("listen");
    getsockname(listener, (void *)&address, &length);
    if (fork() == 0) {
        int peer = socket(AF_INET, SOCK_STREAM, 0);
        if (is_own) set(peer, SOL_SOCKET, SO_TIMESTAMPING, own);
        if (connect(peer, (void *)&address, sizeof address)) fail("connect");
        if (is_own && wanted(peer) != own) printf("changed\n");
        ask(peer);
        exit(0);
    }
    int peer = accept(listener, NULL, NULL);
    if (is_own && wanted(peer) != unreported) printf("changed\n");
    if (name) set(peer, level, name, 1);
    answer(peer, room);
}

/* A pair of which a child has one end, as a child or by `exec` as its input. */
static void over_pair(const char *program) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) fail("socketpair");
    if (fork() == 0) {
        close(ends[0]);
        if (program) {
            dup2(ends[1], 0);
            close(ends[1]);
            execl(program, program, "asks", NULL);
            fail("exec");
        }
        ask(ends[1]);
        exit(0);
    }
    close(ends[1]);
    answer(ends[0], 0);
}

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "";
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!strcmp(what, "asks")) {
        ask(0);
        return 0;
    }
    const size_t number = CMSG_SPACE(sizeof(int)), moment = CMSG_SPACE(sizeof(struct timeval));
    if (!strcmp(what, "inq") || !strcmp(what, "stamp")) wait_for_stamps();
    if (!strcmp(what, "inq")) over_tcp(0, IPPROTO_TCP, TCP_INQ, number);
    if (!strcmp(what, "stamp")) over_tcp(0, SOL_SOCKET, SO_TIMESTAMP, moment);
    if (!strcmp(what, "own")) over_tcp(1, 0, 0, number);
    if (!strcmp(what, "pair")) over_pair(NULL);
    if (!strcmp(what, "exec")) over_pair(words[0]);
    wait(NULL);
    return 7;
}
