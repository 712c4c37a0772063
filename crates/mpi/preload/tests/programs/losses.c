/* Programs whose messages are easily lost from a record: losses CASE. Two ranks, or three; each case
   says on rank 0 how many messages there were: "messages N". */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define W MPI_COMM_WORLD
#define MOST 4096

static int rank, size, left, right;
static int out[MOST], in[MOST];

static int plain(int many) {
    for (int i = 0; i < many; i++) {
        MPI_Sendrecv(out, 1 + i % 7, MPI_INT, right, 1, in, MOST, MPI_INT, left, 1, W, MPI_STATUS_IGNORE);
    }
    return many * size;
}

/* Requests that are cancelled and given back at once: no call ever says what came of them. */
static int cancel(void) {
    int messages = 0;
    for (int i = 0; i < 100; i++) {
        if (rank == 1 && i % 10 == 0) {
            MPI_Request r;
            MPI_Irecv(in, MOST, MPI_INT, 0, 5, W, &r);
            MPI_Cancel(&r);
            MPI_Request_free(&r);
        }
        MPI_Barrier(W);
        if (rank == 0) MPI_Send(out, i + 1, MPI_INT, 1, 5, W);
        else if (rank == 1) MPI_Recv(in, MOST, MPI_INT, 0, 5, W, MPI_STATUS_IGNORE);
        messages++;
    }
    return messages;
}

/* A receive, or a send, that goes past everybody between the program and its library, with tag 5;
   others have another tag, or go the other way. */
static int past(int grows, int sends) {
    int (*receive)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *) = NULL;
    int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm) = NULL;
    const char *names[] = {"libmpi.so.40", "libmpich.so.12", "libmpi.so.12"};
    for (int i = 0; i < 3 && !receive; i++) {
        void *library = dlopen(names[i], RTLD_NOLOAD | RTLD_LAZY);
        if (library) *(void **)&receive = dlsym(library, "PMPI_Recv"), *(void **)&send = dlsym(library, "PMPI_Send");
    }
    for (int i = 0; i < 100; i++) {
        int many = grows ? i + 1 : 4;
        if (rank == 0) {
            (i == 10 && sends ? send : MPI_Send)(out, many, MPI_INT, 1, 5, W);
            MPI_Send(out, 1, MPI_INT, 1, 7, W);
            MPI_Recv(in, MOST, MPI_INT, 1, 6, W, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            (i == 10 && !sends ? receive : MPI_Recv)(in, MOST, MPI_INT, 0, 5, W, MPI_STATUS_IGNORE);
            MPI_Recv(in, MOST, MPI_INT, 0, 7, W, MPI_STATUS_IGNORE);
            MPI_Send(out, many, MPI_INT, 0, 6, W);
        }
    }
    return 300;
}

static int truncated(void) {
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    for (int i = 0; i < 40; i++) {
        MPI_Request r;
        MPI_Status s;
        int room = i % 2 ? 2 : MOST;
        MPI_Isend(out, 8 + i, MPI_INT, right, 1, W, &r);
        if (i % 4 < 2) MPI_Recv(in, room, MPI_INT, left, 1, W, MPI_STATUS_IGNORE);
        else {
            MPI_Request mine;
            MPI_Irecv(in, room, MPI_INT, MPI_ANY_SOURCE, 1, W, &mine);
            MPI_Wait(&mine, &s);
        }
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Barrier(W);
    }
    return 40 * size;
}

/* Each world exchanges messages of its own, and one goes between the first of both. */
static int spawned(char *self) {
    MPI_Comm other;
    char *arguments[] = {"spawned", NULL};
    MPI_Comm_get_parent(&other);
    int is_child = other != MPI_COMM_NULL;
    if (!is_child) MPI_Comm_spawn(self, arguments, 2, MPI_INFO_NULL, 0, W, &other, MPI_ERRCODES_IGNORE);
    int messages = plain(is_child ? 30 : 20);
    if (rank == 0 && is_child) MPI_Send(out, 1, MPI_INT, 0, 9, other);
    else if (rank == 0) MPI_Recv(in, 1, MPI_INT, 0, 9, other, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&other);
    return is_child ? -2 : messages + 30 * 2 + 1;
}

