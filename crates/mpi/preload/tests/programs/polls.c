/* Rank 1 gets 2 MB from rank 0 and polls: polls until|probe|pieces [MS].
   until, probe: rank 0 computes for 50 ms and sends; rank 1 computes for MS (100) between polls
   that end when the message has come. pieces: rank 0 sends at once; rank 1 computes 2000 times for
   20 us and polls after each, whatever has come, and then waits. Rank 1 prints how long that took,
   in s. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LONG 2000000

static char message[LONG];
static long between = 100;

static void sleeps(long ms) {
    struct timespec t = {0, ms * 1000000};
    nanosleep(&t, NULL);
}

static void computes(double s) {
    double until = MPI_Wtime() + s;
    while (MPI_Wtime() < until) {}
}

static void until(void) {
    MPI_Request request;
    int there = 0;
    MPI_Irecv(message, LONG, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &request);
    for (;;) {
        MPI_Test(&request, &there, MPI_STATUS_IGNORE);
        if (there) return;
        sleeps(between);
    }
}

static void probe(void) {
    int there = 0;
    for (;;) {
        MPI_Iprobe(0, 7, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        if (there) break;
        sleeps(between);
    }
    MPI_Recv(message, LONG, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void pieces(void) {
    MPI_Request request;
    int there;
    MPI_Irecv(message, LONG, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &request);
    for (int piece = 0; piece < 2000; piece++) {
        computes(20e-6);
        MPI_Test(&request, &there, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "until";
    int rank;
    if (argc > 2) between = atol(argv[2]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    double began = MPI_Wtime();
    if (rank == 0) {
        if (strcmp(how, "pieces")) sleeps(50);
        MPI_Send(message, LONG, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
    } else if (rank == 1) {
        strcmp(how, "pieces") ? strcmp(how, "probe") ? until() : probe() : pieces();
        printf("%.6f\n", MPI_Wtime() - began);
    }
    MPI_Finalize();
    return 0;
}
