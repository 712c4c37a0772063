/* handed HOW MODE: gives an end of a pair of Unix-domain sockets to a child that it starts in this
   way (fork, vfork, spawn), as its standard input and output. It has used no socket before.
   handed HOW MODE drains: gives the other end to another child, which reads all that comes there.
   handed MODE: that child. It moves lines of 20 bytes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { LINES = 50 };

static const char LINE[] = "nineteen characters\n";

static void by_call(int file) {
    if (write(file, LINE, strlen(LINE)) != (ssize_t)strlen(LINE)) _exit(9);
}

/* Reads to the end, and says how much there was. */
static void drain(int file) {
    char taken[64];
    long all = 0;
    for (ssize_t got; (got = read(file, taken, sizeof taken)) > 0;) all += got;
    fprintf(stderr, "took %ld\n", all);
}

static int child(const char *mode) {
    char line[64];
    if (!strcmp(mode, "drains")) drain(0);
    if (!strcmp(mode, "writes"))
        for (int at = 0; at < LINES; at++) by_call(1);
    if (!strcmp(mode, "prints"))
        for (int at = 0; at < LINES; at++) fputs(LINE, stdout);
    if (!strcmp(mode, "mixes"))
        for (int at = 0; at < LINES; at++) {
            fputs(LINE, stdout);
            fflush(stdout);
            by_call(1);
        }
    /* What is printed is written when all calls have been made. */
    if (!strcmp(mode, "prints-last")) {
        fputs(LINE, stdout);
        for (int at = 0; at < LINES; at++) by_call(1);
    }
    if (!strcmp(mode, "opens")) {
        FILE *file = fdopen(dup(1), "w");
        fputs(LINE, file);
        fclose(file);
        for (int at = 0; at < LINES; at++) by_call(1);
    }
    /* The stream is used for something else. */
    if (!strcmp(mode, "lends")) {
        int kept = dup(1), file = open("/dev/null", O_WRONLY);
        dup2(file, 1);
        fputs(LINE, stdout);
        fflush(stdout);
        dup2(kept, 1);
        close(kept);
        for (int at = 0; at < LINES; at++) by_call(1);
    }
    if (!strcmp(mode, "scans"))
        for (int at = 0; at < LINES; at++)
            if (!fgets(line, sizeof line, stdin)) return 9;
    if (!strcmp(mode, "copies"))
        for (ssize_t got; (got = read(0, line, sizeof line)) > 0;)
            if (write(1, line, got) != got) return 9;
    return 0;
}

static pid_t start(const char *how, char **words, int ours, int its) {
    pid_t child = -1;
    if (!strcmp(how, "spawn")) {
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addclose(&actions, ours);
        posix_spawn_file_actions_adddup2(&actions, its, 0);
        posix_spawn_file_actions_adddup2(&actions, its, 1);
        posix_spawn_file_actions_addclose(&actions, its);
        posix_spawn(&child, words[0], &actions, NULL, words, environ);
        return child;
    }
    child = !strcmp(how, "vfork") ? vfork() : fork();
    if (child == 0) {
        close(ours);
        dup2(its, 0);
        dup2(its, 1);
        close(its);
        execv(words[0], words);
        _exit(9);
    }
    return child;
}

/* Both ends are given away: this process uses neither. */
static int between(char **words) {
    int pair[2], status, failed = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return 9;
    for (int at = 0; at < 2; at++)
        start(words[1], (char *[]){words[0], words[2 + at], NULL}, pair[1 - at], pair[at]);
    close(pair[0]);
    close(pair[1]);
    while (wait(&status) > 0) failed |= WEXITSTATUS(status);
    return failed;
}

int main(int count, char **words) {
    if (count == 2) return child(words[1]);
    if (count == 4) return between(words);
    int pair[2], status;
    char *its[] = {words[0], words[2], NULL};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return 9;
    pid_t child = start(words[1], its, pair[0], pair[1]);
    close(pair[1]);
    /* What the child writes lies there for a while: no order of calls tells which bytes are which. */
    usleep(30000);
    int listens = !strcmp(words[2], "scans") || !strcmp(words[2], "copies");
    for (int at = 0; at < LINES && listens; at++) by_call(pair[0]);
    shutdown(pair[0], SHUT_WR);
    drain(pair[0]);
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
