/* Time that ranks are blocked, as it is planted: blocked CASE MILLISECONDS [ROUNDS].
   One rank sleeps for that long before its part of each round. When each rank entered and left the call
   in question is measured by the one clock of the machine, so that rank 0 can say what the truth is:
   "truth WAIT ns" for each wait, as fourstamp names it, and for each collective function.
     sendrecv    2 ranks exchange 64 bytes; rank 1 is late.
     ring        every rank sends 1 MiB to the right in MPI_Sendrecv; the last is late.
     waitall     rank 0 waits for messages of all others, rank R of which is late by R times as long.
     isends      rank 0 starts a large send to each of the others, which receive late by R times as long.
     probe       rank 1 probes for a message that is sent late.
     rendezvous  rank 0 sends 1 MiB; rank 1 receives late.
     lying       a message of 64 bytes arrives; its receive is posted late.
     lyingisend  the same, sent without blocking.
     bcast, scatter: the root is late; bcastchild: a rank that is not the root is.
       neighbor, neighbordist: 1 is late; its neighbours wait, on a ring and on one that goes one way.
   reduce, gather, allreduce, alltoall, barrier, scan, ibarrier, fence: rank 1 is late.
   On a window of 2 ranks:
     pscw_post     rank 0 puts something into that of rank 1, which posts it late.
     pscw_complete the same; rank 0 completes it late.
     lock          rank 1 holds an exclusive lock of that of rank 0, and rank 0 wants one too.
     lockplain     the same, and nothing is moved.
     lockshared    rank 0 wants a shared lock; lockall: of all ranks.
     lockreader    rank 1 holds a shared one, and rank 0 wants an exclusive one.
     lockreaders   both are shared, so nobody waits for a lock.
     progress      rank 0 puts something into that of rank 1, which is outside MPI and holds no lock. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LARGE (1 << 20)

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void compute(double ms) {
    struct timespec t = {(time_t)(ms / 1e3), (long)((ms - 1e3 * (long)(ms / 1e3)) * 1e6)};
    nanosleep(&t, NULL);
}

#define ROUNDS_MOST 1000

static int rank, size;
static MPI_Comm ring; /* each rank's neighbours: both sides, or in neighbordist the one before it */
static MPI_Win window;
static char *in, *out;
#define PAIRS 3
static long long entered[ROUNDS_MOST][2 * PAIRS]; /* the call in question, the barrier after it, the end of its epoch */

static int is(const char *what, const char *name) { return !strcmp(what, name); }

static void messages(const char *what) {
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Request requests[64];
    if (is(what, "sendrecv")) {
        int to = 1 - rank;
        MPI_Sendrecv(out, 64, MPI_BYTE, to, 1, in, 64, MPI_BYTE, to, 1, world, MPI_STATUS_IGNORE);
    } else if (is(what, "ring")) {
        int to = (rank + 1) % size, from = (rank + size - 1) % size;
        MPI_Sendrecv(out, LARGE, MPI_BYTE, to, 1, in, LARGE, MPI_BYTE, from, 1, world, MPI_STATUS_IGNORE);
    } else if (is(what, "waitall")) {
        for (int r = 1; !rank && r < size; r++) MPI_Irecv(in + 64 * r, 64, MPI_BYTE, r, 1, world, requests + r - 1);
        if (rank) MPI_Send(out, 64, MPI_BYTE, 0, 1, world);
        else MPI_Waitall(size - 1, requests, MPI_STATUSES_IGNORE);
    } else if (is(what, "isends")) {
        for (int r = 1; !rank && r < size; r++) MPI_Isend(out, LARGE, MPI_BYTE, r, 1, world, requests + r - 1);
        if (rank) MPI_Recv(in, LARGE, MPI_BYTE, 0, 1, world, MPI_STATUS_IGNORE);
        else MPI_Waitall(size - 1, requests, MPI_STATUSES_IGNORE);
    } else {
        int bytes = is(what, "rendezvous") ? LARGE : 64;
        if (rank == 0 && is(what, "lyingisend")) {
            MPI_Isend(out, bytes, MPI_BYTE, 1, 1, world, requests);
            MPI_Wait(requests, MPI_STATUS_IGNORE);
        } else if (rank == 0) MPI_Send(out, bytes, MPI_BYTE, 1, 1, world);
        if (rank == 1 && is(what, "probe")) MPI_Probe(0, 1, world, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Recv(in, bytes, MPI_BYTE, 0, 1, world, MPI_STATUS_IGNORE);
    }
}

static int windowed(const char *what) { return !strncmp(what, "pscw", 4) || !strncmp(what, "lock", 4) || is(what, "progress"); }

static void put(int target) { MPI_Put(out, 64, MPI_BYTE, target, 0, 64, MPI_BYTE, window); }

/* Stamps by itself when the calls in question are entered. */
static void epochs(const char *what, double ms, MPI_Group other, long long *stamps) {
    if (!strncmp(what, "pscw", 4)) {
        stamps[0] = now();
        if (rank) MPI_Win_post(other, 0, window);
        else MPI_Win_start(other, 0, window), put(1);
        if (!rank && is(what, "pscw_complete")) compute(ms);
        stamps[4] = now();
        if (rank) MPI_Win_wait(window);
        else MPI_Win_complete(window);
        stamps[5] = now();
        return;
    }
    int plain = is(what, "lockplain"), shared = !strncmp(what, "lockreader", 10), wants_shared = is(what, "lockshared") || is(what, "lockreaders");
    if (is(what, "progress")) {
        compute(rank ? ms : ms / 4);
        stamps[0] = now();
        if (!rank) MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window), put(1), MPI_Win_unlock(1, window);
        return;
    }
    if (rank) MPI_Win_lock(shared ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, window);
    if (rank && !plain) put(0), MPI_Win_flush(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank) compute(ms);
    stamps[0] = now();
    if (rank) MPI_Win_unlock(0, window);
    else if (is(what, "lockall")) MPI_Win_lock_all(0, window), put(0), MPI_Win_unlock_all(window);
    else {
        MPI_Win_lock(wants_shared ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, window);
        if (!plain) put(0);
        MPI_Win_unlock(0, window);
    }
}

