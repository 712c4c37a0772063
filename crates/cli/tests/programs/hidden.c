/* A program that talks to itself and does what is easily missed: it says on standard output whether
 * a file of its own is as it left it. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "whole.h"

static int listening(struct sockaddr_in *at) {
    socklen_t length = sizeof *at;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    memset(at, 0, sizeof *at);
    at->sin_family = AF_INET;
    at->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (void *)at, length) || listen(listener, 8)) fail("listen");
    getsockname(listener, (void *)at, &length);
    return listener;
}

static void talk(int one, int other, int rounds) {
    char buffer[64] = {0};
    for (int round = 0; round < rounds; round++) {
        if (write(one, buffer, 10) != 10) fail("write");
        read_whole(other, buffer, 10);
        if (write(other, buffer, 5) != 5) fail("write");
        read_whole(one, buffer, 5);
    }
}

/* A socket whose first attempt to connect is refused, and whose second is not. */
static void connect_again(void) {
    struct sockaddr_in closed, open;
    int failed, socket_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    socklen_t length = sizeof failed;
    close(listening(&closed));
    int listener = listening(&open);
    struct pollfd done = {socket_, POLLOUT, 0};
    if (connect(socket_, (void *)&closed, sizeof closed) == 0 || poll(&done, 1, 9000) != 1) {
        fail("a port that is closed");
    }
    getsockopt(socket_, SOL_SOCKET, SO_ERROR, &failed, &length);
    if (failed != ECONNREFUSED) fail("another error");
    fcntl(socket_, F_SETFL, 0);
    while (connect(socket_, (void *)&open, sizeof open) != 0) {
        if (errno != ECONNABORTED) fail("connect");
    }
    talk(socket_, accept(listener, NULL, NULL), 20);
}

/* The C library writes once by itself, so all that follows is one byte further than it seems. */
static void print_into_a_connection(void) {
    struct sockaddr_in at;
    int listener = listening(&at), one = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(one, (void *)&at, sizeof at)) fail("connect");
    int other = accept(listener, NULL, NULL);
    talk(one, other, 1);
    if (dprintf(one, "!") != 1) fail("dprintf");
    char buffer[64] = {0};
    for (int round = 0; round < 20; round++) {
        if (write(one, buffer, 10) != 10) fail("write");
        read_whole(other, buffer, 10);
    }
    read_whole(other, buffer, 1);
}

/* From here on the kernel ends it at any call but read, write and exit, and at a look at the time. */
static void restrict_itself(int one, int other) {
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) fail("prctl");
    talk(one, other, 100);
    if (write(1, "restricted\n", 11) == 11) syscall(SYS_exit, 7);
}

/* Takes the number that the log has, then closes all that a program may have left open. */
static void use_all_numbers(int one, int other) {
    struct rlimit limit;
    struct stat found;
    int own = open("own.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
    getrlimit(RLIMIT_NOFILE, &limit);
    long end = limit.rlim_cur < 1 << 20 ? (long)limit.rlim_cur : 1 << 20;
    for (long number = end - 16; number < end - 13; number++) {
        if (dup2(own, number) != number) fail("dup2");
    }
    talk(one, other, 1000);
    if (syscall(SYS_close_range, own + 1, ~0U, 0) != 0) fail("close_range");
    talk(one, other, 1000);
    fstat(own, &found);
    printf("own %ld\n", (long)found.st_size);
}

int main(int count, char **words) {
    int ends[2];
    socket(AF_INET, SOCK_DGRAM, 0);
    socket(AF_INET6, SOCK_DGRAM, 0);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) fail("socketpair");
    if (count > 1) {
        talk(ends[0], ends[1], 10);
        restrict_itself(ends[0], ends[1]);
    }
    connect_again();
    print_into_a_connection();
    use_all_numbers(ends[0], ends[1]);
    return 7;
}
