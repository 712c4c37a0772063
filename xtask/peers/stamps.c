/*
 * The time of one call of fourstamp.h: stamps RUN nothing|now|header|taken
 *
 * Prints `call_ns`, the median over batches of a batch's time by its number of calls, so that a
 * batch in which the machine did something else does not count. The buffer is as large as all
 * batches: nothing is dropped, and nothing waits for the disk.
 */
#define _POSIX_C_SOURCE 200809L
#include <fourstamp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCHES = 1000, CALLS = 1000 };

static void must(int code)
{
    if (code != FOURSTAMP_OK) {
        fprintf(stderr, "error: %s\n", fourstamp_error());
        exit(2);
    }
}

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

static void batch(fourstamp_node *node, char operation, unsigned char *header)
{
    volatile uint64_t kept = 0; /* so that the loop stays */
    int call;
    for (call = 0; call < CALLS; call++) {
        switch (operation) {
        case 'n': kept = 0; break;
        case 'w': kept = fourstamp_now(node); break;
        case 'h': must(fourstamp_header(node, 1, FOURSTAMP_DATA, 1, 2, header)); break;
        default: must(fourstamp_taken(node, header, 3, 64)); break;
        }
    }
    (void)kept;
}

int main(int count, char **words)
{
    static double times[BATCHES];
    fourstamp_node_options options = FOURSTAMP_NODE_OPTIONS_INIT;
    unsigned char header[FOURSTAMP_HEADER_BYTES];
    fourstamp_run *run;
    fourstamp_node *node;
    char operation = count == 3 ? words[2][0] : 0;
    int at;

    if (operation == 0) {
        fprintf(stderr, "usage: stamps RUN nothing|now|header|taken\n");
        return 2;
    }
    if (strcmp(words[2], "now") == 0) {
        operation = 'w';
    }
    options.capacity_rows = (uint64_t)BATCHES * CALLS + 1;
    must(fourstamp_create(words[1], NULL, &run));
    must(fourstamp_node_open(run, 0, &options, &node));
    must(fourstamp_header(node, 0, FOURSTAMP_DATA, 1, 2, header));
    for (at = 0; at < BATCHES; at++) {
        double before = now_ns();
        batch(node, operation, header);
        times[at] = (now_ns() - before) / CALLS;
    }
    must(fourstamp_node_finish(node));
    must(fourstamp_leave(run));
    qsort(times, BATCHES, sizeof *times, ascending);
    printf("call_ns\n%.2f\n", times[BATCHES / 2]);
    return 0;
}
