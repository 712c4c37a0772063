// What every peer program shares: a clock, pinning, and the line that it prints.
//
// A peer is the plainest program that does a job without recording anything: the yardstick for
// `cargo xtask bench latency`. Each prints the CSV of `fourstamp bench --csv`, so one parser reads all.

#ifndef FOURSTAMP_PEER_H
#define FOURSTAMP_PEER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

static inline void die(const char *what) {
    perror(what);
    exit(2);
}

// ---- Clock: the time stamp counter where there is one, as Fourstamp's own clock does -------------------------

static inline uint64_t monotonic_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t ticks(void) {
#if defined(__x86_64__)
    _mm_lfence();  // without it the counter is read before the load that ended the wait, and some trips come out at 13 ns
    return __rdtsc();
#else
    return monotonic_ns();
#endif
}

// Two readings of both clocks give the length of a tick: over a whole run it is good to a few ppm.
typedef struct {
    uint64_t ticks, ns;
} anchor;

static inline anchor anchor_now(void) {
    anchor a = {ticks(), monotonic_ns()};
    return a;
}

static inline double ns_per_tick(anchor start, anchor end) {
    return (double)(end.ns - start.ns) / (double)(end.ticks - start.ticks);
}

// ---- Pinning ------------------------------------------------------------------------------------------------

// The `index`-th core that this process may run on, or the last one.
static inline int allowed_core(int index) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) die("sched_getaffinity");
    int found = -1;
    for (int core = 0; core < CPU_SETSIZE && index >= 0; core++) {
        if (CPU_ISSET(core, &set)) {
            found = core;
            index--;
        }
    }
    return found;
}

static inline void pin_to(int core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) die("sched_setaffinity");
}

// ---- What it prints -----------------------------------------------------------------------------------------

static inline int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Nearest rank: the smallest value with at least a part `p` of all at or below it.
static inline uint64_t quantile(const uint64_t *sorted, long n, double p) {
    long rank = (long)ceil(p * (double)n);
    return sorted[rank < 1 ? 0 : rank - 1];
}

// Prints the distribution of `n` times; sorts them in place.
static inline void print_times(const char *stage, uint64_t *times, long n, double scale) {
    double sum = 0, squares = 0;
    for (long i = 0; i < n; i++) sum += (double)times[i];
    double mean = sum / (double)n;
    for (long i = 0; i < n; i++) squares += ((double)times[i] - mean) * ((double)times[i] - mean);
    qsort(times, (size_t)n, sizeof *times, by_value);
    printf("stage,n,min_ns,p50_ns,p90_ns,p99_ns,p99.9_ns,max_ns,mean_ns,sd_ns\n");
    printf("%s,%ld,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f\n", stage, n, (double)times[0] * scale,
           (double)quantile(times, n, 0.5) * scale, (double)quantile(times, n, 0.9) * scale,
           (double)quantile(times, n, 0.99) * scale, (double)quantile(times, n, 0.999) * scale,
           (double)times[n - 1] * scale, mean * scale, n > 1 ? sqrt(squares / (double)(n - 1)) * scale : 0.0);
}

static inline void print_rate(long messages, double seconds) {
    printf("messages,seconds,messages_per_s\n");
    printf("%ld,%.9f,%.1f\n", messages, seconds, (double)messages / seconds);
}

// ---- Arguments ----------------------------------------------------------------------------------------------

// The number after `name`, or `otherwise`; anything but a number from `least` to `most` ends the program.
static inline long option(int argc, char **argv, const char *name, long otherwise, long least, long most) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], name) != 0) continue;
        char *end = NULL;
        long value = i + 1 < argc ? strtol(argv[i + 1], &end, 10) : 0;
        if (end == NULL || *end != '\0' || value < least || value > most) {
            fprintf(stderr, "%s wants a number from %ld to %ld\n", name, least, most);
            exit(2);
        }
        return value;
    }
    return otherwise;
}

static inline int flag(int argc, char **argv, const char *name) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0) return 1;
    return 0;
}

#endif
