/* Delays that are known: planted CASE MILLISECONDS, on two ranks.
   late_sender: the receiver blocks for that long before the send.
   asleep: the message has arrived and its receive is posted, but the receiver makes no progress for that long.
   unexpected: the message has arrived, but its receive is posted that much later.
   rendezvous: a large send is blocked until the receive is posted that much later.
   waitall: the receiver waits in one call for two messages that are sent that late.
   In asleep and unexpected rank 0 stands in the barrier for as long. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 20
#define LARGE (4 << 20)

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *what = argc > 1 ? argv[1] : "late_sender";
    int pause_us = 1000 * (argc > 2 ? atoi(argv[2]) : 5);
    int bytes = strcmp(what, "rendezvous") ? 8 : LARGE;
    char *buffer = calloc(bytes, 1);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            if (!strcmp(what, "late_sender") || !strcmp(what, "waitall")) usleep(pause_us);
            MPI_Send(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            if (!strcmp(what, "waitall")) MPI_Send(buffer, bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
        } else if (rank == 1 && !strcmp(what, "waitall")) {
            MPI_Request requests[2];
            char more[8];
            MPI_Irecv(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[0]);
            MPI_Irecv(more, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        } else if (rank == 1 && !strcmp(what, "asleep")) {
            MPI_Request request;
            MPI_Irecv(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
            usleep(pause_us);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            if (strcmp(what, "late_sender")) usleep(pause_us);
            MPI_Recv(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    printf("rank %d done\n", rank);
    free(buffer);
    MPI_Finalize();
    return 0;
}
