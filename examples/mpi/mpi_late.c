/* Two ranks, of which one is late: rank 1 computes for 20 ms before each of its 50 messages, and
   rank 0 waits for them.

     mpicc -g -o late examples/mpi/mpi_late.c
     fourstamp mpi trace -- mpirun -n 2 ./late */
#include <mpi.h>
#include <stdio.h>

static void compute(double seconds) {
    double end = MPI_Wtime() + seconds;
    while (MPI_Wtime() < end) {
    }
}

int main(int argc, char **argv) {
    int rank, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 50; step++) {
        int value = step;
        if (rank == 1) {
            compute(0.020);
            MPI_Send(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
        } else if (rank == 0) {
            MPI_Recv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += value;
        }
    }
    if (rank == 0) printf("sum %d\n", sum);
    MPI_Finalize();
    return 0;
}
