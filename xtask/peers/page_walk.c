// Memory larger than what is local, walked through: filled, then read in order or at random.
//
//     cc -O2 page_walk.c -o page_walk -lm && ./page_walk sequential 512 | ./page_walk random 512
//
// Every page holds its number, and is checked. It prints how fast it read; of random reads the pager's own figures are wanted.

#include "peer.h"
#include <unistd.h>

enum { WORDS = 4096 / sizeof(unsigned long), ROUNDS = 2, TOUCHES = 40000 };

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

static void at_random(const unsigned long *words, unsigned long pages) {
    unsigned long state = 88172645463325252UL;
    uint64_t begun = monotonic_ns();
    for (int touch = 0; touch < TOUCHES; touch++) check(words, next(&state) % pages);
    printf("read,seconds,touches\nrandom,%.6f,%d\n", (double)(monotonic_ns() - begun) / 1e9, TOUCHES);
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
