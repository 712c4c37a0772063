/* What an MPI library itself sends over TCP, as an independent witness of a collective: preloaded,
   it notes each write and each read of a connected TCP socket, on CLOCK_MONOTONIC_RAW.
     WIRE_LOG=FOLDER LD_PRELOAD=wire.so program
   Each rank leaves FOLDER/RANK with a line a transfer:
     sent|got NS LOCAL:PORT PEER:PORT BYTES
   NS is when the call that wrote began, or when the call that read returned. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define FILES 4096
#define CONNECTIONS 4096
#define MOST (1 << 20)

struct transfer {
    long long ns, bytes;
    int got, connection;
};
static struct transfer *transfers;
static long count;
static struct sockaddr_in ends[CONNECTIONS][2];
static int connections;
static int of_file[FILES]; /* 0: not asked; -1: something else; else one more than its connection */

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Which connection a file is; -1 for none. */
static int connection_of(int fd) {
    if (fd < 0 || fd >= FILES) return -1;
    if (!of_file[fd]) {
        struct sockaddr_in both[2];
        socklen_t size = sizeof both[0], type_size = sizeof(int);
        int type = 0, is_stream = !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_size) && type == SOCK_STREAM;
        int is_known = is_stream && !getsockname(fd, (struct sockaddr *)&both[0], &size);
        size = sizeof both[1];
        is_known = is_known && !getpeername(fd, (struct sockaddr *)&both[1], &size);
        if (is_stream && !is_known) return -1; /* it may be connected later */
        of_file[fd] = -1;
        if (is_known && both[0].sin_family == AF_INET) {
            int place = __atomic_fetch_add(&connections, 1, __ATOMIC_RELAXED);
            if (place >= CONNECTIONS) abort();
            memcpy(ends[place], both, sizeof both);
            of_file[fd] = place + 1;
        }
    }
    return of_file[fd] > 0 ? of_file[fd] - 1 : -1;
}

static void note(int connection, int got, long long ns, ssize_t bytes) {
    if (bytes <= 0 || !transfers) return;
    long place = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    if (place < MOST) transfers[place] = (struct transfer){ns, bytes, got, connection};
}

#define NEXT(name) \
    static __typeof__(name) *next; \
    if (!next) next = dlsym(RTLD_NEXT, #name)
#define SENDS(name, parameters, arguments) \
    ssize_t name parameters { \
        NEXT(name); \
        int connection = connection_of(fd); \
        long long begun = now(); \
        ssize_t bytes = next arguments; \
        if (connection >= 0) note(connection, 0, begun, bytes); \
        return bytes; \
    }
#define GETS(name, parameters, arguments) \
    ssize_t name parameters { \
        NEXT(name); \
        int connection = connection_of(fd); \
        ssize_t bytes = next arguments; \
        if (connection >= 0) note(connection, 1, now(), bytes); \
        return bytes; \
    }

SENDS(write, (int fd, const void *at, size_t room), (fd, at, room))
SENDS(writev, (int fd, const struct iovec *parts, int number), (fd, parts, number))
SENDS(send, (int fd, const void *at, size_t room, int flags), (fd, at, room, flags))
SENDS(sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
GETS(read, (int fd, void *at, size_t room), (fd, at, room))
GETS(readv, (int fd, const struct iovec *parts, int number), (fd, parts, number))
GETS(recv, (int fd, void *at, size_t room, int flags), (fd, at, room, flags))
GETS(recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags))

int close(int fd) {
    NEXT(close);
    if (fd >= 0 && fd < FILES) of_file[fd] = 0;
    return next(fd);
}

static void end_of(FILE *out, const struct sockaddr_in *end) {
    char text[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &end->sin_addr, text, sizeof text);
    fprintf(out, "%s:%d", text, ntohs(end->sin_port));
}

static const char *rank(void) {
    const char *open_mpi = getenv("OMPI_COMM_WORLD_RANK");
    return open_mpi ? open_mpi : getenv("PMI_RANK");
}

static void leave(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", getenv("WIRE_LOG"), rank());
    FILE *out = fopen(path, "w");
    for (long n = 0; out && n < count && n < MOST; n++) {
        const struct transfer *one = transfers + n;
        fprintf(out, "%s %lld ", one->got ? "got" : "sent", one->ns);
        end_of(out, &ends[one->connection][0]);
        fputc(' ', out);
        end_of(out, &ends[one->connection][1]);
        fprintf(out, " %lld\n", one->bytes);
    }
    if (out && count > MOST) fprintf(out, "full\n");
    if (out) fclose(out);
}

__attribute__((constructor)) static void begin(void) {
    if (!getenv("WIRE_LOG") || !rank()) return;
    transfers = calloc(MOST, sizeof *transfers);
    atexit(leave);
}
