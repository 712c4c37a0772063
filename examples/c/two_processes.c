/*
 * Two processes in C that stamp their messages into one run: who makes its folder, who joins it,
 * and who closes it.
 *
 * The first process makes the folder and receives; its child joins the folder and sends, over a
 * socket pair. Each finishes its own node, and the one that made the folder closes the run.
 *
 *     ./two_processes runs/c && fourstamp report runs/c
 *
 * docs/LIBRARY.md says how to build it.
 */
#define _POSIX_C_SOURCE 200809L
#include <fourstamp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MESSAGES = 10000, BODY_BYTES = 64, MESSAGE_BYTES = FOURSTAMP_HEADER_BYTES + BODY_BYTES };

/* Every call says how it went; a program of its own might go on without its record instead. */
static void must(int code)
{
    if (code != FOURSTAMP_OK) {
        fprintf(stderr, "error: %s\n", fourstamp_error());
        exit(2);
    }
}

/* Whether all bytes went, or came, before the other side closed. */
static int whole(int socket, unsigned char *bytes, size_t count, int sends)
{
    while (count > 0) {
        ssize_t done = sends ? write(socket, bytes, count) : read(socket, bytes, count);
        if (done <= 0) {
            return 0;
        }
        bytes += done;
        count -= (size_t)done;
    }
    return 1;
}

static void send_all(const char *path, int socket)
{
    unsigned char message[MESSAGE_BYTES];
    fourstamp_run *run;
    fourstamp_node *node;
    int number;

    memset(message, 0, sizeof message);
    must(fourstamp_join(path, &run));
    must(fourstamp_node_open(run, 0, NULL, &node));
    for (number = 0; number < MESSAGES; number++) {
        uint64_t ready = fourstamp_now(node); /* 1: it is a message */
        uint64_t sent = fourstamp_now(node);  /* 2: it goes to the network */
        must(fourstamp_header(node, 1, FOURSTAMP_DATA, ready, sent, message));
        if (!whole(socket, message, sizeof message, 1)) {
            perror("cannot send");
            exit(2);
        }
    }
    must(fourstamp_node_finish(node));
    must(fourstamp_leave(run));
}

static void receive_all(fourstamp_run *run, int socket)
{
    unsigned char message[MESSAGE_BYTES];
    fourstamp_node *node;

    must(fourstamp_node_open(run, 1, NULL, &node));
    while (whole(socket, message, sizeof message, 0)) {
        uint64_t arrived = fourstamp_now(node); /* 3: it is here */
        /* 4: this program has no queue, so the message is taken as soon as it is here */
        must(fourstamp_taken(node, message, arrived, BODY_BYTES));
    }
    must(fourstamp_node_finish(node));
}

int main(int count, char **words)
{
    const char *path = count > 1 ? words[1] : "runs/c";
    fourstamp_run_options options = FOURSTAMP_RUN_OPTIONS_INIT;
    fourstamp_run *run;
    uint64_t messages;
    int pair[2], status;
    pid_t child;

    options.transport = "socketpair";
    must(fourstamp_create(path, &options, &run));
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 || (child = fork()) < 0) {
        perror("cannot start the sender");
        return 2;
    }
    if (child == 0) {
        /* The handle `run` is the parent's; this process joins the run itself. */
        close(pair[0]);
        send_all(path, pair[1]);
        _exit(0);
    }
    close(pair[1]); /* so that reading ends when the sender ends */
    receive_all(run, pair[0]);
    if (waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "error: the sender failed; what it recorded is in %s\n", path);
        return 2;
    }
    must(fourstamp_close(run, &messages));
    printf("%llu messages; see them: fourstamp report %s\n", (unsigned long long)messages, path);
    return 0;
}
