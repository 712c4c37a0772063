/* The allocation functions around the threshold: contents, alignment, growth, sizes that overflow. */
#include "check.h"
#include <errno.h>
#include <malloc.h>
#include <stdint.h>

#define BLOCKS 48
#define LARGEST (1u << 20)

static struct { unsigned char *memory; size_t bytes; unsigned seed; } blocks[BLOCKS];

static size_t random_size(unsigned long *state) {
    unsigned long draw = next_random(state);
    return draw % 3 ? 1 + next_random(state) % (200 << 10) : 1 + next_random(state) % LARGEST;
}

static void *allocate(unsigned how, size_t bytes) {
    void *memory = NULL;
    size_t alignment = (size_t)16 << how % 13;
    switch (how % 8) {
    case 0: case 1: return malloc(bytes);
    case 2: memory = calloc(1, bytes); CHECK(is_zero(memory, bytes)); return memory;
    case 3: CHECK(posix_memalign(&memory, alignment, bytes) == 0); CHECK((uintptr_t)memory % alignment == 0); return memory;
    case 4: memory = aligned_alloc(alignment, bytes); CHECK((uintptr_t)memory % alignment == 0); return memory;
    case 5: memory = memalign(alignment, bytes); CHECK((uintptr_t)memory % alignment == 0); return memory;
    case 6: memory = valloc(bytes); CHECK((uintptr_t)memory % 4096 == 0); return memory;
    default: memory = pvalloc(bytes); CHECK((uintptr_t)memory % 4096 == 0); return memory;
    }
}

static void step(int at, unsigned long *state) {
    unsigned how = next_random(state) % 1000;
    if (!blocks[at].memory) {
        blocks[at].bytes = random_size(state);
        blocks[at].memory = allocate(how, blocks[at].bytes);
        blocks[at].seed = how;
        CHECK(blocks[at].memory && malloc_usable_size(blocks[at].memory) >= blocks[at].bytes);
        fill(blocks[at].memory, 0, blocks[at].bytes, how);
        return;
    }
    CHECK(holds(blocks[at].memory, 0, blocks[at].bytes, blocks[at].seed));
    if (how % 2) {
        size_t bytes = random_size(state), kept = bytes < blocks[at].bytes ? bytes : blocks[at].bytes;
        blocks[at].memory = how % 4 == 1 ? realloc(blocks[at].memory, bytes) : reallocarray(blocks[at].memory, 1, bytes);
        CHECK(blocks[at].memory && holds(blocks[at].memory, 0, kept, blocks[at].seed));
        fill(blocks[at].memory, kept, bytes, blocks[at].seed);
        blocks[at].bytes = bytes;
    } else {
        errno = 77;
        free(blocks[at].memory);
        CHECK(errno == 77);
        blocks[at].memory = NULL;
    }
}

static void edges(void) {
    void *memory = NULL;
    /* volatile: the compiler must not know that these fail. */
    volatile size_t huge = SIZE_MAX / 2 + 5, most = SIZE_MAX - 5;
    errno = 0;
    CHECK(!malloc(huge) && errno == ENOMEM);
    CHECK(!malloc(most) && !calloc(huge, 3) && !calloc(most, 1) && !reallocarray(NULL, huge, 2));
    CHECK(posix_memalign(&memory, 3, 1 << 20) == EINVAL && posix_memalign(&memory, 64, most) == ENOMEM);
    free(NULL);
    memory = realloc(NULL, 1 << 20);
    fill(memory, 0, 1 << 20, 9);
    void *same = realloc(memory, most);
    CHECK(!same && holds(memory, 0, 1 << 20, 9));
    free(memory);
}

int main(int count, char **words) {
    unsigned long state = 88172645463325252ul, most = 0;
    int steps = count > 1 ? atoi(words[1]) : 1500;
    edges();
    for (int done = 0; done < steps; done++) {
        step(next_random(&state) % BLOCKS, &state);
        if (paged_bytes() > most) most = paged_bytes();
    }
    size_t sum = 0;
    for (int at = 0; at < BLOCKS; at++) {
        if (!blocks[at].memory) continue;
        CHECK(holds(blocks[at].memory, 0, blocks[at].bytes, blocks[at].seed));
        sum += blocks[at].bytes;
        free(blocks[at].memory);
    }
    /* Packed blocks are cut from larger pieces, which stay. */
    CHECK(count > 2 || paged_bytes() == 0);
    fprintf(stderr, "paged %lu\n", most);
    printf("%zu bytes right\n", sum);
    return 0;
}
