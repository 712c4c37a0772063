/* Children, threads and other programs: `process CASE`. */
#include "check.h"
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BYTES ((size_t)8 << 20)

extern char **environ;
static unsigned char *memory;
#ifdef TAKES_ADDRESS
void *(*volatile allocate)(size_t) = malloc;
#endif

static int ended(pid_t child) {
    int status = 0;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* A child that keeps to itself: large and small blocks of its own, its parent's given back, and a child of its own. */
static void child_alone(void) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        void *small = malloc(100);
        unsigned char *large = malloc(BYTES);
        fill(large, 0, BYTES, 4);
        CHECK(small && holds(large, 0, BYTES, 4) && paged_bytes() == 0);
        free(memory);
        free(large);
        free(small);
        fflush(NULL);
        pid_t grandchild = fork();
        if (grandchild == 0) _exit(7);
        _exit(ended(grandchild));
    }
    CHECK(ended(child) == 7);
    CHECK(holds(memory, 0, BYTES, 3));
    puts("child alone");
}

/* A child that reads what only its parent has. */
static void child_touches(void) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) _exit(holds(memory, 0, BYTES, 3) ? 0 : 1);
    int end = ended(child);
    CHECK(holds(memory, 0, BYTES, 3));
    printf("child ended by %d\n", end);
}

static void *forks(void *nothing) {
    for (int round = 0; round < 20; round++) {
        pid_t child = fork();
        if (child == 0) _exit(5);
        if (ended(child) != 5) return "wrong";
    }
    return nothing;
}

static void *works(void *place) {
    unsigned char *own = place;
    for (unsigned round = 0; round < 6; round++) {
        size_t bytes = BYTES / 8;
        fill(own, 0, bytes, round);
        unsigned char *more = malloc(bytes);
        fill(more, 0, bytes, round + 1);
        if (!holds(own, 0, bytes, round) || !holds(more, 0, bytes, round + 1)) return "wrong";
        free(more);
    }
    return NULL;
}

static void threads(int with_forks) {
    pthread_t all[8];
    for (int one = 0; one < 8; one++) {
        void *(*routine)(void *) = with_forks && one == 0 ? forks : works;
        CHECK(pthread_create(&all[one], NULL, routine, routine == forks ? NULL : memory + one * (BYTES / 8)) == 0);
    }
    for (int one = 0; one < 8; one++) {
        void *answer = "none";
        CHECK(pthread_join(all[one], &answer) == 0 && !answer);
    }
    puts("threads right");
}

static void programs(void) {
    char *words[] = {"sh", "-c", "echo from another program", NULL};
    pid_t child;
    fflush(NULL);
    CHECK(posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) == 0 && ended(child) == 0);
    child = vfork();
    if (child == 0) {
        execv("/bin/sh", words);
        _exit(1);
    }
    CHECK(ended(child) == 0 && system("echo from a shell") == 0);
    child = fork();
    if (child == 0) {
        execv("/bin/sh", words);
        _exit(1);
    }
    CHECK(ended(child) == 0 && holds(memory, 0, BYTES, 3));
}

/* A child that has all of its parent's memory: reads, writes, resizes, frees, and forks itself. */
static void child_inherits(void) {
    unsigned char *more = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fill(more, 0, BYTES, 5);
    for (unsigned round = 0; round < 3; round++) {
        pid_t child = fork();
        if (child == 0) {
            if (!holds(memory, 0, BYTES, 3) || !holds(more, 0, BYTES, 5)) _exit(10);
            fill(memory, 0, BYTES, 6 + round);
            memory = realloc(memory, 2 * BYTES);
            if (!holds(memory, 0, BYTES, 6 + round)) _exit(11);
            pid_t grandchild = fork();
            if (grandchild == 0) _exit(holds(memory, 0, BYTES, 6 + round) && holds(more, 0, BYTES, 5) ? 0 : 12);
            if (ended(grandchild) != 0) _exit(13);
            unsigned char *fresh = malloc(BYTES);
            fill(fresh, 0, BYTES, 9);
            if (!holds(fresh, 0, BYTES, 9)) _exit(14);
            free(memory);
            free(fresh);
            _exit(munmap(more, BYTES) == 0 ? 0 : 15);
        }
        printf("child ended by %d\n", ended(child));
        CHECK(holds(memory, 0, BYTES, 3) && holds(more, 0, BYTES, 5));
    }
    CHECK(munmap(more, BYTES) == 0);
}

/* Blocks that begin on a page, and that are only parts of what an allocator has mapped. */
static void blocks(void) {
    enum { MANY = 300, PART = 20000 };
    static unsigned char *all[MANY];
    for (int round = 0; round < 3; round++) {
        for (unsigned one = 0; one < MANY; one++) fill(all[one] = malloc(PART), 0, PART, one);
        for (unsigned one = 0; one < MANY; one++) {
            CHECK(holds(all[one], 0, PART, one));
            if (one % 3 == 0) CHECK(holds(all[one] = realloc(all[one], PART * 8), 0, PART, one));
            if (one % 6 == 0) CHECK(holds(all[one] = realloc(all[one], PART / 8), 0, PART / 8, one));
            free(all[one]);
        }
    }
    puts("blocks right");
}

