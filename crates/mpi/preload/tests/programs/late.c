/* Rank 1 comes 20 ms late to each of ROUNDS messages of rank 0: late ROUNDS BYTES. Rank 0 computes
   for 20 ms after each. A barrier begins a round, which takes 20 ms where a message goes at once,
   and 40 where it waits for its receive. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static void computes(void) {
    struct timespec t = {0, 20000000};
    nanosleep(&t, NULL);
}

int main(int argc, char **argv) {
    int rank, rounds = argc > 1 ? atoi(argv[1]) : 8, bytes = argc > 2 ? atoi(argv[2]) : 65536;
    char *message = calloc(bytes, 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < rounds; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) MPI_Send(message, bytes, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
        computes();
        if (rank == 1) MPI_Recv(message, bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    free(message);
    return 0;
}
