/* A chain of ranks, each of which waits for the one before it: chain MILLISECONDS [ROUNDS].
   In each round rank 0 sleeps for that long and sends; rank R receives from R - 1, sleeps for a quarter of
   that if it is rank 1, and sends on. The last rank sleeps for half of it before it receives. A barrier
   ends the round. When each rank entered each call is measured by the one clock of the machine, so that
   rank 0 can say the truth: "truth RANK ns" is the blocked time of all ranks that goes back to RANK,
   which kept the others waiting and did not wait itself. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS_MOST 1000
#define RANKS_MOST 64

/* The barrier before the round, its receive, its send; of the last one, the barrier and the gathering. */
static long long entered[ROUNDS_MOST + 1][3];
static long long all[RANKS_MOST][ROUNDS_MOST + 1][3];
static long long truth[RANKS_MOST];

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void compute(double ms) {
    struct timespec t = {(time_t)(ms / 1e3), (long)((ms - 1e3 * (long)(ms / 1e3)) * 1e6)};
    nanosleep(&t, NULL);
}

/* Somebody waited for AT from FROM to TO; in ROUND, AT waited for the one before it until that sent. */
static void credit(int at, long long from, long long to, int round) {
    if (to <= from) return;
    for (; at > 0 && round >= 0; at--) {
        long long received = all[at][round][1], sent = all[at - 1][round][2];
        if (sent <= received || sent <= from) break;
        if (sent < to) truth[at] += to - sent, to = sent;
    }
    truth[at] += to - from;
}

static void tell(int size, int rounds) {
    for (int round = 0; round <= rounds; round++) {
        int last = 0;
        for (int r = 1; r < size; r++)
            if (all[r][round][0] > all[last][round][0]) last = r;
        for (int r = 0; r < size; r++) credit(last, all[r][round][0], all[last][round][0], round - 1);
        for (int r = 1; round < rounds && r < size; r++)
            credit(r - 1, all[r][round][1], all[r - 1][round][2], round);
    }
    int last = 0; /* to enter the gathering, for which its root waits */
    for (int r = 1; r < size; r++)
        if (all[r][rounds][1] > all[last][rounds][1]) last = r;
    truth[last] += all[last][rounds][1] - all[0][rounds][1];
    for (int r = 0; r < size; r++) printf("truth %d %lld\n", r, truth[r]);
}

int main(int argc, char **argv) {
    int rank, size, value = 0;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    double ms = argc > 1 ? atof(argv[1]) : 20;
    int rounds = argc > 2 ? atoi(argv[2]) : 8;
    if (rounds > ROUNDS_MOST || size > RANKS_MOST) return 2;
    for (int round = 0; round <= rounds; round++) {
        entered[round][0] = now();
        MPI_Barrier(world);
        if (round == rounds) break;
        compute(rank == 0 ? ms : rank == size - 1 ? ms / 2 : 0);
        entered[round][1] = now();
        if (rank > 0) MPI_Recv(&value, 1, MPI_INT, rank - 1, round, world, MPI_STATUS_IGNORE);
        if (rank == 1) compute(ms / 4);
        entered[round][2] = now();
        if (rank < size - 1) MPI_Send(&value, 1, MPI_INT, rank + 1, round, world);
    }
    entered[rounds][1] = now();
    MPI_Gather(entered, sizeof entered, MPI_BYTE, all, sizeof entered, MPI_BYTE, 0, world);
    if (!rank) tell(size, rounds);
    MPI_Finalize();
    return 0;
}
