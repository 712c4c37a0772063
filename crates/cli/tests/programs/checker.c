/* Reads and writes at random in a large array, and knows what every word must be: checker MIB STEPS SEED. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t mix(uint64_t x) {
    x ^= x >> 30, x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27, x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    size_t words = (size_t)atol(argv[1]) << 17, pages = words / 512, wrong = 0;
    uint64_t steps = strtoull(argv[2], 0, 10), state = strtoull(argv[3], 0, 10);
    uint64_t *array = malloc(words * 8);
    uint32_t *rounds = calloc(pages, 4); /* how often each page was written: small enough not to be paged */
    if (!array || !rounds) return 3;
    for (uint64_t step = 0; step < steps; step++) {
        uint64_t draw = mix(state++);
        /* A third of the steps go through neighbours, the rest anywhere. */
        size_t page = draw % 3 ? draw / 3 % pages : step % pages;
        uint64_t *at = array + page * 512;
        if (rounds[page])
            for (int word = 0; word < 512; word += 73)
                wrong += at[word] != mix(page * 512 + word + rounds[page] * 0x100000001ull);
        else
            wrong += at[draw % 512] != 0;
        if (draw & 1 << 20) {
            rounds[page]++;
            for (int word = 0; word < 512; word++) at[word] = mix(page * 512 + word + rounds[page] * 0x100000001ull);
        }
    }
    printf("%zu wrong\n", wrong);
    return wrong != 0;
}
