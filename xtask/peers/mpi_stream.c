// One-way message rate over MPI: windows of non-blocking sends, each window acknowledged once.
//
//     mpicc -O2 mpi_stream.c -o mpi_stream -lm
//     mpirun -n 2 --bind-to core ./mpi_stream --size 8 --count 2000000
//
// The sender starts a window of MPI_Isend and waits for them all, then for a one-byte word that the receiver
// has its whole window: the usual way to measure the message rate of an MPI library. Nothing is recorded.

#include "peer.h"
#include <mpi.h>

enum { WINDOW_MAX = 1024, DATA = 0, ACK = 1 };

static MPI_Request requests[WINDOW_MAX];

static void send_windows(char *message, int size, int window, long windows) {
    char ack;
    for (long w = 0; w < windows; w++) {
        for (int i = 0; i < window; i++)
            MPI_Isend(message, size, MPI_BYTE, 1, DATA, MPI_COMM_WORLD, &requests[i]);
        MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
        MPI_Recv(&ack, 1, MPI_BYTE, 1, ACK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void receive_windows(char *messages, int size, int window, long windows) {
    char ack = 1;
    for (long w = 0; w < windows; w++) {
        for (int i = 0; i < window; i++)  // a place for each: MPI forbids two receives into one
            MPI_Irecv(messages + (size_t)i * (size_t)size, size, MPI_BYTE, 0, DATA, MPI_COMM_WORLD, &requests[i]);
        MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
        MPI_Send(&ack, 1, MPI_BYTE, 0, ACK, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    int rank = 0, ranks = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int size = (int)option(argc, argv, "--size", 8, 1, 1 << 20);
    int window = (int)option(argc, argv, "--window", 64, 1, WINDOW_MAX);
    long windows = option(argc, argv, "--count", 2000000, 1, 1000000000) / window + 1;
    long warm_up = option(argc, argv, "--warm-up", 20000, 0, 1000000000) / window;
    char *messages = calloc((size_t)window, (size_t)size);
    if (messages == NULL || ranks != 2) {
        fprintf(stderr, "wants two ranks: mpirun -n 2\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    void (*half)(char *, int, int, long) = rank == 0 ? send_windows : receive_windows;
    half(messages, size, window, warm_up);
    MPI_Barrier(MPI_COMM_WORLD);
    uint64_t start = monotonic_ns();
    half(messages, size, window, windows);
    uint64_t end = monotonic_ns();
    if (rank == 0) print_rate(windows * window, (double)(end - start) * 1e-9);
    MPI_Finalize();
    return 0;
}
