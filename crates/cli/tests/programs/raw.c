/* A program that uses its sockets by system calls of its own, as Go does, or by the C library and a
 * ring beside it. It says nothing that is not its own. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "whole.h"

/* Not the C library's syscall(), which the tracer sees. */
static long call(long number, long one, long two, long three, long four, long five) {
    long answer;
    register long r10 __asm__("r10") = four;
    register long r8 __asm__("r8") = five;
    __asm__ volatile("syscall"
                     : "=a"(answer)
                     : "a"(number), "D"(one), "S"(two), "d"(three), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    if (answer < 0) fail("a system call");
    return answer;
}

static void by_system_calls(void) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof at;
    long listener = call(SYS_socket, AF_INET, SOCK_STREAM, 0, 0, 0);
    call(SYS_bind, listener, (long)&at, sizeof at, 0, 0);
    call(SYS_listen, listener, 9, 0, 0, 0);
    call(SYS_getsockname, listener, (long)&at, (long)&length, 0, 0);
    for (int at_once = 0; at_once < 3; at_once++) {
        char buffer[100] = "hello";
        long one = call(SYS_socket, AF_INET, SOCK_STREAM, 0, 0, 0);
        call(SYS_connect, one, (long)&at, sizeof at, 0, 0);
        long other = call(SYS_accept4, listener, 0, 0, 0, 0);
        call(SYS_write, one, (long)buffer, 5, 0, 0);
        if (call(SYS_read, other, (long)buffer, sizeof buffer, 0, 0) != 5) fail("read");
    }
    /* One more, that carries nothing. */
    call(SYS_connect, call(SYS_socket, AF_INET, SOCK_STREAM, 0, 0, 0), (long)&at, sizeof at, 0, 0);
}

static void by_the_library(void) {
    int ends[2];
    char buffer[10];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) fail("socketpair");
    if (write(ends[0], "hello", 5) != 5 || read(ends[1], buffer, 10) != 5) fail("a pair");
}

static void make_a_ring(void) {
    struct io_uring_params facts;
    memset(&facts, 0, sizeof facts);
    call(SYS_io_uring_setup, 4, (long)&facts, 0, 0, 0);
}

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "";
    if (strcmp(what, "raw") == 0) by_system_calls();
    if (strcmp(what, "raw-exit") == 0) {
        by_the_library();
        by_system_calls();
        _exit(7);
    }
    if (strcmp(what, "plain") == 0) by_the_library();
    if (strncmp(what, "ring", 4) == 0) {
        by_the_library();
        make_a_ring();
    }
    if (strcmp(what, "ring-killed") == 0) {
        sleep(3);
        kill(getpid(), 9);
    }
    return 7;
}
