// What a call of MPI costs when nothing travels: MPI_Send to MPI_PROC_NULL, again and again.
//
//     mpicc -O2 mpi_proc_null.c -o mpi_proc_null -lm
//     mpirun -n 1 ./mpi_proc_null --count 5000000

#include "peer.h"
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    long count = option(argc, argv, "--count", 5000000, 1, 1000000000);
    char message[8] = {0};
    anchor start = anchor_now();
    uint64_t begin = ticks();
    for (long i = 0; i < count; i++) {
        MPI_Send(message, sizeof message, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    }
    uint64_t end = ticks();
    double ns = (double)(end - begin) * ns_per_tick(start, anchor_now());
    printf("calls,call_ns\nall,%.2f\n", ns / (double)count);
    MPI_Finalize();
    return 0;
}
