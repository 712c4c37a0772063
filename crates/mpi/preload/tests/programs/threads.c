/* Each thread of a rank exchanges with the same thread of the other rank, on a communicator of its
   own: threads THREADS ROUNDS. A thread computes for 1 ms before each exchange. With a third
   argument those on communicators of their own compute for nothing, and as many others exchange
   whatever comes on one communicator; what each sends has a size of its own. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MOST 8

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

int main(int argc, char **argv) {
    int level, many = argc > 1 ? atoi(argv[1]) : 2;
    pthread_t threads[2 * MOST];
    together = argc > 3;
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
        pthread_create(&threads[at], NULL, exchange, (void *)at);
        if (together) pthread_create(&threads[MOST + at], NULL, exchange, (void *)(MOST + at));
    }
    for (int at = 0; at < many; at++) {
        pthread_join(threads[at], NULL);
        if (together) pthread_join(threads[MOST + at], NULL);
    }
    MPI_Finalize();
    if (!rank) printf("messages %d\n", 2 * many * rounds * (together ? 2 : 1));
    return 0;
}
