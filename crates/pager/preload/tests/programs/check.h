/* What the test programs share: contents that depend on the place, and a word on standard error about what is paged. */
#define _GNU_SOURCE
#include "../../include/fourstamp_rmem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma weak fourstamp_rmem_status

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            printf("line %d: wrong: %s\n", __LINE__, #condition); \
            fflush(stdout); \
            exit(1); \
        } \
    } while (0)

static inline unsigned long next_random(unsigned long *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static inline unsigned char content(size_t at, unsigned seed) {
    return (unsigned char)((at * 2654435761u >> 9) + seed * 31u + at);
}

static inline void fill(void *memory, size_t from, size_t to, unsigned seed) {
    for (size_t at = from; at < to; at++) ((unsigned char *)memory)[at] = content(at, seed);
}

static inline int holds(const void *memory, size_t from, size_t to, unsigned seed) {
    for (size_t at = from; at < to; at++)
        if (((const unsigned char *)memory)[at] != content(at, seed)) return 0;
    return 1;
}

static inline int is_zero(const void *memory, size_t bytes) {
    const unsigned char *byte = memory;
    for (size_t at = 0; at < bytes; at++)
        if (byte[at]) return 0;
    return 1;
}

/* Bytes that are paged now; 0 without the library. */
static inline unsigned long paged_bytes(void) {
    struct fourstamp_rmem_status status = {0};
    if (!fourstamp_rmem_status) return 0;
    CHECK(fourstamp_rmem_status(&status, sizeof status) == 0);
    return status.paged_bytes;
}

static inline void say_paged(void) { fprintf(stderr, "paged %lu\n", paged_bytes()); }
