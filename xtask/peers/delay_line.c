// A wire of a given length between two network namespaces, where the kernel has no netem:
//
//     cc -O2 delay_line.c -o delay_line && ./delay_line /run/netns/A /run/netns/B DELAY_US BITS_PER_S
//
// Each namespace gets a device called wire. A packet that is written to one comes out of the other so much later,
// behind those before it as far as the rate allows. It prints "up" when both are there. Root only.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define PACKETS 65536u
#define MOST_BYTES 65536
#define FRAME_BYTES 14

struct packet {
    int64_t due;
    ssize_t length;
    char *bytes;
};

// One direction: packets on their way, and when the wire is free again.
struct way {
    struct packet packets[PACKETS];
    unsigned first, behind;
    int64_t free_at;
};

static struct way ways[2];

static void die(const char *what) {
    perror(what);
    exit(2);
}

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int device_in(const char *namespace_path) {
    int namespace = open(namespace_path, O_RDONLY | O_CLOEXEC);
    if (namespace < 0 || setns(namespace, CLONE_NEWNET) != 0) die(namespace_path);
    close(namespace);
    int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (device < 0) die("/dev/net/tun");
    struct ifreq request;
    memset(&request, 0, sizeof request);
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    memcpy(request.ifr_name, "wire", sizeof "wire");
    if (ioctl(device, TUNSETIFF, &request) != 0) die("TUNSETIFF");
    return device;
}

// Take what has been written to this end.
static void take(int device, struct way *way, int64_t delay_ns, double bits_per_s) {
    static char bytes[MOST_BYTES];
    ssize_t length;
    while ((length = read(device, bytes, sizeof bytes)) > 0) {
        int64_t now = now_ns();
        int64_t begin = way->free_at > now ? way->free_at : now;
        way->free_at = begin + (int64_t)((double)(length + FRAME_BYTES) * 8e9 / bits_per_s);
        if (way->behind - way->first == PACKETS) continue;
        struct packet *packet = &way->packets[way->behind++ % PACKETS];
        packet->due = way->free_at + delay_ns;
        packet->length = length;
        packet->bytes = malloc((size_t)length);
        if (packet->bytes == NULL) die("malloc");
        memcpy(packet->bytes, bytes, (size_t)length);
    }
}

// Hand over what is due at the other end; when the next is.
static int64_t give(int device, struct way *way, int64_t next) {
    while (way->first != way->behind) {
        struct packet *packet = &way->packets[way->first % PACKETS];
        if (packet->due > now_ns()) return packet->due < next ? packet->due : next;
        // An end that is not up yet takes none.
        if (write(device, packet->bytes, (size_t)packet->length) < 0 && errno != EIO) perror("write");
        free(packet->bytes);
        way->first++;
    }
    return next;
}

int main(int count, char **words) {
    if (count != 5) {
        fprintf(stderr, "usage: delay_line NAMESPACE NAMESPACE DELAY_US BITS_PER_S\n");
        return 2;
    }
    prctl(PR_SET_TIMERSLACK, 1);
    prctl(PR_SET_PDEATHSIG, 15);
    int devices[2] = {device_in(words[1]), device_in(words[2])};
    int64_t delay_ns = atoll(words[3]) * 1000;
    double bits_per_s = atof(words[4]);
    printf("up\n");
    fflush(stdout);
    for (;;) {
        int64_t next = now_ns() + 100000000;
        for (int end = 0; end < 2; end++) {
            take(devices[end], &ways[end], delay_ns, bits_per_s);
            next = give(devices[1 - end], &ways[end], next);
        }
        int64_t left = next - now_ns();
        if (left < 0) left = 0;
        struct timespec wait = {left / 1000000000, left % 1000000000};
        struct pollfd ends[2] = {{devices[0], POLLIN, 0}, {devices[1], POLLIN, 0}};
        ppoll(ends, 2, &wait, NULL);
    }
}