static long resident_kib(void) {
    char line[200];
    long found = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "RssAnon:", 8)) found = atol(line + 8);
    CHECK(file && fclose(file) == 0 && found > 0);
    return found;
}

/* Pages leave again while a child has them as well, and the child keeps what it has. */
static void leaves(void) {
    enum { TIMES = 6, PATIENCE = 60 };
    int ends[2];
    unsigned char *more = malloc(TIMES * BYTES);
    fill(more, 0, TIMES * BYTES, 5);
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        char byte;
        close(ends[1]);
        _exit(read(ends[0], &byte, 1) == 0 && holds(more, 0, TIMES * BYTES, 5) ? 0 : 1);
    }
    CHECK(resident_kib() > (long)(TIMES * BYTES >> 10));
    time_t begun = time(NULL);
    while (resident_kib() > (long)(TIMES * BYTES >> 11)) {
        CHECK(holds(more, 0, TIMES * BYTES, 5) && time(NULL) - begun < PATIENCE);
    }
    fill(more, 0, TIMES * BYTES, 6);
    CHECK(close(ends[1]) == 0 && ended(child) == 0 && holds(more, 0, TIMES * BYTES, 6));
    puts("pages leave");
}

/* Children of a moment at which no thread writes, but others have faults of their own: each has that moment, whatever is written later. */
enum { WRITERS = 3, CHILDREN = 6 };
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static unsigned rounds[WRITERS];
static volatile int over;

static void *writes(void *place) {
    size_t part = BYTES / WRITERS / 4096 * 4096, one = (size_t)place;
    unsigned char *own = memory + one * part;
    while (!over) {
        pthread_mutex_lock(&writing);
        int right = holds(own, 0, part, rounds[one]);
        fill(own, 0, part, ++rounds[one]);
        pthread_mutex_unlock(&writing);
        if (!right) return "wrong";
    }
    return NULL;
}

static void *churns(void *nothing) {
    unsigned char *own = malloc(BYTES / 8);
    while (!over) {
        if (works(own)) return "wrong";
    }
    free(own);
    return nothing;
}

static int child_sees(const unsigned *seen) {
    size_t part = BYTES / WRITERS / 4096 * 4096;
    for (int again = 0; again < 2; again++) {
        for (int one = 0; one < WRITERS; one++)
            if (!holds(memory + one * part, 0, part, seen[one])) return 10 + one;
        usleep(20000);
    }
    fill(memory, 0, part, 77);
    return holds(memory, 0, part, 77) ? 0 : 20;
}

static void snapshots(void) {
    pthread_t all[WRITERS + 1];
    size_t part = BYTES / WRITERS / 4096 * 4096;
    for (size_t one = 0; one < WRITERS; one++) fill(memory + one * part, 0, part, 0);
    for (size_t one = 0; one < WRITERS; one++) CHECK(pthread_create(&all[one], NULL, writes, (void *)one) == 0);
    CHECK(pthread_create(&all[WRITERS], NULL, churns, NULL) == 0);
    for (int round = 0; round < CHILDREN; round++) {
        pthread_mutex_lock(&writing);
        pid_t child = fork();
        if (child == 0) _exit(child_sees(rounds));
        pthread_mutex_unlock(&writing);
        usleep(30000);
        CHECK(ended(child) == 0);
    }
    over = 1;
    for (int one = 0; one <= WRITERS; one++) {
        void *answer = "none";
        CHECK(pthread_join(all[one], &answer) == 0 && !answer);
    }
    puts("every child has its moment");
}

/* Goes on when `main` has ended, and leaves a line in the C library's buffer. */
static void *goes_on(void *unused) {
    nanosleep(&(struct timespec){.tv_nsec = 300 * 1000 * 1000}, NULL);
    CHECK(holds(memory, 0, BYTES, 3));
    puts("the last thread");
    return unused;
}

/* The first thread ends alone. */
static void main_ends(void) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, goes_on, NULL) == 0);
    CHECK(pthread_detach(thread) == 0);
    pthread_exit(NULL);
}

int main(int count, char **words) {
    const char *which = count > 1 ? words[1] : "";
    if (!strcmp(which, "again")) {
        puts("the program begins again");
        fflush(stdout);
        execl("/proc/self/exe", words[0], "threads", (char *)NULL);
    }
    memory = malloc(BYTES);
    fill(memory, 0, BYTES, 3);
    say_paged();
    if (!strcmp(which, "alone")) child_alone();
    else if (!strcmp(which, "touches")) child_touches();
    else if (!strcmp(which, "inherits")) child_inherits();
    else if (!strcmp(which, "snapshots")) {
        snapshots();
        return 0;
    }
    else if (!strcmp(which, "blocks")) blocks();
    else if (!strcmp(which, "leaves")) leaves();
    else if (!strcmp(which, "threads")) threads(0);
    else if (!strcmp(which, "forks")) threads(1);
    else if (!strcmp(which, "programs")) programs();
    else if (!strcmp(which, "main-ends")) main_ends();
    else if (!strcmp(which, "exits-alone")) {
        fflush(NULL);
        syscall(SYS_exit, 4);
    }
    else return 3;
    free(memory);
    return 0;
}
