/* Mappings: cut in the middle, grown, moved, forgotten, replaced, and their neighbours. */
#include "check.h"
#include <errno.h>
#include <sys/mman.h>

#define PAGE 4096ul
#define PAGES 2048ul
#define BYTES (PAGES * PAGE)

static unsigned char *map(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    return memory;
}

static void cut(void) {
    unsigned char *memory = map(BYTES);
    CHECK(is_zero(memory, BYTES));
    fill(memory, 0, BYTES, 1);
    say_paged();
    unsigned long before = paged_bytes();
    CHECK(munmap(memory + 100 * PAGE, 50 * PAGE) == 0);
    CHECK(munmap(memory + 1000 * PAGE + 0, 3 * PAGE - 17) == 0);
    CHECK(munmap(memory + 7, PAGE) == -1 && errno == EINVAL);
    CHECK(!before || paged_bytes() == before - 53 * PAGE);
    CHECK(holds(memory, 0, 100 * PAGE, 1) && holds(memory, 150 * PAGE, 1000 * PAGE, 1) && holds(memory, 1003 * PAGE, BYTES, 1));
    /* Again, with the holes. */
    CHECK(munmap(memory, BYTES) == 0 && (!before || paged_bytes() == before - BYTES));
}

static void forgotten(void) {
    unsigned char *memory = map(BYTES);
    for (int round = 0; round < 3; round++) {
        fill(memory, 0, BYTES, round);
        CHECK(madvise(memory + 10 * PAGE, 500 * PAGE, MADV_DONTNEED) == 0);
        CHECK(is_zero(memory + 10 * PAGE, 500 * PAGE));
        CHECK(holds(memory, 0, 10 * PAGE, round) && holds(memory, 510 * PAGE, BYTES, round));
    }
    CHECK(madvise(memory, BYTES, MADV_HUGEPAGE) == 0 || errno == EINVAL);
    CHECK(madvise(memory, BYTES, MADV_SEQUENTIAL) == 0 && madvise(memory, BYTES, MADV_WILLNEED) == 0);
    CHECK(holds(memory, 510 * PAGE, BYTES, 2));
    CHECK(madvise(memory + 1, PAGE, MADV_DONTNEED) == -1 && errno == EINVAL);
    /* Mapped over by the same: zero again. */
    CHECK(mmap(memory, 20 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == memory);
    CHECK(is_zero(memory, 20 * PAGE) && is_zero(memory + 20 * PAGE, 490 * PAGE) && holds(memory, 510 * PAGE, BYTES, 2));
    /* By what the kernel refuses: the memory is there, whatever is in it. */
    CHECK(mmap(memory, 20 * PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, -1, 0) == MAP_FAILED && errno == EBADF);
    fill(memory, 0, 20 * PAGE, 9);
    CHECK(holds(memory, 0, 20 * PAGE, 9));
    /* By another kind: reserved only, and by a page that is shared. */
    CHECK(mmap(memory, 600 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == memory);
    CHECK(mmap(memory, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == memory);
    memory[5] = 5;
    CHECK(mprotect(memory + PAGE, 300 * PAGE, PROT_READ | PROT_WRITE) == 0);
    fill(memory, PAGE, 301 * PAGE, 7);
    CHECK(mprotect(memory + PAGE, PAGE, PROT_READ) == 0);
    /* What is new elsewhere must not come to lie there. */
    unsigned char *more = map(BYTES);
    fill(more, 0, BYTES, 8);
    CHECK(holds(memory, 600 * PAGE, BYTES, 2) && is_zero(memory, 5) && memory[5] == 5 && holds(memory, PAGE, 301 * PAGE, 7));
    CHECK(munmap(memory, BYTES) == 0 && munmap(memory, BYTES) == 0);
    unsigned char *again = map(BYTES);
    CHECK(is_zero(again, BYTES) && holds(more, 0, BYTES, 8));
    CHECK(munmap(again, BYTES) == 0 && munmap(more, BYTES) == 0);
}

static void resized(void) {
    unsigned char *memory = map(BYTES / 4);
    fill(memory, 0, BYTES / 4, 5);
    size_t bytes = BYTES / 4;
    for (int round = 0; round < 5; round++) {
        size_t more = bytes + BYTES / 8;
        memory = mremap(memory, bytes, more, MREMAP_MAYMOVE);
        CHECK(memory != MAP_FAILED && holds(memory, 0, bytes, 5) && is_zero(memory + bytes, more - bytes));
        fill(memory, bytes, more, 5);
        bytes = more;
    }
    void *same = mremap(memory, bytes, bytes / 2, 0);
    CHECK(same == memory && holds(memory, 0, bytes / 2, 5));
    /* In place, where something lies behind it: refused, and nothing is lost. */
    unsigned char *two = map(64 * PAGE);
    fill(two, 0, 64 * PAGE, 6);
    CHECK(mremap(two, 32 * PAGE, 48 * PAGE, 0) == MAP_FAILED && errno == ENOMEM);
    CHECK(holds(two, 0, 64 * PAGE, 6));
    /* A part of a mapping moves away from the rest. */
    unsigned char *moved = mremap(two, 32 * PAGE, 48 * PAGE, MREMAP_MAYMOVE);
    CHECK(moved != MAP_FAILED && moved != two && holds(moved, 0, 32 * PAGE, 6) && is_zero(moved + 32 * PAGE, 16 * PAGE));
    CHECK(holds(two, 32 * PAGE, 64 * PAGE, 6));
    CHECK(munmap(moved, 48 * PAGE) == 0 && munmap(two + 32 * PAGE, 32 * PAGE) == 0 && munmap(memory, bytes / 2) == 0);
}

int main(void) {
    cut();
    forgotten();
    resized();
    CHECK(paged_bytes() == 0);
    puts("mappings right");
    return 0;
}
