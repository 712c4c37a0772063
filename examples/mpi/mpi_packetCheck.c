/* Two processes pass messages of every size to and fro, from 1 to 10,000 integers, 50 times each;
   each size is a line of CSV: least, largest and average time, and its standard deviation.

     mpicc -O2 -o mpi_packetCheck examples/mpi/mpi_packetCheck.c -lm
     mpirun -n 2 -host a,b ./mpi_packetCheck
     mpirun -n 2 ./mpi_packetCheck --from 1 --to 10000 --step 1 --trips 50
     mpirun -n 2 ./mpi_packetCheck 1 42 500 1947      # these sizes only

   Times are in microseconds. The standard deviation is that of a sample (n - 1). */
#include "mpi_trips.h"
#include <math.h>

static void line(long integers, const double *us, long trips) {
    double least = us[0], most = us[0], sum = 0, squares = 0;
    for (long trip = 0; trip < trips; trip++) {
        least = us[trip] < least ? us[trip] : least;
        most = us[trip] > most ? us[trip] : most;
        sum += us[trip];
    }
    const double average = sum / (double)trips;
    for (long trip = 0; trip < trips; trip++) {
        squares += (us[trip] - average) * (us[trip] - average);
    }
    const double sd = trips > 1 ? sqrt(squares / (double)(trips - 1)) : 0;
    printf("%ld,%ld,%.3f,%.3f,%.3f,%.3f\n", integers, trips, least, most, average, sd);
}

static void measure(int rank, int *message, long integers, double *us, long trips) {
    round_trips(rank, message, (int)integers, trips, us);
    if (rank == 0) line(integers, us, trips);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const int rank = rank_of_two();
    long from = 1, to = 10000, step = 1, trips = 50, named = 0, ranged = 0;
    for (int at = 1; at < argc; at++) {
        if (argv[at][0] != '-') {
            const long size = whole(argv[at], 0, INTEGERS_MOST);
            argv[named++] = argv[at];
            to = named == 1 || size > to ? size : to;
            continue;
        }
        ranged += strcmp(argv[at], "--trips") != 0;
        if (strcmp(argv[at], "--from") == 0) {
            from = number(argv, at, 0, INTEGERS_MOST);
        } else if (strcmp(argv[at], "--to") == 0) {
            to = number(argv, at, 0, INTEGERS_MOST);
        } else if (strcmp(argv[at], "--step") == 0) {
            step = number(argv, at, 1, INTEGERS_MOST);
        } else if (strcmp(argv[at], "--trips") == 0) {
            trips = number(argv, at, 1, TRIPS_MOST);
        } else {
            refuse(rank, "give sizes, --from, --to, --step or --trips, not", argv[at]);
        }
        at++;
    }
    if (named > 0 && ranged > 0) refuse(rank, "give sizes or a range, not both, at", argv[0]);
    if (named == 0 && from > to) refuse(rank, "--from must not be above", "--to");
    int *message = calloc((size_t)to + 1, sizeof *message);
    double *us = calloc((size_t)trips, sizeof *us);
    if (message == NULL || us == NULL) refuse(rank, "no memory for", "the messages");
    if (rank == 0) printf("integers,trips,min_us,max_us,average_us,sd_us\n");
    for (long at = 0; at < named; at++) {
        measure(rank, message, whole(argv[at], 0, INTEGERS_MOST), us, trips);
    }
    for (long size = from; named == 0 && size <= to; size += step) {
        measure(rank, message, size, us, trips);
    }
    free(us);
    free(message);
    MPI_Finalize();
    return 0;
}