#if MPI_VERSION >= 4
static int large(void) {
    for (int i = 0; i < 20; i++) {
        MPI_Request r;
        MPI_Isend_c(out, 5, MPI_INT, right, 1, W, &r);
        MPI_Recv_c(in, 5, MPI_INT, left, 1, W, MPI_STATUS_IGNORE);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    return 20 * size;
}

/* Behind other requests, whose statuses a library may leave in these. */
static int both(void) {
    MPI_Request r;
    MPI_Comm other;
    MPI_Comm_dup(W, &other);
    int before = plain(10);
    for (int i = 0; i < 50; i++) {
        MPI_Isendrecv(out, i, MPI_INT, right, 1, in, MOST, MPI_INT, left, 1, other, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Isendrecv_replace(in, 5, MPI_INT, right, 2, left, 2, W, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&other);
    return 100 * size + before + plain(10);
}

static int from_any(void) {
    MPI_Request r;
    for (int i = 0; i < 20; i++) {
        MPI_Isendrecv(out, i, MPI_INT, right, 1, in, MOST, MPI_INT, MPI_ANY_SOURCE, 1, W, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    return 20 * size;
}

static int parts(void) {
    MPI_Request r[2];
    MPI_Psend_init(out, 4, 100, MPI_INT, right, 1, W, MPI_INFO_NULL, &r[0]);
    MPI_Precv_init(in, 4, 100, MPI_INT, left, 1, W, MPI_INFO_NULL, &r[1]);
    for (int i = 0; i < 20; i++) {
        MPI_Startall(2, r);
        for (int part = 0; part < 4; part++) MPI_Pready(part, r[0]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&r[0]), MPI_Request_free(&r[1]);
    return 20 * size + plain(10);
}

/* The last part of a message is ready late: its receiver waits for that. */
static int late_parts(void) {
    MPI_Request r;
    if (rank == 0) MPI_Psend_init(out, 2, 100, MPI_INT, 1, 1, W, MPI_INFO_NULL, &r);
    else MPI_Precv_init(in, 2, 100, MPI_INT, 0, 1, W, MPI_INFO_NULL, &r);
    for (int i = 0; i < 5; i++) {
        MPI_Barrier(W);
        MPI_Start(&r);
        if (rank == 0) MPI_Pready(0, r), usleep(20000), MPI_Pready(1, r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&r);
    return 5;
}

/* The root of a broadcast starts it late. */
static int prepared(void) {
    MPI_Request r;
    MPI_Bcast_init(in, 4, MPI_INT, 0, W, MPI_INFO_NULL, &r);
    for (int i = 0; i < 5; i++) {
        MPI_Barrier(W);
        if (rank == 0) usleep(20000);
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&r);
    return 0;
}

static int session(void) {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "losses", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank), MPI_Comm_size(comm, &size);
    for (int i = 0; i < 10; i++) {
        MPI_Sendrecv(out, 3, MPI_INT, (rank + 1) % size, 1, in, 3, MPI_INT, (rank + size - 1) % size, 1, comm, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&comm), MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return 10 * size;
}
#endif

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "plain";
    int messages = -1;
#define CASE(name, call) if (!strcmp(what, name)) messages = call;
#if MPI_VERSION >= 4
    CASE("session", session())
#endif
    if (messages < 0) {
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(W, &rank), MPI_Comm_size(W, &size);
        left = (rank + size - 1) % size, right = (rank + 1) % size;
        CASE("plain", plain(50)) CASE("cancel", cancel()) CASE("sizes", past(1, 0))
        CASE("times", past(0, 1)) CASE("over", past(0, 0)) CASE("truncated", truncated()) CASE("spawned", spawned(argv[0]))
#if MPI_VERSION >= 4
        CASE("large", large()) CASE("both", both()) CASE("from_any", from_any()) CASE("parts", parts())
        CASE("late-parts", late_parts()) CASE("prepared", prepared())
#endif
        MPI_Finalize();
    }
    if (rank == 0 && messages >= 0) printf("messages %d\n", messages);
    return 0;
}
