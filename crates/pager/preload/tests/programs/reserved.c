/* Addresses reserved first and made accessible in parts, as runtimes of languages do. */
#include "check.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096ul
#define PAGES 4096ul
#define BYTES (PAGES * PAGE)
#define RW (PROT_READ | PROT_WRITE)
#define ANONYMOUS (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

static sigjmp_buf back;

static void caught(int signal) {
    siglongjmp(back, signal);
}

/* Which signal a touch ends in; 0 for none. */
static int touch(volatile unsigned char *at, int write) {
    int signal = sigsetjmp(back, 1);
    if (signal) return signal;
    if (write) *at = 1;
    else (void)*at;
    return 0;
}

static unsigned char *reserve(void *wish, size_t bytes) {
    void *memory = mmap(wish, bytes, PROT_NONE, ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    return memory;
}

/* As allocators with arenas and as V8 do. */
static void by_protection(void) {
    unsigned char *memory = reserve(NULL, BYTES);
    CHECK(paged_bytes() == 0 && touch(memory, 0) == SIGSEGV && touch(memory + BYTES - 1, 1) == SIGSEGV);
    errno = 77;
    for (size_t at = 0; at < BYTES / 2; at += 64 * PAGE) {
        CHECK(mprotect(memory + at, 64 * PAGE, RW) == 0 && errno == 77);
        CHECK(is_zero(memory + at, 64 * PAGE));
        fill(memory, at, at + 64 * PAGE, 1);
    }
    CHECK(touch(memory + BYTES / 2, 1) == SIGSEGV);
    CHECK(!paged_bytes() || paged_bytes() == BYTES / 2);
    CHECK(holds(memory, 0, BYTES / 2, 1));
    /* Accessible and not yet, in one call. */
    CHECK(mprotect(memory, BYTES, RW) == 0);
    CHECK(holds(memory, 0, BYTES / 2, 1) && is_zero(memory + BYTES / 2, BYTES / 2));
    fill(memory, BYTES / 2, BYTES, 1);
    say_paged();
    CHECK(holds(memory, 0, BYTES, 1));
    CHECK(munmap(memory, 100 * PAGE) == 0 && munmap(memory + 200 * PAGE, BYTES - 200 * PAGE) == 0);
    CHECK(holds(memory, 100 * PAGE, 200 * PAGE, 1) && munmap(memory, BYTES) == 0);
    CHECK(paged_bytes() == 0);
}

/* As the Java virtual machine and Go do: another mapping comes over it. */
static void by_mapping(void *wish) {
    unsigned char *memory = reserve(wish, BYTES);
    CHECK(!wish || memory == wish);
    for (int round = 0; round < 3; round++) {
        for (size_t at = 0; at < BYTES; at += 256 * PAGE) {
            CHECK(mmap(memory + at, 256 * PAGE, RW, ANONYMOUS | MAP_FIXED, -1, 0) == memory + at);
            CHECK(is_zero(memory + at, 256 * PAGE));
            fill(memory, at, at + 256 * PAGE, round);
        }
        CHECK(holds(memory, 0, BYTES, round) && (!paged_bytes() || paged_bytes() == BYTES));
        /* A part goes, and its addresses stay. */
        CHECK(mmap(memory + 512 * PAGE, 512 * PAGE, PROT_NONE, ANONYMOUS | MAP_FIXED, -1, 0) == memory + 512 * PAGE);
        CHECK(touch(memory + 700 * PAGE, 0) == SIGSEGV && (!paged_bytes() || paged_bytes() == BYTES - 512 * PAGE));
        unsigned char *other = reserve(NULL, 512 * PAGE);
        CHECK(other + 512 * PAGE <= memory || other >= memory + BYTES);
        CHECK(munmap(other, 512 * PAGE) == 0);
        CHECK(mprotect(memory + 600 * PAGE, 10 * PAGE, RW) == 0 && is_zero(memory + 600 * PAGE, 10 * PAGE));
        CHECK(holds(memory, 0, 512 * PAGE, round) && holds(memory, 1024 * PAGE, BYTES, round));
        CHECK(madvise(memory, BYTES, MADV_DONTNEED) == 0 && is_zero(memory, 512 * PAGE));
    }
    /* Code is the kernel's, and so are files. */
    unsigned char code[] = {0xc3};
    CHECK(mmap(memory, PAGE, RW | PROT_EXEC, ANONYMOUS | MAP_FIXED, -1, 0) == memory);
    memory[0] = code[0];
    CHECK(mprotect(memory, PAGE, PROT_READ | PROT_EXEC) == 0 && memory[0] == code[0] && touch(memory, 1) == SIGSEGV);
    CHECK(mprotect(memory, PAGE, RW) == 0 && memory[0] == code[0]);
    CHECK(mmap(memory, PAGE, RW, ANONYMOUS | MAP_FIXED, -1, 0) == memory && memory[0] == 0);
    CHECK(munmap(memory, BYTES) == 0 && touch(memory, 0) == SIGSEGV);
    if (wish) {
        CHECK(reserve(wish, BYTES) == wish && munmap(wish, BYTES) == 0);
    }
}

/* Less access to memory that has contents: guard pages, and what is only to be read. */
static void less(void) {
    unsigned char *memory = mmap(NULL, BYTES, RW, ANONYMOUS, -1, 0);
    fill(memory, 0, BYTES, 5);
    CHECK(mprotect(memory + 10 * PAGE, PAGE, PROT_NONE) == 0 && mprotect(memory + 20 * PAGE, 5 * PAGE, PROT_READ) == 0);
    CHECK(touch(memory + 10 * PAGE, 0) == SIGSEGV && touch(memory + 20 * PAGE, 0) == 0 && touch(memory + 24 * PAGE, 1) == SIGSEGV);
    /* Everything else passes through what is left of the local memory. */
    for (int round = 0; round < 2; round++)
        CHECK(holds(memory, 0, 10 * PAGE, 5) && holds(memory, 20 * PAGE, BYTES, 5));
    CHECK(mremap(memory, BYTES, 2 * BYTES, MREMAP_MAYMOVE) == MAP_FAILED);
    CHECK(mprotect(memory + 10 * PAGE, PAGE, PROT_READ) == 0 && holds(memory, 0, BYTES, 5));
    CHECK(mprotect(memory, BYTES, RW) == 0 && holds(memory, 0, BYTES, 5));
    fill(memory, 0, BYTES, 6);
    CHECK(mprotect(memory + 30 * PAGE, PAGE, PROT_NONE) == 0);
    CHECK(mmap(memory + 30 * PAGE, PAGE, RW, ANONYMOUS | MAP_FIXED, -1, 0) == memory + 30 * PAGE);
    CHECK(is_zero(memory + 30 * PAGE, PAGE) && holds(memory, 31 * PAGE, BYTES, 6));
    /* Much of it without access, and back. What is away stays away meanwhile. */
    for (int round = 0; round < 3; round++) {
        fill(memory, 0, BYTES, 7);
        CHECK(mprotect(memory + 1000 * PAGE, 300 * PAGE, PROT_NONE) == 0);
        CHECK(holds(memory, 1300 * PAGE, BYTES, 7) && touch(memory + 1100 * PAGE, 1) == SIGSEGV);
        CHECK(mprotect(memory + 1000 * PAGE, 300 * PAGE, round ? PROT_READ : RW) == 0);
        CHECK(holds(memory, 50 * PAGE, BYTES, 7));
        CHECK(mprotect(memory, BYTES, RW) == 0 && holds(memory, 0, BYTES, 7));
    }
    CHECK(mprotect(memory + 40 * PAGE, PAGE, PROT_NONE) == 0 && munmap(memory, BYTES) == 0);
}

/* A child has the addresses, and may use what is not paged of them. */
static void forked(void) {
    unsigned char *memory = reserve(NULL, BYTES);
    CHECK(mprotect(memory, BYTES / 2, RW) == 0);
    memory[0] = 1;
    pid_t child = fork();
    if (child == 0) {
        CHECK(mprotect(memory + BYTES / 2, PAGE, RW) == 0);
        memory[BYTES / 2] = 2;
        _exit(memory[BYTES / 2] == 2 ? 0 : 1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(mprotect(memory + BYTES / 2, PAGE, RW) == 0 && memory[BYTES / 2] == 0 && memory[0] == 1);
    CHECK(munmap(memory, BYTES) == 0);
}

int main(void) {
    struct sigaction action = {.sa_handler = caught, .sa_flags = SA_NODEFER};
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    by_protection();
    by_mapping(NULL);
    by_mapping((void *)(1ul << 36));
    less();
    forked();
    CHECK(paged_bytes() == 0);
    puts("reservations right");
    return 0;
}
