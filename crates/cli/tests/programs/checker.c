/* Reads and writes at random in a large array, and knows what every word must be: checker MIB STEPS SEED.
   With 0 steps it goes on until standard input ends. */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t mix(uint64_t x) {
    x ^= x >> 30, x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27, x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* What word of a page holds after so many rounds of writing. */
static uint64_t right(size_t page, int word, uint32_t round) {
    return round ? mix(page * 512 + word + round * 0x100000001ull) : 0;
}

/* Whether a word is wrong; the first wrong one is told, with the round that it is of. */
static int differs(uint64_t found, size_t page, int word, uint32_t round, uint64_t step) {
    static int told;
    if (found == right(page, word, round)) return 0;
    if (told++) return 1;
    for (uint32_t old = 0; old < round; old++)
        if (found == right(page, word, old)) fprintf(stderr, "page %zu of step %llu is of round %u, not %u\n", page, (unsigned long long)step, old, round);
    fprintf(stderr, "page %zu word %d holds %llx\n", page, word, (unsigned long long)found);
    return 1;
}

static int goes_on(uint64_t step, uint64_t steps) {
    struct pollfd input = {0, POLLIN, 0};
    return steps ? step < steps : step % 256 || !poll(&input, 1, 0);
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    size_t words = (size_t)atol(argv[1]) << 17, pages = words / 512, wrong = 0;
    uint64_t steps = strtoull(argv[2], 0, 10), state = strtoull(argv[3], 0, 10);
    uint64_t *array = malloc(words * 8);
    uint32_t *rounds = calloc(pages, 4); /* how often each page was written: small enough not to be paged */
    if (!array || !rounds) return 3;
    for (uint64_t step = 0; goes_on(step, steps); step++) {
        uint64_t draw = mix(state++);
        /* A third of the steps go through neighbours, the rest anywhere. */
        size_t page = draw % 3 ? draw / 3 % pages : step % pages;
        uint64_t *at = array + page * 512;
        for (int word = 0; word < 512; word += 73)
            wrong += differs(at[word], page, word, rounds[page], step);
        if (draw & 1 << 20) {
            rounds[page]++;
            for (int word = 0; word < 512; word++) at[word] = right(page, word, rounds[page]);
        }
    }
    printf("%zu wrong\n", wrong);
    return wrong != 0;
}
