/* Rank 0 collects two results a round, from whoever sends first: collect ROUNDS [answer].
   Rank 1 computes for 100 ms and sends 8 bytes; rank 2 computes for 50 ms and sends 2 MB. Rank 0 computes
   for 60 ms with each result. With "answer" it then sends a byte to whom the result came from, which waits
   for it. A barrier ends the round. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

#define LONG 2000000

static char result[LONG];

static void compute(long ms) {
    struct timespec t = {0, ms * 1000000};
    nanosleep(&t, NULL);
}

static void collect(int answers) {
    for (int taken = 0; taken < 2; taken++) {
        MPI_Status status;
        MPI_Recv(result, LONG, MPI_BYTE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
        compute(60);
        if (answers) MPI_Send(result, 1, MPI_BYTE, status.MPI_SOURCE, 8, MPI_COMM_WORLD);
    }
}

static void work(int rank, int answers) {
    compute(rank == 1 ? 100 : 50);
    MPI_Send(result, rank == 1 ? 8 : LONG, MPI_BYTE, 0, 7, MPI_COMM_WORLD);
    if (answers) MPI_Recv(result, 1, MPI_BYTE, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    int rank, rounds = argc > 1 ? atoi(argv[1]) : 3, answers = argc > 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < rounds; round++) {
        if (rank == 0) collect(answers);
        else work(rank, answers);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