static const char *collective(const char *what, int doing) {
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Request request;
    int a = rank, b = 0;
    if (is(what, "bcast") || is(what, "bcastchild")) return doing ? MPI_Bcast(&a, 1, MPI_INT, 0, world), "" : "MPI_Bcast";
    if (is(what, "reduce")) return doing ? MPI_Reduce(&a, &b, 1, MPI_INT, MPI_SUM, 0, world), "" : "MPI_Reduce";
    if (is(what, "gather")) return doing ? MPI_Gather(&a, 1, MPI_INT, in, 1, MPI_INT, 0, world), "" : "MPI_Gather";
    if (is(what, "scatter")) return doing ? MPI_Scatter(out, 1, MPI_INT, &b, 1, MPI_INT, 0, world), "" : "MPI_Scatter";
    if (is(what, "allreduce")) return doing ? MPI_Allreduce(&a, &b, 1, MPI_INT, MPI_SUM, world), "" : "MPI_Allreduce";
    if (is(what, "alltoall")) return doing ? MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, world), "" : "MPI_Alltoall";
    if (is(what, "barrier")) return doing ? MPI_Barrier(world), "" : "MPI_Barrier";
    if (is(what, "fence")) {
        if (doing) MPI_Win_fence(0, window);
        return "MPI_Win_fence";
    }
    if (is(what, "scan")) return doing ? MPI_Scan(&a, &b, 1, MPI_INT, MPI_SUM, world), "" : "MPI_Scan";
    if (!strncmp(what, "neighbor", 8)) return doing ? MPI_Neighbor_allgather(&a, 1, MPI_INT, in, 1, MPI_INT, ring), "" : "MPI_Neighbor_allgather";
    if (is(what, "ibarrier")) {
        if (doing) MPI_Ibarrier(world, &request), MPI_Wait(&request, MPI_STATUS_IGNORE);
        return "MPI_Ibarrier";
    }
    return NULL;
}

static double late(const char *what, double ms) {
    if (windowed(what) && !is(what, "pscw_post")) return 0;
    if (is(what, "waitall") || is(what, "isends")) return ms * rank;
    if (is(what, "probe") || is(what, "bcast") || is(what, "scatter")) return rank ? 0 : ms;
    if (is(what, "ring")) return rank == size - 1 ? ms : 0;
    return rank == 1 ? ms : 0;
}

