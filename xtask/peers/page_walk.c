// Memory larger than what is local, walked through: filled, then read in order or at random.
//
//     cc -O2 page_walk.c -o page_walk -lm && ./page_walk sequential 512 | ./page_walk random 512
//
// Every page holds its number, and is checked. It prints how fast it read in order, and how long it waited for pages that were away.

#include "peer.h"
#include <unistd.h>

enum { WORDS = 4096 / sizeof(unsigned long), ROUNDS = 2, TOUCHES = 40000, THERE_NS = 2000 };

static unsigned long next(unsigned long *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void check(const unsigned long *words, unsigned long page) {
    if (words[page * WORDS] != page || words[page * WORDS + WORDS - 1] != page) {
        fprintf(stderr, "page %lu holds something else\n", page);
        exit(1);
    }
}

static void sequential(const unsigned long *words, unsigned long pages) {
    unsigned long sum = 0, expected = 0;
    uint64_t begun = monotonic_ns();
    for (int round = 0; round < ROUNDS; round++) {
        for (unsigned long i = 0; i < pages * WORDS; i++) sum += words[i];
    }
    double seconds = (double)(monotonic_ns() - begun) / 1e9;
    for (unsigned long page = 0; page < pages; page++) expected += page * WORDS * ROUNDS;
    if (sum != expected) {
        fprintf(stderr, "the sum is wrong\n");
        exit(1);
    }
    printf("read,seconds,bytes_per_s\nsequential,%.6f,%.0f\n", seconds, (double)pages * 4096 * ROUNDS / seconds);
}

static int by_size(const void *one, const void *other) {
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

static void at_random(const unsigned long *words, unsigned long pages) {
    static uint64_t times[TOUCHES];
    unsigned long state = 88172645463325252UL;
    int faults = 0;
    uint64_t started = monotonic_ns();
    for (int touch = 0; touch < TOUCHES; touch++) {
        unsigned long page = next(&state) % pages;
        uint64_t begun = monotonic_ns();
        check(words, page);
        uint64_t took = monotonic_ns() - begun;
        // A page that was there takes less.
        if (took > THERE_NS) times[faults++] = took;
    }
    double seconds = (double)(monotonic_ns() - started) / 1e9;
    qsort(times, faults, sizeof *times, by_size);
    if (faults == 0) die("no fault");
    printf("fault,p50_ns,p99_ns,faults,bytes_per_s\nhard,%lu,%lu,%d,%.0f\n", (unsigned long)times[faults / 2],
           (unsigned long)times[faults * 99L / 100], faults, (double)TOUCHES * 4096 / seconds);
}

int main(int argc, char **argv) {
    unsigned long pages = argc == 3 ? strtoul(argv[2], NULL, 10) * 256 : 0;
    int in_order = argc == 3 && strcmp(argv[1], "sequential") == 0;
    if (pages == 0 || (!in_order && strcmp(argv[1], "random") != 0)) {
        fprintf(stderr, "usage: page_walk sequential|random MIB\n");
        return 2;
    }
    unsigned long *words = malloc(pages * 4096);
    if (words == NULL) die("malloc");
    for (unsigned long i = 0; i < pages * WORDS; i++) words[i] = i / WORDS;
    if (in_order) sequential(words, pages);
    else at_random(words, pages);
    return 0;
}
