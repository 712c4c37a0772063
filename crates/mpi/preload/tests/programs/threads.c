/* Each thread of a rank exchanges with the same thread of the other rank, on a communicator of its
   own: threads THREADS ROUNDS. A thread computes for 1 ms before each exchange. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MOST 8

static int rank, rounds;
static MPI_Comm own[MOST];

static void *exchange(void *at) {
    MPI_Comm comm = own[(long)at];
    struct timespec t = {0, 1000000};
    char mine = 1, theirs;
    for (int round = 0; round < rounds; round++) {
        nanosleep(&t, NULL);
        MPI_Sendrecv(&mine, 1, MPI_BYTE, 1 - rank, 3, &theirs, 1, MPI_BYTE, 1 - rank, 3, comm,
                     MPI_STATUS_IGNORE);
    }
    return NULL;
}

int main(int argc, char **argv) {
    int level, many = argc > 1 ? atoi(argv[1]) : 2;
    pthread_t threads[MOST];
    rounds = argc > 2 ? atoi(argv[2]) : 20;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (level < MPI_THREAD_MULTIPLE || many > MOST) {
        fprintf(stderr, "threads: no MPI_THREAD_MULTIPLE, or more than %d threads\n", MOST);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (long at = 0; at < many; at++) MPI_Comm_dup(MPI_COMM_WORLD, &own[at]);
    for (long at = 0; at < many; at++) pthread_create(&threads[at], NULL, exchange, (void *)at);
    for (int at = 0; at < many; at++) pthread_join(threads[at], NULL);
    MPI_Finalize();
    return 0;
}