/* On whose entering rank R depends: bit by bit. */
static int depends(const char *what, int r, int on) {
    if (r == on) return 0;
    if (is(what, "sendrecv")) return 1;
    if (is(what, "late-complete")) return r == 1;
    if (is(what, "lockreaders") || is(what, "progress")) return 0;
    if (windowed(what)) return r == 0;
    if (is(what, "neighbordist")) return on == (r + size - 1) % size;
    if (is(what, "ring") || is(what, "neighbor")) return on == (r + 1) % size || on == (r + size - 1) % size;
    if (is(what, "isends")) return r == 0 || on == 0;
    if (is(what, "waitall") || is(what, "reduce") || is(what, "gather")) return r == 0;
    if (is(what, "probe")) return r == 1;
    if (is(what, "rendezvous") || !strncmp(what, "lying", 5)) return r + on == 1;
    if (!strncmp(what, "bcast", 5) || is(what, "scatter")) return on == 0;
    if (is(what, "scan")) return on < r;
    return 1;
}

static const char *wait_of(const char *what, int r, int on) {
    if (collective(what, 0)) return collective(what, 0);
    if (!strncmp(what, "lying", 5)) return r == 0 ? "unexpected" : "late-sender";
    if (!strncmp(what, "pscw", 4)) return "late-post";
    if (is(what, "late-complete")) return what;
    if (windowed(what)) return "lock";
    int sends = (is(what, "rendezvous") || is(what, "isends")) && r == 0 || (is(what, "ring") && on == (r + 1) % size);
    return sends ? "late-receiver" : "late-sender";
}

#define CAUSES 5
static const char *const causes[CAUSES] = {"late-sender", "late-receiver", "late-post", "late-complete", "lock"};

static void tell(const char *what, int rounds, long long (*all)[ROUNDS_MOST][2 * PAIRS]) {
    long long sums[CAUSES + 2] = {0}; /* those, the case's own, the barriers' */
    const char *const of[PAIRS] = {what, "barrier", "late-complete"};
    for (int round = 0; round < rounds; round++)
        for (int r = 0; r < size; r++)
            for (int pair = 0; pair < PAIRS; pair++) {
                long long from = all[r][round][2 * pair], to = all[r][round][2 * pair + 1], until = from;
                int by = -1, is_barrier = pair == 1;
                for (int on = 0; on < size; on++)
                    if (depends(of[pair], r, on) && all[on][round][2 * pair] > until)
                        until = all[on][round][2 * pair], by = on;
                int lies = !pair && r == 0 && !strncmp(what, "lying", 5);
                if (until > to && !lies) until = to;
                if (by < 0) continue;
                int which = is_barrier ? CAUSES + 1 : CAUSES;
                for (int n = 0; n < CAUSES; n++)
                    if (!is_barrier && !strcmp(causes[n], wait_of(of[pair], r, by))) which = n;
                sums[which] += until - from;
            }
    if (is(what, "barrier")) sums[CAUSES + 1] += sums[CAUSES];
    else if (collective(what, 0) || !strncmp(what, "lying", 5)) printf("truth %s %lld\n", wait_of(what, 0, 1), sums[CAUSES]);
    for (int n = 0; n < CAUSES; n++) printf("truth %s %lld\n", causes[n], sums[n]);
    if (!windowed(what)) printf("truth MPI_Barrier %lld\n", sums[CAUSES + 1]);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *what = argc > 1 ? argv[1] : "sendrecv";
    double ms = argc > 2 ? atof(argv[2]) : 10;
    int rounds = argc > 3 ? atoi(argv[3]) : 10;
    in = calloc(64, LARGE / 32);
    out = calloc(64, LARGE / 32);
    int periodic = 1, before = (rank + size - 1) % size, after = (rank + 1) % size;
    if (is(what, "neighbor")) MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    MPI_Group world, other;
    int one = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (windowed(what)) MPI_Group_incl(world, 1, &one, &other);
    if (is(what, "fence") || windowed(what)) {
        MPI_Win_create(in, LARGE, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        if (is(what, "fence")) MPI_Win_fence(0, window);
        MPI_Barrier(MPI_COMM_WORLD); /* whoever was late so far */
    }
    if (is(what, "neighbordist"))
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &after, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    for (int round = 0; round < rounds; round++) {
        compute(late(what, ms));
        entered[round][0] = now();
        if (windowed(what)) epochs(what, ms, other, entered[round]);
        else if (collective(what, 0)) collective(what, 1);
        else messages(what);
        entered[round][1] = entered[round][2] = now();
        MPI_Barrier(MPI_COMM_WORLD);
        entered[round][3] = now();
    }
    long long (*all)[ROUNDS_MOST][2 * PAIRS] = calloc(size, sizeof entered);
    MPI_Allgather(entered, sizeof entered, MPI_BYTE, all, sizeof entered, MPI_BYTE, MPI_COMM_WORLD);
    if (!rank) tell(what, rounds, all);
    if (is(what, "fence") || windowed(what)) MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
