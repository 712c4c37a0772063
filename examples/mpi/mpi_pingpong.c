/* Two processes pass 2 integers to and fro, 50 times; each round trip is a line of CSV.

     mpicc -O2 -o mpi_pingpong examples/mpi/mpi_pingpong.c
     mpirun -n 2 ./mpi_pingpong                       # within one box
     mpirun -n 2 -host a,b ./mpi_pingpong             # between two
     mpirun -n 2 ./mpi_pingpong --integers 2 --trips 50

   Times are in microseconds, with three digits behind the point. Every round trip is listed, the
   first one too: whoever reads the table decides what to leave out. */
#include "mpi_trips.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const int rank = rank_of_two();
    long integers = 2, trips = 50;
    for (int at = 1; at < argc; at += 2) {
        if (strcmp(argv[at], "--integers") == 0) {
            integers = number(argv, at, 0, INTEGERS_MOST);
        } else if (strcmp(argv[at], "--trips") == 0) {
            trips = number(argv, at, 1, TRIPS_MOST);
        } else {
            refuse(rank, "give --integers N or --trips N, not", argv[at]);
        }
    }
    int *message = calloc((size_t)integers + 1, sizeof *message);
    double *us = calloc((size_t)trips, sizeof *us);
    if (message == NULL || us == NULL) refuse(rank, "no memory for", "the messages");
    round_trips(rank, message, (int)integers, trips, us);
    if (rank == 0) {
        printf("trip,integers,us\n");
        for (long trip = 0; trip < trips; trip++) {
            printf("%ld,%ld,%.3f\n", trip + 1, integers, us[trip]);
        }
    }
    free(us);
    free(message);
    MPI_Finalize();
    return 0;
}
