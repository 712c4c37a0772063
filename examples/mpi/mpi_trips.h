/* What mpi_pingpong.c and mpi_packetCheck.c share: round trips between two ranks, and numbers from
   the command line. Bad input ends both with exit code 2 and one line on standard error. */
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INTEGERS_MOST 100000000L
#define TRIPS_MOST 100000000L

static void refuse(int rank, const char *why, const char *what) {
    if (rank == 0) fprintf(stderr, "%s %s\n", why, what);
    MPI_Finalize();
    exit(2);
}

static int rank_of_two(void) {
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2) refuse(rank, "two processes are needed:", "mpirun -n 2");
    return rank;
}

/* A whole number between both ends. */
static long whole(const char *text, long least, long most) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < least || value > most) {
        refuse(rank, "not a number that is possible here:", text);
    }
    return value;
}

/* The number that belongs to the option at this place. */
static inline long number(char **argv, int at, long least, long most) {
    return whole(argv[at + 1] == NULL ? "none" : argv[at + 1], least, most);
}

/* There and back so many times. Rank 0 fills in what each took, in microseconds. */
static void round_trips(int rank, int *message, int integers, long trips, double *us) {
    for (long trip = 0; trip < trips; trip++) {
        if (rank == 0) {
            const double before = MPI_Wtime();
            MPI_Send(message, integers, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(message, integers, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            us[trip] = (MPI_Wtime() - before) * 1e6;
        } else {
            MPI_Recv(message, integers, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(message, integers, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
    }
}
