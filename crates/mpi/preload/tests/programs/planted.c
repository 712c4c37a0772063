/* Delays that are known, on two ranks (others only align with them): planted KIND[,KIND...] MILLISECONDS [ROUNDS].
   late_sender: the receiver blocks for that long before the send.
   asleep: the message has arrived and its receive is posted, but the receiver makes no progress for that long.
   unexpected: the message has arrived, but its receive is posted that much later.
   rendezvous: a large send is blocked until the receive is posted that much later.
   waitall: the receiver waits in one call for two messages, the last of which is sent that late.
   bcast: the root is that late; reduce, allreduce, barrier: rank 1 is.
   In asleep and unexpected rank 0 stands in the next round's barrier for as long.
   With ROUNDS rank 0, and nobody else, says when each rank was where, by the one clock of the machine, in ns:
   "at KIND RANK ALIGNED POSTED ENTERED LEFT", where the round's barrier was entered, the receive posted, and
   the call in question entered and left. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LARGE (4 << 20)

static int rank, pause_ms;
static char *buffer, more[8];
static long long posted, entered, left;

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void pause_if(int late) {
    struct timespec t = {pause_ms / 1000, pause_ms % 1000 * 1000000L};
    if (late) nanosleep(&t, NULL);
}

static int is(const char *kind, const char *name) { return !strcmp(kind, name); }

static void send(const char *kind, int bytes) {
    if (is(kind, "waitall")) MPI_Send(more, 8, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    pause_if(is(kind, "late_sender") || is(kind, "waitall"));
    posted = entered = now();
    MPI_Send(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    left = now();
}

static void receive(const char *kind, int bytes) {
    MPI_Request requests[2];
    int many = is(kind, "waitall") ? 2 : 1;
    pause_if(is(kind, "unexpected") || is(kind, "rendezvous"));
    posted = entered = now();
    if (is(kind, "asleep") || many == 2) {
        MPI_Irecv(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[0]);
        if (many == 2) MPI_Irecv(more, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &requests[1]);
        pause_if(is(kind, "asleep"));
        entered = now();
        if (many == 2) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        else MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    } else MPI_Recv(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    left = now();
}

/* Whether the kind is one. */
static int collective(const char *kind) {
    int all = is(kind, "allreduce"), barrier = is(kind, "barrier"), bcast = is(kind, "bcast");
    int number = rank, sum;
    if (!all && !barrier && !bcast && !is(kind, "reduce")) return 0;
    pause_if(rank == !bcast);
    posted = entered = now();
    if (bcast) MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else if (all) MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else if (barrier) MPI_Barrier(MPI_COMM_WORLD);
    else MPI_Reduce(&number, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    left = now();
    return 1;
}

int main(int argc, char **argv) {
    static char said[1 << 16], by_all[64 << 16];
    char *end = said, all[256];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(all, sizeof all, "%s", argc > 1 ? argv[1] : "late_sender");
    pause_ms = argc > 2 ? atoi(argv[2]) : 5;
    int rounds = argc > 3 ? atoi(argv[3]) : 20;
    buffer = calloc(LARGE, 1);
    for (char *kind = strtok(all, ","); kind; kind = strtok(NULL, ","))
        for (int round = 0; round < rounds; round++) {
            int bytes = is(kind, "rendezvous") ? LARGE : 8;
            long long aligned = now();
            MPI_Barrier(MPI_COMM_WORLD);
            if (collective(kind)) ;
            else if (rank == 0) send(kind, bytes);
            else if (rank == 1) receive(kind, bytes);
            end += sprintf(end, "at %s %d %lld %lld %lld %lld\n", kind, rank, aligned, posted, entered, left);
        }
    if (argc > 3) {
        MPI_Gather(said, sizeof said, MPI_CHAR, by_all, sizeof said, MPI_CHAR, 0, MPI_COMM_WORLD);
        for (int other = 0; other < 64 && !rank; other++) fputs(by_all + other * sizeof said, stdout);
    } else printf("rank %d done\n", rank);
    free(buffer);
    MPI_Finalize();
    return 0;
}
