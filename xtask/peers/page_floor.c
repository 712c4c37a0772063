// The least that fetching a page over TCP can cost: a bare round trip (a request of 32 bytes, an answer of 4 KiB) and a UFFDIO_COPY.
//
//     cc -O2 page_floor.c -o page_floor -lm && ./page_floor --count 20000
//
// Two processes over loopback, TCP_NODELAY, both poll recv and never sleep. No fault is taken and no thread woken: who pages has these to pay as well.

#include "peer.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, REQUEST = 32 };

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
    while (length > 0) {
        ssize_t n = recv(socket, bytes, length, MSG_DONTWAIT);
        if (n == 0) exit(0);
        if (n < 0 && errno != EINTR && errno != EAGAIN) die("recv");
        if (n > 0) {
            bytes += n;
            length -= (size_t)n;
        }
    }
}

static int without_delay(int socket) {
    int on = 1;
    if (socket < 0) die("socket");
    if (setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) die("TCP_NODELAY");
    return socket;
}

static void serve(int listener) {
    static char page[PAGE], request[REQUEST];
    int socket = without_delay(accept(listener, NULL, NULL));
    for (;;) {
        receive_all(socket, request, REQUEST);
        memset(page, request[0], 8);
        send_all(socket, page, PAGE);
    }
}

static int open_faults(char *region, size_t bytes) {
    int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
    if (faults < 0) die("userfaultfd");
    struct uffdio_api api = {.api = UFFD_API};
    if (ioctl(faults, UFFDIO_API, &api) != 0) die("UFFDIO_API");
    struct uffdio_register range = {
        .range = {(unsigned long)region, bytes}, .mode = UFFDIO_REGISTER_MODE_MISSING};
    if (ioctl(faults, UFFDIO_REGISTER, &range) != 0) die("UFFDIO_REGISTER");
    return faults;
}

int main(int argc, char **argv) {
    long count = option(argc, argv, "--count", 20000, 100, 10000000);
    int listener = without_delay(socket(AF_INET, SOCK_STREAM, 0));
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0) die("bind");
    if (listen(listener, 1) != 0 || getsockname(listener, (struct sockaddr *)&address, &length) != 0) die("listen");
    pid_t server = fork();
    if (server < 0) die("fork");
    if (server == 0) serve(listener);

    int socket_ = without_delay(socket(AF_INET, SOCK_STREAM, 0));
    if (connect(socket_, (struct sockaddr *)&address, sizeof address) != 0) die("connect");
    char *region = mmap(NULL, (size_t)count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (region == MAP_FAILED) die("mmap");
    int faults = open_faults(region, (size_t)count * PAGE);
    static _Alignas(PAGE) char page[PAGE];
    static char request[REQUEST];
    uint64_t *took = calloc((size_t)count, sizeof *took);
    for (long i = 0; i < count; i++) {
        uint64_t begun = monotonic_ns();
        request[0] = (char)i;
        send_all(socket_, request, REQUEST);
        receive_all(socket_, page, PAGE);
        struct uffdio_copy copy = {
            .dst = (unsigned long)region + (unsigned long)i * PAGE, .src = (unsigned long)page, .len = PAGE};
        if (ioctl(faults, UFFDIO_COPY, &copy) != 0) die("UFFDIO_COPY");
        took[i] = monotonic_ns() - begun;
    }
    for (long i = 0; i < count; i++) {
        if (region[i * PAGE] != (char)i) {
            fprintf(stderr, "page %ld holds something else\n", i);
            return 1;
        }
    }
    close(socket_);
    waitpid(server, NULL, 0);
    print_times("hard", took, count, 1.0);
    return 0;
}
