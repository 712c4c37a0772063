/* Many small allocations of several threads, given back and grown by any of them. */
#include "check.h"
#include <malloc.h>
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCKS 40000
#define THREADS 3

extern char **environ;
static struct { unsigned char *memory; size_t bytes; unsigned seed; } blocks[THREADS][BLOCKS];

static size_t some(unsigned long *state) {
    unsigned long draw = next_random(state);
    return draw % 500 ? 1 + next_random(state) % 300 : 1 + next_random(state) % 20000;
}

static void make(int thread, int at, unsigned long *state) {
    size_t bytes = some(state);
    unsigned char *memory;
    switch (next_random(state) % 4) {
    case 0: memory = calloc(1, bytes); CHECK(is_zero(memory, bytes)); break;
    case 1: memory = aligned_alloc(64, bytes); CHECK((uintptr_t)memory % 64 == 0); break;
    default: memory = malloc(bytes); CHECK((uintptr_t)memory % 16 == 0);
    }
    CHECK(malloc_usable_size(memory) >= bytes);
    fill(memory, 0, bytes, (unsigned)at);
    blocks[thread][at].memory = memory;
    blocks[thread][at].bytes = bytes;
    blocks[thread][at].seed = (unsigned)at;
}

static void *all_makes(void *argument) {
    int thread = (int)(intptr_t)argument;
    unsigned long state = 88172645463325252ul + (unsigned long)thread;
    for (int at = 0; at < BLOCKS; at++) make(thread, at, &state);
    return NULL;
}

/* Of what another thread has made. */
static void *all_changes(void *argument) {
    int thread = ((int)(intptr_t)argument + 1) % THREADS;
    unsigned long state = 1234567 + (unsigned long)thread;
    for (int at = 0; at < BLOCKS; at++) {
        unsigned char *memory = blocks[thread][at].memory;
        CHECK(holds(memory, 0, blocks[thread][at].bytes, blocks[thread][at].seed));
        if (next_random(&state) % 2) {
            size_t bytes = some(&state), kept = bytes < blocks[thread][at].bytes ? bytes : blocks[thread][at].bytes;
            memory = realloc(memory, bytes);
            CHECK(memory && holds(memory, 0, kept, blocks[thread][at].seed));
            fill(memory, kept, bytes, blocks[thread][at].seed);
            blocks[thread][at].memory = memory;
            blocks[thread][at].bytes = bytes;
        } else {
            free(memory);
            make(thread, at, &state);
        }
    }
    return NULL;
}

static void *all_check_and_free(void *argument) {
    int thread = (int)(intptr_t)argument;
    for (int at = 0; at < BLOCKS; at++) {
        CHECK(holds(blocks[thread][at].memory, 0, blocks[thread][at].bytes, blocks[thread][at].seed));
        free(blocks[thread][at].memory);
    }
    return NULL;
}

static void on_all(void *(*routine)(void *)) {
    pthread_t threads[THREADS];
    for (intptr_t at = 0; at < THREADS; at++) CHECK(pthread_create(&threads[at], NULL, routine, (void *)at) == 0);
    for (int at = 0; at < THREADS; at++) CHECK(pthread_join(threads[at], NULL) == 0);
}

/* What the C library allocates for the program, and streams on it. */
static void of_the_library(void) {
    char *line = NULL, *text = strdup("some text");
    size_t room = 0;
    FILE *stream = open_memstream(&line, &room);
    for (int i = 0; i < 100000; i++) fprintf(stream, "%d %s\n", i, text);
    CHECK(fclose(stream) == 0 && room > 1000000 && !strncmp(line, "0 some text\n", 12));
    free(line);
    free(text);
    text = malloc(100);
    CHECK(realloc(text, 0) == NULL);
    pid_t child;
    int status;
    char *words[] = {"true", NULL};
    CHECK(posix_spawnp(&child, "true", NULL, NULL, words, environ) == 0);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/* A child gives back what it does not have, and has memory of its own. */
static void in_a_child(void) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        for (int at = 0; at < BLOCKS; at++) free(blocks[0][at].memory);
        for (int at = 0; at < 1000; at++) {
            unsigned char *memory = malloc(1000);
            fill(memory, 0, 1000, 9);
            CHECK(holds(memory, 0, 1000, 9));
            if (at % 2) free(memory);
        }
        _exit(7);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

int main(void) {
    /* From before there is any paged memory. */
    char *early = strdup("early");
    on_all(all_makes);
    on_all(all_changes);
    say_paged();
    of_the_library();
    in_a_child();
    early = realloc(early, 100000);
    CHECK(!strcmp(early, "early"));
    free(early);
    on_all(all_check_and_free);
    puts("small blocks right");
    return 0;
}
