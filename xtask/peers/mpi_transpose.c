// Rounds of a distributed transpose: work on the part that is here, then an exchange of all with
// all, as a parallel FFT does.
#include <mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int side = argc > 1 ? atoi(argv[1]) : 512, rounds = argc > 2 ? atoi(argv[2]) : 20;
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int rows = side / ranks, block = rows * rows;
    double *here = malloc(sizeof(double) * rows * side);
    double *there = malloc(sizeof(double) * rows * side);
    for (int i = 0; i < rows * side; i++) here[i] = rank + i % 7;
    MPI_Barrier(MPI_COMM_WORLD);
    double from = MPI_Wtime(), sum = 0;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < rows * side; i++) here[i] = sin(here[i]) + 1e-3 * round;
        MPI_Alltoall(here, block, MPI_DOUBLE, there, block, MPI_DOUBLE, MPI_COMM_WORLD);
        double *swap = here;
        here = there, there = swap;
    }
    double own = here[block - 1];
    MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!rank) printf("%.6f s, sum %g\n", MPI_Wtime() - from, sum);
    MPI_Finalize();
    return 0;
}
