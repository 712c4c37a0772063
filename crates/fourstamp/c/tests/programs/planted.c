/*
 * Plants delays of known length in all three stages, and says how long each was: at least so long,
 * between its own two readings of the system's clock within the stage, and at most, around it.
 *
 *     planted RUN MESSAGES HALVES
 *
 * One line a message: least and most ns of send wait, transit and receive wait.
 */
#define _POSIX_C_SOURCE 200809L
#include <fourstamp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifndef CLOCK_MONOTONIC_RAW
#define CLOCK_MONOTONIC_RAW 4
#endif

static void must(int code)
{
    if (code != FOURSTAMP_OK) {
        fprintf(stderr, "%d: %s\n", code, fourstamp_error());
        exit(3);
    }
}

static long long ns(void)
{
    struct timespec now;
    clock_gettime((clockid_t)CLOCK_MONOTONIC_RAW, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* A stamp, and the system's clock before and after it. */
struct moment {
    long long before, after;
    uint64_t ticks;
};

static struct moment look(const fourstamp_node *node)
{
    struct moment moment;
    moment.before = ns();
    moment.ticks = fourstamp_now(node);
    moment.after = ns();
    return moment;
}

static void rest(long us)
{
    struct timespec time;
    time.tv_sec = 0;
    time.tv_nsec = us * 1000;
    nanosleep(&time, NULL);
}

static void say(struct moment from, struct moment to, char end)
{
    printf("%lld %lld%c", to.before - from.after, to.after - from.before, end);
}

static void message(fourstamp_node *sender, fourstamp_node *receiver, int number, int halves)
{
    unsigned char header[FOURSTAMP_HEADER_BYTES];
    struct moment ready, sent, arrived, taken;

    ready = look(sender);
    rest(100 + number % 7 * 30);
    sent = look(sender);
    if (!halves) {
        must(fourstamp_header(sender, 1, number % 2 ? FOURSTAMP_REPLY : FOURSTAMP_DATA, ready.ticks,
                              sent.ticks, header));
    }
    rest(50 + number % 5 * 40);
    arrived = look(receiver);
    rest(80 + number % 3 * 60);
    taken = look(receiver);
    if (halves) {
        must(fourstamp_log_sent(sender, 1, ready.ticks, sent.ticks, (uint64_t)number));
        must(fourstamp_log_received(receiver, 0, arrived.ticks, taken.ticks, (uint64_t)number));
    } else {
        must(fourstamp_record(receiver, header, arrived.ticks, taken.ticks, (uint64_t)number));
    }
    say(ready, sent, ' ');
    say(sent, arrived, ' ');
    say(arrived, taken, '\n');
}

int main(int count, char **words)
{
    fourstamp_run_options options = FOURSTAMP_RUN_OPTIONS_INIT;
    fourstamp_node_options how = FOURSTAMP_NODE_OPTIONS_INIT;
    fourstamp_run *run;
    fourstamp_node *sender, *receiver;
    uint64_t messages = 0;
    int number;

    if (count != 4) {
        return 2;
    }
    options.workload = "planted";
    options.transport = "none";
    how.halves = (uint32_t)atoi(words[3]);
    how.wait = 1;
    must(fourstamp_create(words[1], &options, &run));
    must(fourstamp_node_open(run, 0, &how, &sender));
    must(fourstamp_node_open(run, 1, &how, &receiver));
    for (number = 0; number < atoi(words[2]); number++) {
        message(sender, receiver, number, how.halves != 0);
    }
    must(fourstamp_node_finish(sender));
    must(fourstamp_node_finish(receiver));
    must(fourstamp_close(run, &messages));
    return messages == (uint64_t)atoi(words[2]) ? 0 : 4;
}
