// MPI ping-pong in its plainest form: MPI_Send and MPI_Recv between two ranks, nothing recorded.
//
//     mpicc -O2 mpi_pingpong.c -o mpi_pingpong -lm
//     mpirun -n 2 --bind-to core ./mpi_pingpong --size 8 --count 200000
//
// Rank 0 reads the clock once a round trip.

#include "peer.h"
#include <mpi.h>

static void ask(char *message, int size, long warm_up, long count) {
    uint64_t *times = calloc((size_t)count, sizeof *times);
    if (times == NULL) die("calloc");
    memset(times, 1, (size_t)count * sizeof *times);  // touched now, not while measuring
    anchor start = anchor_now();
    uint64_t before = ticks();
    for (long i = 0; i < warm_up + count; i++) {
        MPI_Send(message, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(message, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        uint64_t now = ticks();
        if (i >= warm_up) times[i - warm_up] = now - before;
        before = now;
    }
    print_times("cycle", times, count, ns_per_tick(start, anchor_now()));
}

static void answer(char *message, int size, long rounds) {
    for (long i = 0; i < rounds; i++) {
        MPI_Recv(message, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(message, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    int rank = 0, ranks = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    long size = option(argc, argv, "--size", 8, 0, 1 << 26);
    long count = option(argc, argv, "--count", 200000, 1, 100000000);
    long warm_up = option(argc, argv, "--warm-up", 10000, 0, 100000000);
    char *message = calloc(1, (size_t)size + 1);
    if (message == NULL || ranks != 2) {
        fprintf(stderr, "wants two ranks: mpirun -n 2\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        ask(message, (int)size, warm_up, count);
    } else {
        answer(message, (int)size, warm_up + count);
    }
    MPI_Finalize();
    return 0;
}
