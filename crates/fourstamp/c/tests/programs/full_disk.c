/*
 * Records until the disk is full: recording goes on, asking says why rows are not kept, finishing
 * is an error, and the run can be closed once there is room.
 *
 *     full_disk FOLDER FILLER
 *
 * FILLER is a file on the same disk that is removed before closing.
 */
#define _POSIX_C_SOURCE 200809L
#include <fourstamp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void must(int code)
{
    if (code != FOURSTAMP_OK) {
        fprintf(stderr, "%d: %s\n", code, fourstamp_error());
        exit(3);
    }
}

int main(int count, char **words)
{
    struct timespec moment = {0, 20000000};
    fourstamp_run *run;
    fourstamp_node *node;
    unsigned char header[FOURSTAMP_HEADER_BYTES];
    fourstamp_counts counts = FOURSTAMP_COUNTS_INIT;
    uint64_t messages = 0;
    long number;
    int code = FOURSTAMP_OK;

    if (count != 3) {
        return 2;
    }
    must(fourstamp_create(words[1], NULL, &run));
    must(fourstamp_node_open(run, 0, NULL, &node));
    for (number = 1; number <= 150000; number++) {
        uint64_t now = fourstamp_now(node);
        must(fourstamp_header(node, 0, FOURSTAMP_DATA, now, now, header));
        must(fourstamp_taken(node, header, now, 5));
    }
    for (number = 0; number < 500 && code == FOURSTAMP_OK; number++) {
        nanosleep(&moment, NULL);
        code = fourstamp_node_check(node);
    }
    printf("check|%d|%s\n", code, fourstamp_error());
    must(fourstamp_node_counts(node, &counts));
    printf("finish|%d|", fourstamp_node_finish(node));
    printf("%s\n", fourstamp_error());
    unlink(words[2]);
    must(fourstamp_close(run, &messages));
    printf("recorded %llu, dropped %llu, in the run %llu\n", (unsigned long long)counts.recorded,
           (unsigned long long)counts.dropped, (unsigned long long)messages);
    return 0;
}
