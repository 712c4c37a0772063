// The floor of any exchange between two cores: one cache line that two pinned threads hand back and forth.
//
// Thread 0 writes an odd number, thread 1 answers with the next even one. Nothing is copied, queued or recorded, so no
// message path between two cores can be faster. Thread 0 reads the clock once a round trip.
//
//     cc -O2 -pthread cache_line.c -o cache_line -lm && ./cache_line --count 200000

#include "peer.h"
#include <pthread.h>
#include <stdatomic.h>

static struct {
    _Alignas(128) _Atomic uint64_t value;  // alone on its line, and on the neighbour that the prefetcher pairs with it
    char rest[128 - sizeof(uint64_t)];
} line;

static long rounds;
static int cores[2];

// A waiter that pauses leaves the line alone for a moment, so that the other core gets it sooner: the round trip is about
// half of what a waiter without pause reads.
static inline void await(uint64_t value) {
    while (atomic_load_explicit(&line.value, memory_order_acquire) != value) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
}

static void *answer(void *unused) {
    (void)unused;
    pin_to(cores[1]);
    for (long i = 0; i < rounds; i++) {
        await((uint64_t)(2 * i + 1));
        atomic_store_explicit(&line.value, (uint64_t)(2 * i + 2), memory_order_release);
    }
    return NULL;
}

int main(int argc, char **argv) {
    long count = option(argc, argv, "--count", 200000, 1, 100000000);
    long warm_up = option(argc, argv, "--warm-up", 10000, 0, 100000000);
    cores[0] = allowed_core(0);
    cores[1] = allowed_core(1);
    rounds = warm_up + count;
    uint64_t *times = calloc((size_t)count, sizeof *times);
    if (times == NULL) die("calloc");
    memset(times, 1, (size_t)count * sizeof *times);  // touched now, not while measuring

    pin_to(cores[0]);
    pthread_t other;
    if (pthread_create(&other, NULL, answer, NULL) != 0) die("pthread_create");
    anchor start = anchor_now();
    uint64_t before = ticks();
    for (long i = 0; i < rounds; i++) {
        atomic_store_explicit(&line.value, (uint64_t)(2 * i + 1), memory_order_release);
        await((uint64_t)(2 * i + 2));
        uint64_t now = ticks();
        if (i >= warm_up) times[i - warm_up] = now - before;
        before = now;
    }
    anchor end = anchor_now();
    pthread_join(other, NULL);
    print_times("cycle", times, count, ns_per_tick(start, end));
    return 0;
}
