// Touches pages at random: of ten touches eight are at one line, one at another, and one is made by
// the C library for a third.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, PAGES = 16384, TOUCHES = 24000 };

static volatile size_t copied_bytes = 2000;
static uint64_t state = 88172645463325252u;

static uint64_t draw(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

__attribute__((noinline)) static uint64_t often(const volatile uint64_t *page) {
    return *page; // often
}

__attribute__((noinline)) static uint64_t seldom(const volatile uint64_t *page) {
    return *page ^ 1; // seldom
}

__attribute__((noinline)) static uint64_t copied(const char *page) {
    static char into[PAGE];
    memcpy(into, page, copied_bytes); // copied
    return *(uint64_t *)into;
}

int main(void) {
    char *pages = malloc((size_t)PAGES * PAGE);
    for (size_t at = 0; at < PAGES; at++)
        memcpy(pages + at * PAGE, &at, sizeof at);
    uint64_t sum = 0;
    for (int touch = 0; touch < TOUCHES; touch++) {
        char *page = pages + draw() % PAGES * PAGE;
        switch (draw() % 10) {
        case 0: sum += copied(page); break;
        case 1: sum += seldom((uint64_t *)page); break;
        default: sum += often((uint64_t *)page);
        }
    }
    printf("%d\n", sum > 0);
    return 0;
}
