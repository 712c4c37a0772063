/*
 * Wrong use gets a code and a line, and the program goes on.
 *
 *     misuse FOLDER
 *
 * One line a mistake: what was done, the code, the text.
 */
#define _POSIX_C_SOURCE 200809L
#include <fourstamp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(int code)
{
    if (code != FOURSTAMP_OK) {
        fprintf(stderr, "%d: %s\n", code, fourstamp_error());
        exit(3);
    }
}

static void told(const char *what, int code)
{
    printf("%s|%d|%s\n", what, code, fourstamp_error());
}

static char *in(const char *folder, const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void *error_of_another_thread(void *unused)
{
    (void)unused;
    return (void *)(fourstamp_error()[0] == '\0' ? "none" : "one");
}

static void nulls(fourstamp_run *run, fourstamp_node *node, const unsigned char *header)
{
    fourstamp_node *other;
    told("create without a path", fourstamp_create(NULL, NULL, &run));
    told("create without a place", fourstamp_create("x", NULL, NULL));
    told("join without a path", fourstamp_join(NULL, &run));
    told("close nothing", fourstamp_close(NULL, NULL));
    told("leave nothing", fourstamp_leave(NULL));
    told("node of nothing", fourstamp_node_open(NULL, 9, NULL, &other));
    told("node without a place", fourstamp_node_open(run, 9, NULL, NULL));
    told("header of nothing", fourstamp_header(NULL, 1, FOURSTAMP_DATA, 1, 2, &other));
    told("header without room", fourstamp_header(node, 1, FOURSTAMP_DATA, 1, 2, NULL));
    told("taken without a header", fourstamp_taken(node, NULL, 1, 2));
    told("taken by nothing", fourstamp_taken(NULL, header, 1, 2));
    told("counts without room", fourstamp_node_counts(node, NULL));
    told("check nothing", fourstamp_node_check(NULL));
    told("finish nothing", fourstamp_node_finish(NULL));
    told("now of nothing", fourstamp_now(NULL) == 0 ? FOURSTAMP_NULL : FOURSTAMP_OK);
}

static void handles(fourstamp_run *run, fourstamp_node *node, unsigned char *header)
{
    fourstamp_node *other;
    told("a run as a node", fourstamp_taken((fourstamp_node *)(void *)run, header, 1, 2));
    told("a node as a run", fourstamp_node_open((fourstamp_run *)(void *)node, 9, NULL, &other));
    told("a text as a node", fourstamp_node_finish((fourstamp_node *)(void *)header));
}

static void values(fourstamp_run *run, fourstamp_node *node, unsigned char *header)
{
    struct { fourstamp_node_options known; uint64_t later; } newer;
    fourstamp_node_options options = FOURSTAMP_NODE_OPTIONS_INIT;
    fourstamp_counts counts = FOURSTAMP_COUNTS_INIT;
    fourstamp_node *other;
    unsigned char foreign[FOURSTAMP_HEADER_BYTES] = "GET / HTTP/1.1";

    options.size = 0;
    told("options of no size", fourstamp_node_open(run, 9, &options, &other));
    counts.size = 3;
    told("counts of a wrong size", fourstamp_node_counts(node, &counts));
    memset(&newer, 0, sizeof newer);
    newer.known.size = sizeof newer;
    newer.later = 1;
    told("options of tomorrow", fourstamp_node_open(run, 9, &newer.known, &other));
    options.size = sizeof options;
    options.wait = 2;
    told("wait 2", fourstamp_node_open(run, 9, &options, &other));
    options.wait = 0;
    options.capacity_rows = UINT64_MAX;
    told("a buffer beyond all memory", fourstamp_node_open(run, 9, &options, &other));
    told("a number that is taken", fourstamp_node_open(run, 0, NULL, &other));
    told("a kind that is none", fourstamp_header(node, 1, 99, 1, 2, header));
    told("a foreign header", fourstamp_taken(node, foreign, 1, 2));
    told("a half of a whole", fourstamp_log_sent(node, 1, 1, 2, 3));
    newer.later = 0;
    must(fourstamp_node_open(run, 7, &newer.known, &other));
    must(fourstamp_node_finish(other));
}

static void child(fourstamp_run *run, fourstamp_node *node, const unsigned char *header)
{
    fflush(stdout);
    if (fork() == 0) {
        told("a parent's node", fourstamp_taken(node, header, 1, 2));
        told("a parent's run", fourstamp_close(run, NULL));
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
}

int main(int count, char **words)
{
    fourstamp_run *run, *second;
    fourstamp_node *node;
    unsigned char header[FOURSTAMP_HEADER_BYTES];
    uint64_t messages = 0;
    pthread_t thread;
    void *found;

    if (count != 2) {
        return 2;
    }
    must(fourstamp_create(in(words[1], "run"), NULL, &run));
    must(fourstamp_node_open(run, 0, NULL, &node));
    must(fourstamp_header(node, 0, FOURSTAMP_DATA, 1, 2, header));
    nulls(run, node, header);
    handles(run, node, header);
    values(run, node, header);
    child(run, node, header);
    pthread_create(&thread, NULL, error_of_another_thread, NULL);
    pthread_join(thread, &found);
    printf("another thread's error|0|%s\n", (const char *)found);
    told("a folder that is not empty", fourstamp_create(in(words[1], "run"), NULL, &second));
    told("no run", fourstamp_join(words[1], &second));
    must(fourstamp_taken(node, header, FOURSTAMP_ABSENT, 5));
    must(fourstamp_node_finish(node));
    told("finish again", fourstamp_node_finish(node));
    told("taken by what has finished", fourstamp_taken(node, header, 1, 2));
    told("now of what has finished", fourstamp_now(node) == 0 ? FOURSTAMP_CLOSED : FOURSTAMP_OK);
    must(fourstamp_close(run, &messages));
    told("close again", fourstamp_close(run, NULL));
    told("leave what is closed", fourstamp_leave(run));
    told("a node of what is closed", fourstamp_node_open(run, 3, NULL, &node));
    told("join what has ended", fourstamp_join(in(words[1], "run"), &second));
    return messages == 1 ? 0 : 4;
}
