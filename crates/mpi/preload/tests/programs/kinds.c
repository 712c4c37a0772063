/* Every kind of call, one case a run: kinds CASE [NUMBER]. Prints what it computed, so that a traced run can be compared with an untraced one. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank, size;
static long sum;

static void add(int value) { sum = sum * 31 + value; }

static void blocking(int many) {
    for (int i = 0; i < many; i++) {
        int value = i;
        if (rank == 0) {
            MPI_Send(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
            MPI_Ssend(&value, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
        } else if (rank == 1) {
            MPI_Status status;
            MPI_Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            add(value);
            MPI_Recv(&value, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &status);
            add(status.MPI_SOURCE * 10 + status.MPI_TAG);
        }
    }
}

static void immediate(int many) {
    MPI_Request *requests = malloc(sizeof(MPI_Request) * 2 * (size_t)many);
    int *in = calloc(many, sizeof(int)), *out = calloc(many, sizeof(int));
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (int i = 0; i < many; i++) {
        out[i] = rank * 1000 + i;
        MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[2 * i]);
        MPI_Isend(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &requests[2 * i + 1]);
    }
    MPI_Waitall(2 * many, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < many; i++) add(in[i]);
    free(requests), free(in), free(out);
}

static void wildcard(int many) {
    if (rank == 0) {
        int total = 0;
        for (int i = 0; i < many * (size - 1); i++) {
            int value;
            if (i % 2) {
                MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                MPI_Request request;
                int index;
                MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
                MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
            }
            total += value;
        }
        add(total);
    } else {
        for (int i = 0; i < many; i++) {
            int value = rank + i;
            MPI_Send(&value, 1, MPI_INT, 0, 100 + rank, MPI_COMM_WORLD);
        }
    }
}

static void persistent(int many) {
    int out = 0, in = 0;
    MPI_Request requests[2];
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Send_init(&out, 1, MPI_INT, right, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&in, 1, MPI_INT, left, 7, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < many; i++) {
        MPI_Status statuses[2];
        out = i + rank;
        if (i % 2) MPI_Startall(2, requests);
        else MPI_Start(&requests[0]), MPI_Start(&requests[1]);
        MPI_Waitall(2, requests, statuses);
        add(in + statuses[1].MPI_TAG);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void cancelled(void) {
    int value = 0, flag;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    add(flag);
}

static void probes(int many) {
    for (int i = 0; i < many; i++) {
        int value = i;
        MPI_Message message;
        MPI_Status status;
        if (rank == 0) {
            for (int tag = 1; tag <= 4; tag++) MPI_Send(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
        } else if (rank == 1) {
            int flag = 0;
            MPI_Request request;
            MPI_Probe(0, 1, MPI_COMM_WORLD, &status);
            MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Mprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
            MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
            while (!flag) MPI_Improbe(0, 3, MPI_COMM_WORLD, &flag, &message, &status);
            MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            for (flag = 0; !flag;) MPI_Iprobe(0, 4, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            MPI_Recv(&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &status);
            add(value + status.MPI_TAG);
        }
    }
}

static void exchange(int many) {
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (int i = 0; i < many; i++) {
        int out = rank * 100 + i, in = -1;
        MPI_Sendrecv(&out, 1, MPI_INT, right, 3, &in, 1, MPI_INT, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv_replace(&in, 1, MPI_INT, right, 4, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        add(in);
    }
}

static void polls(int many) {
    for (int i = 0; i < many; i++) {
        int value = i, flag = 0;
        if (rank == 0) {
            usleep(2000);
            MPI_Send(&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
        } else if (rank == 1) {
            MPI_Request request;
            MPI_Irecv(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, &request);
            while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            add(value);
        }
    }
}

/* A request is looked at before and after its message came, and so is none. */
static void inspected(int many) {
    for (int i = 0; i < many; i++) {
        int value = i, flag = 0;
        if (rank == 0) {
            usleep(500);
            MPI_Send(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
        } else if (rank == 1) {
            MPI_Request request, none = MPI_REQUEST_NULL;
            MPI_Status status;
            MPI_Irecv(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &request);
            while (!flag) MPI_Request_get_status(request, &flag, i % 2 ? MPI_STATUS_IGNORE : &status);
            if (i % 2 == 0) add(status.MPI_SOURCE * 100 + status.MPI_TAG);
            MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
            add(flag);
            MPI_Wait(&request, &status);
            add(value + status.MPI_TAG);
            flag = 0;
            MPI_Request_get_status(none, &flag, MPI_STATUS_IGNORE);
            add(flag);
        }
    }
}

/* Rank r has r + 1 numbers for everybody. */
static void in_place(void) {
    int counts[3] = {1, 2, 3}, ones[3] = {1, 1, 1}, places[3] = {0, 1, 3}, bytes[3] = {0, 4, 8};
    int all[6] = {rank, rank, rank, rank, rank, rank};
    MPI_Datatype types[3] = {MPI_INT, MPI_INT, MPI_INT}, none = MPI_DATATYPE_NULL;
    MPI_Allgatherv(MPI_IN_PLACE, 0, none, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    MPI_Gatherv(rank ? all + places[rank] : MPI_IN_PLACE, counts[rank], MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, none, all, ones, places, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, all, ones, bytes, types, MPI_COMM_WORLD);
    for (int i = 0; i < 6; i++) add(all[i]);
}

/* Rank 0 and the others, whose first is rank 0 of its group as well. */
static void between_groups(void) {
    MPI_Comm half, both;
    int value = rank, sum = 0, root = rank ? 0 : MPI_ROOT, all[3] = {0}, *none = (int *)16;
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank ? 0 : 1, 9, &both);
    MPI_Bcast(&value, 1, MPI_INT, root, both);
    MPI_Gather(&value, 1, MPI_INT, rank ? none : all, 1, MPI_INT, root, both);
    MPI_Reduce(rank ? &value : none, rank ? none : &sum, 1, MPI_INT, MPI_SUM, root, both);
    MPI_Scatterv(rank ? none : all, rank ? none : (int[]){1, 1}, rank ? none : (int[]){0, 1}, MPI_INT, &value, 1, MPI_INT, root, both);
    add(value), add(sum), add(all[1]);
    MPI_Comm_free(&both), MPI_Comm_free(&half);
}

static void collectives(void) {
    int value = rank, total = 0, *all = calloc(size, sizeof(int));
    MPI_Request request;
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&rank, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Scatter(all, 1, MPI_INT, &value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    add(total), add(value), add(all[size - 1]);
    free(all);
    if (size == 3) in_place(), between_groups();
}

static void communicators(void) {
    for (int i = 0; i < 3; i++) {
        MPI_Comm twin, half, later, between;
        MPI_Request request;
        int value = rank, half_rank, half_size;
        MPI_Comm_dup(MPI_COMM_WORLD, &twin);
        MPI_Comm_split(twin, rank % 2, -rank, &half);
        MPI_Comm_rank(half, &half_rank);
        MPI_Comm_size(half, &half_size);
        int to = (half_rank + 1) % half_size, from = (half_rank + half_size - 1) % half_size;
        MPI_Sendrecv_replace(&value, 1, MPI_INT, to, 1, from, 1, half, MPI_STATUS_IGNORE);
        add(value);
        MPI_Comm_idup(half, &later, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Sendrecv_replace(&value, 1, MPI_INT, to, 2, from, 2, later, MPI_STATUS_IGNORE);
        add(value);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? (size - 1) / 2 * 2 : (size - 2) / 2 * 2 + 1, 12, &between);
        if (size % 2 == 0) {
            MPI_Sendrecv_replace(&value, 1, MPI_INT, half_rank, 3, half_rank, 3, between, MPI_STATUS_IGNORE);
            add(value);
        }
        MPI_Comm_free(&between);
        MPI_Comm_free(&later);
        MPI_Comm_free(&half);
        MPI_Comm_free(&twin);
    }
}

static void one_sided(void) {
    int value = rank, there = -1;
    MPI_Win window;
    MPI_Win_create(&there, sizeof there, sizeof there, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    add(there);
}

static void *thread_sends(void *number) {
    int value = *(int *)number, peer = rank ^ 1;
    for (int i = 0; i < 200; i++) {
        int in;
        MPI_Sendrecv(&value, 1, MPI_INT, peer, 40 + value, &in, 1, MPI_INT, peer, 40 + value, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return NULL;
}

static void threads(void) {
    pthread_t all[3];
    int numbers[3] = {0, 1, 2};
    if (rank > 1) return;
    for (int i = 0; i < 3; i++) pthread_create(&all[i], NULL, thread_sends, &numbers[i]);
    for (int i = 0; i < 3; i++) pthread_join(all[i], NULL);
}

static void forks(int many) {
    if (fork() == 0) {
        usleep(1000);
        exit(0);
    }
    blocking(many);
    wait(NULL);
}

static void nobody(int many) {
    struct timespec from, to;
    int value = 0;
    for (int i = 0; i < 10000; i++) MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < many; i++) MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    clock_gettime(CLOCK_MONOTONIC, &to);
    if (rank == 0) printf("%.2f ns a call\n", ((to.tv_sec - from.tv_sec) * 1e9 + (to.tv_nsec - from.tv_nsec)) / many);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "blocking";
    int many = argc > 2 ? atoi(argv[2]) : 10, provided;
    if (!strcmp(what, "threads")) MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(what, "blocking")) blocking(many);
    if (!strcmp(what, "immediate")) immediate(many);
    if (!strcmp(what, "wildcard")) wildcard(many);
    if (!strcmp(what, "persistent")) persistent(many);
    if (!strcmp(what, "cancel")) cancelled();
    if (!strcmp(what, "probes")) probes(many);
    if (!strcmp(what, "exchange")) exchange(many);
    if (!strcmp(what, "polls")) polls(many);
    if (!strcmp(what, "inspected")) inspected(many);
    if (!strcmp(what, "collectives")) collectives();
    if (!strcmp(what, "communicators")) communicators();
    if (!strcmp(what, "onesided")) one_sided();
    if (!strcmp(what, "threads")) threads();
    if (!strcmp(what, "forks")) forks(many);
    if (!strcmp(what, "nobody")) nobody(many);
    if (!strcmp(what, "abort") || !strcmp(what, "kill")) MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(what, "abort") && rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
    if (!strcmp(what, "kill") && rank == 1) raise(SIGKILL);
    if (!strcmp(what, "abort") || !strcmp(what, "hang") || !strcmp(what, "kill")) {
        int value;
        blocking(many);
        MPI_Recv(&value, 1, MPI_INT, (rank + 1) % size, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (strcmp(what, "nobody")) printf("rank %d of %d: %ld\n", rank, size, sum);
    fflush(stdout);
    MPI_Finalize();
    return !strcmp(what, "code") ? 3 : 0;
}
