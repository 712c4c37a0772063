/* Each thread of a rank exchanges with the same thread of the other rank, on a communicator of its
   own: threads THREADS ROUNDS. A thread computes for 1 ms before each exchange. With "together"
   those on communicators of their own compute for nothing, and as many others exchange whatever
   comes on one communicator; what each sends has a size of its own. With "windows" each begins 16
   messages one way a round and waits for all, and then for any, of them: the library gives a handle
   that one thread is done with to another. With "handles" each makes a request that is started, a
   message that a probe finds and, over MPICH, a communicator, uses them once and frees them. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST 8
#define WINDOW 16

static int rank, rounds, together;
static MPI_Comm own[MOST], shared;

static void *exchange(void *at) {
    int size = (long)at % MOST + 1;
    MPI_Comm comm = (long)at < MOST ? own[(long)at] : shared;
    struct timespec t = {0, 1000000};
    char mine[MOST] = {1}, theirs[MOST];
    for (int round = 0; round < rounds; round++) {
        if (!together) nanosleep(&t, NULL);
        MPI_Sendrecv(mine, size, MPI_BYTE, 1 - rank, 3, theirs, MOST, MPI_BYTE, 1 - rank, 3, comm,
                     MPI_STATUS_IGNORE);
    }
    return NULL;
}

static void *windows(void *at) {
    MPI_Comm comm = own[(long)at];
    int size = (long)at + 1, tag = (long)at;
    char bytes[WINDOW][MOST] = {0};
    MPI_Request requests[WINDOW];
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < WINDOW; i++) {
            if (rank) MPI_Irecv(bytes[i], size, MPI_BYTE, 0, tag, comm, &requests[i]);
            else MPI_Isend(bytes[i], size, MPI_BYTE, 1, tag, comm, &requests[i]);
        }
        if (round % 2) {
            MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
            continue;
        }
        for (int left = WINDOW; left > 0;) {
            int done, which[WINDOW];
            MPI_Testsome(WINDOW, requests, &done, which, MPI_STATUSES_IGNORE);
            if (done == 0) MPI_Waitany(WINDOW, requests, which, MPI_STATUS_IGNORE), done = 1;
            left -= done;
        }
    }
    return NULL;
}

static void *handles(void *at) {
    MPI_Comm comm = own[(long)at];
    int tag = (long)at, value = 0;
    for (int round = 0; round < rounds; round++) {
        MPI_Request request;
        MPI_Comm dup = comm;
#ifdef MPICH
        /* Open MPI 4.1 hangs where threads make communicators at the same time. */
        MPI_Comm_dup(comm, &dup);
#endif
        if (!rank) {
            MPI_Ssend_init(&value, 1, MPI_INT, 1, tag, dup, &request);
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
        } else {
            MPI_Message message;
            MPI_Mprobe(0, tag, dup, &message, MPI_STATUS_IGNORE);
            MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        }
        if (dup != comm) MPI_Comm_free(&dup);
    }
    return NULL;
}

int main(int argc, char **argv) {
    int level, many = argc > 1 ? atoi(argv[1]) : 2;
    pthread_t threads[2 * MOST];
    const char *how = argc > 3 ? argv[3] : "";
    void *(*work)(void *) = exchange;
    if (!strcmp(how, "windows")) work = windows;
    if (!strcmp(how, "handles")) work = handles;
    together = !strcmp(how, "together");
    rounds = argc > 2 ? atoi(argv[2]) : 20;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (level < MPI_THREAD_MULTIPLE || many > MOST) {
        fprintf(stderr, "threads: no MPI_THREAD_MULTIPLE, or more than %d threads\n", MOST);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (long at = 0; at < many; at++) MPI_Comm_dup(MPI_COMM_WORLD, &own[at]);
    MPI_Comm_dup(MPI_COMM_WORLD, &shared);
    for (long at = 0; at < many; at++) {
        pthread_create(&threads[at], NULL, work, (void *)at);
        if (together) pthread_create(&threads[MOST + at], NULL, exchange, (void *)(MOST + at));
    }
    for (int at = 0; at < many; at++) {
        pthread_join(threads[at], NULL);
        if (together) pthread_join(threads[MOST + at], NULL);
    }
    MPI_Finalize();
    int each = work == windows ? WINDOW : work == handles ? 1 : 2;
    if (!rank) printf("messages %d\n", each * many * rounds * (together ? 2 : 1));
    return 0;
}
