/* What the programs here do with each message: all of it, or they end. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void fail(const char *what) {
    perror(what);
    exit(1);
}

static inline void read_whole(int from, char *to, size_t bytes) {
    while (bytes > 0) {
        ssize_t got = read(from, to, bytes);
        if (got <= 0) fail("read");
        to += got;
        bytes -= got;
    }
}
