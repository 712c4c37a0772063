/* Every function of MPI that the tracer knows, with every kind of argument that it allows, one case
   a run: every CASE. Each rank prints a sum of all that it received and was told, so that a traced
   run can be compared with an untraced one. Three ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define W MPI_COMM_WORLD
#define MOST 16
#define ROOM (1 << 16)
#define NOWHERE ((void *)16)

static int rank, size, left, right, inter_local, times = 2;
static unsigned long sum = 1;
static int out[MOST], in[MOST];

static void note(long value) { sum = sum * 1099511628211u + (unsigned long)value; }

static void fill(void) {
    for (int i = 0; i < MOST; i++) out[i] = 100 * rank + i, in[i] = -1 - i;
}

/* What was received, and what is told of it. */
static void seen(MPI_Status *status) {
    for (int i = 0; i < MOST; i++) note(in[i]);
    if (status) {
        int count;
        MPI_Get_count(status, MPI_INT, &count);
        note(status->MPI_SOURCE), note(status->MPI_TAG), note(count);
    }
}

static void ended(MPI_Request *request, int read) {
    MPI_Wait(request, MPI_STATUS_IGNORE);
    if (read) seen(NULL);
}

#define F(name) MPI_##name
#define N(name) name
#define COUNT int
#define DISP int
#include "every_counts.h"
#undef F
#undef N
#undef COUNT
#undef DISP
#if MPI_VERSION >= 4
#define F(name) MPI_##name##_c
#define N(name) name##_c
#define COUNT MPI_Count
#define DISP MPI_Aint
#include "every_counts.h"
#define BOTH(name, ...) name(__VA_ARGS__), name##_c(__VA_ARGS__)
#else
#define BOTH(name, ...) name(__VA_ARGS__)
#endif

static void messages(void) {
    BOTH(sends), BOTH(receives);
}

static void probing(void) {
    MPI_Request r;
    MPI_Message message;
    MPI_Status s;
    int flag;
    fill();
    MPI_Isend(out, 4, MPI_INT, right, 1, W, &r);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, W, &s), seen(&s);
    MPI_Probe(left, 1, W, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;) MPI_Iprobe(left, 1, W, &flag, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;) MPI_Improbe(left, MPI_ANY_TAG, W, &flag, &message, &s);
    MPI_Mrecv(in, 4, MPI_INT, &message, MPI_STATUS_IGNORE), seen(&s);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Iprobe(MPI_PROC_NULL, 1, W, &flag, &s), note(flag), seen(&s);
    MPI_Probe(MPI_PROC_NULL, 1, W, &s), seen(&s);
    MPI_Improbe(MPI_PROC_NULL, 1, W, &flag, &message, MPI_STATUS_IGNORE), note(flag);
    MPI_Mrecv(in, 4, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, W, &flag, &s), note(flag);
}

/* Null, inactive, and live requests, with and without statuses. */
static void requests(void) {
    MPI_Request all[4], lasting;
    MPI_Status s[4];
    int index, flag, many, indices[4];
    for (int i = 0; i < 4; i++) all[i] = MPI_REQUEST_NULL;
    MPI_Recv_init(in, 4, MPI_INT, left, 6, W, &lasting);
    for (int inactive = 0; inactive < 2; inactive++) {
        MPI_Request one = inactive ? lasting : MPI_REQUEST_NULL;
        all[0] = one;
        MPI_Wait(&one, &s[0]), seen(&s[0]);
        MPI_Wait(&one, MPI_STATUS_IGNORE);
        MPI_Test(&one, &flag, &s[0]), note(flag), seen(&s[0]);
        MPI_Test(&one, &flag, MPI_STATUS_IGNORE), note(flag);
        MPI_Request_get_status(one, &flag, &s[0]), note(flag), seen(&s[0]);
        MPI_Request_get_status(one, &flag, MPI_STATUS_IGNORE), note(flag);
        MPI_Waitall(4, all, s), seen(&s[3]);
        MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
        MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
        MPI_Testall(4, all, &flag, s), note(flag), seen(&s[0]);
        MPI_Testall(4, all, &flag, MPI_STATUSES_IGNORE), note(flag);
        MPI_Waitany(4, all, &index, &s[0]), note(index), seen(&s[0]);
        MPI_Waitany(4, all, &index, MPI_STATUS_IGNORE), note(index);
        MPI_Testany(4, all, &index, &flag, &s[0]), note(index), note(flag), seen(&s[0]);
        MPI_Testany(4, all, &index, &flag, MPI_STATUS_IGNORE), note(index), note(flag);
        MPI_Waitsome(4, all, &many, indices, s), note(many);
        MPI_Waitsome(4, all, &many, indices, MPI_STATUSES_IGNORE), note(many);
        MPI_Testsome(4, all, &many, indices, s), note(many);
        MPI_Testsome(4, all, &many, indices, MPI_STATUSES_IGNORE), note(many);
    }
    for (int how = 0; how < 8; how++) {
        MPI_Status *own = how % 2 ? MPI_STATUSES_IGNORE : s;
        int done = 0;
        fill();
        all[0] = MPI_REQUEST_NULL;
        all[1] = lasting;
        MPI_Start(&all[1]);
        MPI_Isend(out, 4, MPI_INT, right, 6, W, &all[2]);
        MPI_Irecv(in + 8, 4, MPI_INT, MPI_ANY_SOURCE, 7, W, &all[3]);
        MPI_Request later;
        MPI_Barrier(W);
        MPI_Isend(out, 3, MPI_INT, right, 7, W, &later);
        if (how / 2 == 0) while (done < 3) MPI_Waitany(4, all, &index, own), done++;
        if (how / 2 == 1) while (done < 3) MPI_Waitsome(4, all, &many, indices, own), done += many;
        if (how / 2 == 2) while (done < 3) MPI_Testsome(4, all, &many, indices, own), done += many;
        if (how / 2 == 3) {
            for (flag = 0; !flag;) MPI_Request_get_status(all[3], &flag, own ? own : MPI_STATUS_IGNORE);
            while (done < 3) {
                MPI_Testany(4, all, &index, &flag, own);
                if (flag && index != MPI_UNDEFINED) done++;
            }
        }
        for (flag = 0; !flag;) MPI_Testall(1, &later, &flag, MPI_STATUSES_IGNORE);
        seen(NULL);
    }
    MPI_Request_free(&lasting);
    MPI_Irecv(in, 4, MPI_INT, left, 8, W, &all[0]);
    MPI_Cancel(&all[0]);
    MPI_Wait(&all[0], &s[0]);
    MPI_Test_cancelled(&s[0], &flag), note(flag);
    MPI_Irecv(in, 4, MPI_INT, left, 8, W, &all[0]);
    MPI_Cancel(&all[0]);
    MPI_Request_free(&all[0]);
    MPI_Isend(out, 0, MPI_INT, right, 9, W, &all[0]);
    MPI_Request_free(&all[0]);
    MPI_Recv(in, 0, MPI_INT, left, 9, W, MPI_STATUS_IGNORE);
}

static int nothing_to_tell(void *state, MPI_Status *status) {
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED, status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}
static int nothing_to_free(void *state) { return MPI_SUCCESS; }
static int nothing_to_cancel(void *state, int complete) { return MPI_SUCCESS; }

static void own_requests(void) {
    MPI_Request r;
    MPI_Status s;
    MPI_Grequest_start(nothing_to_tell, nothing_to_free, nothing_to_cancel, NULL, &r);
    MPI_Grequest_complete(r);
    MPI_Wait(&r, &s);
    note(s.MPI_TAG);
}

static void collective(void) {
    MPI_Request r;
    BOTH(arrays), BOTH(collectives);
    MPI_Barrier(W);
    MPI_Ibarrier(W, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
#if MPI_VERSION >= 4
    MPI_Barrier_init(W, MPI_INFO_NULL, &r);
    for (int i = 0; i < 3; i++) MPI_Start(&r), MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Request_free(&r);
#endif
    MPI_Reduce_local(out, in, 4, MPI_INT, MPI_SUM), seen(NULL);
}

static void neighbouring(void) {
    MPI_Comm comm;
    int periods = 1, index[] = {2, 4, 6}, edges[] = {1, 2, 0, 2, 0, 1}, degree = 1;
    BOTH(arrays);
    MPI_Cart_create(W, 1, &size, &periods, 0, &comm);
    BOTH(neighbours, comm);
    MPI_Comm_free(&comm);
    MPI_Graph_create(W, 3, index, edges, 0, &comm);
    BOTH(neighbours, comm);
    MPI_Comm_free(&comm);
    MPI_Dist_graph_create(W, 1, &rank, &degree, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    BOTH(neighbours, comm);
    MPI_Comm_free(&comm);
    MPI_Dist_graph_create_adjacent(W, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    BOTH(neighbours, comm);
    MPI_Comm_free(&comm);
}

static void talk(MPI_Comm comm) {
    int at, many, other = -1;
    if (comm == MPI_COMM_NULL) return;
    MPI_Comm_rank(comm, &at);
    MPI_Comm_size(comm, &many);
    MPI_Sendrecv(&rank, 1, MPI_INT, (at + 1) % many, 1, &other, 1, MPI_INT, (at + many - 1) % many, 1, comm, MPI_STATUS_IGNORE);
    note(other);
}

static void communicators(void) {
    MPI_Comm comm, local, both, merged;
    MPI_Group group;
    MPI_Request r;
    MPI_Info info;
    int dims[] = {3, 1}, periods[] = {1, 0}, remain[] = {1, 0};
    MPI_Info_create(&info);
    MPI_Comm_group(W, &group);
    MPI_Comm_dup(W, &comm), talk(comm), MPI_Comm_disconnect(&comm);
    MPI_Comm_dup_with_info(W, info, &comm), talk(comm), MPI_Comm_free(&comm);
    MPI_Comm_idup(W, &comm, &r), MPI_Wait(&r, MPI_STATUS_IGNORE), talk(comm);
    MPI_Comm_set_info(comm, info), MPI_Comm_free(&comm);
    MPI_Comm_create(W, group, &comm), talk(comm), MPI_Comm_free(&comm);
    MPI_Comm_create_group(W, group, 3, &comm), talk(comm), MPI_Comm_free(&comm);
    MPI_Comm_split(W, rank == 1 ? MPI_UNDEFINED : 5, -rank, &comm), talk(comm);
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
    MPI_Comm_split_type(W, MPI_COMM_TYPE_SHARED, 0, info, &comm), talk(comm), MPI_Comm_free(&comm);
    MPI_Cart_create(W, 2, dims, periods, 0, &comm), talk(comm);
    MPI_Cart_sub(comm, remain, &local), talk(local), MPI_Comm_free(&local), MPI_Comm_free(&comm);
    MPI_Comm_split(W, rank > 0, 0, &local);
    MPI_Intercomm_create(local, 0, W, rank ? 0 : 1, 9, &both);
    inter_local = rank ? 2 : 1;
    BOTH(arrays), BOTH(between, both);
    fill();
    if (rank == 0) MPI_Recv(in, 4, MPI_INT, MPI_ANY_SOURCE, 5, both, MPI_STATUS_IGNORE);
    else if (rank == 2) MPI_Send(out, 4, MPI_INT, 0, 5, both);
    seen(NULL);
    MPI_Barrier(both);
    MPI_Ibarrier(both, &r), MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Intercomm_merge(both, rank > 0, &merged), talk(merged);
    MPI_Comm_free(&merged), MPI_Comm_free(&both), MPI_Comm_free(&local);
    talk(MPI_COMM_SELF);
#if MPI_VERSION >= 4
    MPI_Comm_idup_with_info(W, info, &comm, &r), MPI_Wait(&r, MPI_STATUS_IGNORE);
    talk(comm), MPI_Comm_free(&comm);
    MPI_Comm_create_from_group(group, "every", info, MPI_ERRORS_ARE_FATAL, &comm);
    talk(comm), MPI_Comm_free(&comm);
#endif
    MPI_Group_free(&group), MPI_Info_free(&info);
}

static void one_sided(void) {
    MPI_Win win;
    MPI_Aint bytes;
    MPI_Group group, all;
    int *base, unit, flag, value = rank + 5, got = -1, compare = 0;
    BOTH(windows);
    MPI_Win_create_dynamic(MPI_INFO_NULL, W, &win);
    MPI_Win_attach(win, out, sizeof out);
    MPI_Barrier(W);
    MPI_Win_detach(win, out);
    MPI_Win_free(&win);
    MPI_Win_allocate_shared(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, W, &base, &win);
    MPI_Win_shared_query(win, rank, &bytes, &unit, &base), note(bytes), note(unit);
    for (int i = 0; i < 8; i++) base[i] = 0;
    MPI_Info info;
    MPI_Info_create(&info), MPI_Win_set_info(win, info), MPI_Info_free(&info);
    MPI_Barrier(W);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win);
    MPI_Fetch_and_op(&value, &got, MPI_INT, right, 0, MPI_SUM, win);
    MPI_Win_flush(right, win);
    MPI_Compare_and_swap(&value, &compare, &got, MPI_INT, right, 1, win);
    MPI_Win_flush_local(right, win);
    MPI_Win_unlock(right, win);
    note(got);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    MPI_Win_flush_local_all(win), MPI_Win_sync(win), MPI_Win_flush_all(win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(W);
    note(base[0]), note(base[1]);
    MPI_Win_get_group(win, &all), MPI_Group_free(&all);
    MPI_Win_free(&win);
    MPI_Win_create(in, sizeof in, sizeof(int), MPI_INFO_NULL, W, &win);
    MPI_Comm_group(W, &all);
    fill();
    for (int tests = 0; tests < 2; tests++) {
        MPI_Group to, from;
        MPI_Group_incl(all, 1, &right, &to), MPI_Group_incl(all, 1, &left, &from);
        MPI_Win_post(from, 0, win);
        MPI_Win_start(to, 0, win);
        MPI_Put(&value, 1, MPI_INT, right, tests, 1, MPI_INT, win);
        MPI_Win_complete(win);
        if (tests) for (flag = 0; !flag;) MPI_Win_test(win, &flag);
        else MPI_Win_wait(win);
        MPI_Group_free(&to), MPI_Group_free(&from);
    }
    seen(NULL);
    MPI_Group_free(&all);
    MPI_Win_free(&win);
}

static void file(const char *path) {
    MPI_File fh;
    MPI_Offset at;
    MPI_Datatype etype, filetype;
    MPI_Info info;
    char view[MPI_MAX_DATAREP_STRING];
    MPI_Info_create(&info);
    MPI_File_open(W, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &fh);
    BOTH(files, fh);
    MPI_File_get_view(fh, &at, &etype, &filetype, view), note(at);
    MPI_File_get_position_shared(fh, &at), note(at);
    MPI_File_set_atomicity(fh, 0), MPI_File_set_info(fh, info);
    MPI_File_sync(fh), MPI_File_preallocate(fh, 1024), MPI_File_set_size(fh, 2048);
    MPI_File_close(&fh), MPI_Info_free(&info);
    MPI_Barrier(W);
    if (rank == 0) MPI_File_delete(path, MPI_INFO_NULL);
}

static int convert(void *user, MPI_Datatype type, int count, void *file, MPI_Offset at, void *state) { return MPI_SUCCESS; }
static int extent(MPI_Datatype type, MPI_Aint *bytes, void *state) { return *bytes = 4, MPI_SUCCESS; }

static void datatypes(void) {
    MPI_Datatype t, types[] = {MPI_INT, MPI_INT};
    int ones[] = {1, 1}, twos[] = {2, 2}, places[] = {0, 2}, zeros[] = {0, 0}, position = 0, bytes;
    int kinds[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE}, defaults[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, sizes[] = {3, 1};
    MPI_Aint at[] = {0, 8}, where = 0;
    char packed[256];
#define TYPE(make) do { make; MPI_Type_commit(&t); MPI_Sendrecv(out, 1, t, right, 1, in, 1, t, left, 1, W, MPI_STATUS_IGNORE); seen(NULL); MPI_Type_free(&t); } while (0)
    fill();
    TYPE(MPI_Type_contiguous(3, MPI_INT, &t));
    TYPE(MPI_Type_vector(2, 1, 2, MPI_INT, &t));
    TYPE(MPI_Type_create_hvector(2, 1, 8, MPI_INT, &t));
    TYPE(MPI_Type_indexed(2, ones, places, MPI_INT, &t));
    TYPE(MPI_Type_create_hindexed(2, ones, at, MPI_INT, &t));
    TYPE(MPI_Type_create_hindexed_block(2, 1, at, MPI_INT, &t));
    TYPE(MPI_Type_create_indexed_block(2, 1, places, MPI_INT, &t));
    TYPE(MPI_Type_create_struct(2, ones, at, types, &t));
    TYPE(MPI_Type_create_resized(MPI_INT, 0, 8, &t));
    TYPE(MPI_Type_create_subarray(2, twos, ones, zeros, MPI_ORDER_C, MPI_INT, &t));
    int whole[] = {6, 2};
    TYPE(MPI_Type_create_darray(3, 0, 2, whole, kinds, defaults, sizes, MPI_ORDER_C, MPI_INT, &t));
    TYPE(MPI_Type_dup(MPI_INT, &t));
    MPI_Pack_size(4, MPI_INT, W, &bytes);
    MPI_Pack(out, 4, MPI_INT, packed, sizeof packed, &position, W), note(position);
    position = 0, MPI_Unpack(packed, sizeof packed, &position, in, 4, MPI_INT, W), seen(NULL);
    MPI_Pack_external_size("external32", 4, MPI_INT, &where), note(where), where = 0;
    MPI_Pack_external("external32", out, 4, MPI_INT, packed, sizeof packed, &where), note(where);
    where = 0, MPI_Unpack_external("external32", packed, sizeof packed, &where, in, 4, MPI_INT), seen(NULL);
    MPI_Register_datarep("every", convert, convert, extent, NULL);
}

/* Two sides that find each other by a name, or by what they were told. */
static void ports(void) {
    char name[MPI_MAX_PORT_NAME];
    MPI_Comm comm, local;
    int value = rank;
    MPI_Comm_split(W, rank > 0, 0, &local);
    if (rank == 0) MPI_Open_port(MPI_INFO_NULL, name);
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, W);
    if (rank == 0) MPI_Comm_accept(name, MPI_INFO_NULL, 0, local, &comm);
    else MPI_Comm_connect(name, MPI_INFO_NULL, 0, local, &comm);
    MPI_Bcast(&value, 1, MPI_INT, rank == 0 ? MPI_ROOT : 0, comm);
    note(value);
    MPI_Comm_disconnect(&comm);
    if (rank == 0) MPI_Close_port(name);
    MPI_Comm_free(&local);
}

/* Names that nobody has published. */
static void names(void) {
    char name[MPI_MAX_PORT_NAME] = "none";
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN), MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    note(MPI_Lookup_name("every", MPI_INFO_NULL, name) != MPI_SUCCESS);
    MPI_Barrier(W);
    if (rank == 0) MPI_Publish_name("every", MPI_INFO_NULL, name), MPI_Unpublish_name("every", MPI_INFO_NULL, name);
}

static void spawning(const char *self, int child) {
    MPI_Comm comm;
    int value = 7, errors[2], each[] = {1, 1};
    char *arguments[] = {"child", NULL}, **both[] = {arguments, arguments};
    char *commands[] = {(char *)self, (char *)self};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    if (child) {
        MPI_Comm_get_parent(&comm);
        MPI_Bcast(&value, 1, MPI_INT, 0, comm);
        MPI_Comm_disconnect(&comm);
        return;
    }
    MPI_Comm_spawn(self, arguments, 1, MPI_INFO_NULL, 0, W, &comm, MPI_ERRCODES_IGNORE);
    MPI_Bcast(&value, 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, comm);
    MPI_Comm_disconnect(&comm);
    MPI_Comm_spawn_multiple(2, commands, both, each, infos, 0, W, &comm, errors);
    MPI_Bcast(&value, 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, comm);
    MPI_Comm_disconnect(&comm);
    note(value);
}

/* Receives that are too small, alone and among others. */
static void truncated(void) {
    MPI_Request r[3];
    MPI_Status s[3];
    int class, last;
#define ERROR(call) MPI_Error_class(call, &class), note(class)
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    for (int i = 0; i < 2; i++) {
        fill();
        MPI_Isend(out, 8, MPI_INT, right, 1, W, &r[0]);
        ERROR(MPI_Recv(in, 2, MPI_INT, left, 1, W, i ? MPI_STATUS_IGNORE : s));
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        note(in[0]), note(in[2]);
        MPI_Irecv(in, 2, MPI_INT, left, 2, W, &r[0]);
        MPI_Barrier(W);
        MPI_Send(out, 8, MPI_INT, right, 2, W);
        ERROR(MPI_Wait(&r[0], i ? MPI_STATUS_IGNORE : s));
        MPI_Irecv(in, 2, MPI_INT, left, 3, W, &r[0]);
        MPI_Irecv(in + 4, 8, MPI_INT, left, 4, W, &r[1]);
        MPI_Barrier(W);
        MPI_Send(out, 8, MPI_INT, right, 3, W);
        MPI_Send(out, 8, MPI_INT, right, 4, W);
        /* What the left neighbour sends last comes last: both receives are done, and whether the
           library calls the second one pending is not a question of time. */
        MPI_Sendrecv(out, 1, MPI_INT, right, 6, &last, 1, MPI_INT, left, 6, W, MPI_STATUS_IGNORE);
        ERROR(MPI_Waitall(2, r, s));
        for (int one = 0; one < 2; one++) {
            ERROR(s[one].MPI_ERROR);
            if (class == MPI_ERR_PENDING) MPI_Wait(&r[one], &s[one]);
            note(s[one].MPI_SOURCE), note(s[one].MPI_TAG);
        }
        MPI_Sendrecv(out, 4, MPI_INT, right, 5, in, 4, MPI_INT, left, 5, W, &s[0]), seen(&s[0]);
        MPI_Barrier(W);
    }
    MPI_Comm_set_errhandler(W, MPI_ERRORS_ARE_FATAL);
}

#if MPI_VERSION >= 4
static void in_parts(void) {
    MPI_Request r[2];
    int flag, list[] = {3, 1}, big[MOST], got[MOST];
    for (int i = 0; i < MOST; i++) big[i] = 10 * rank + i, got[i] = -1;
    MPI_Psend_init(big, 4, 4, MPI_INT, right, 3, W, MPI_INFO_NULL, &r[0]);
    MPI_Precv_init(got, 4, 4, MPI_INT, left, 3, W, MPI_INFO_NULL, &r[1]);
    for (int i = 0; i < 5; i++) {
        MPI_Startall(2, r);
        MPI_Pready(0, r[0]);
        if (i % 2) MPI_Pready_range(1, 3, r[0]);
        else MPI_Pready_list(2, list, r[0]), MPI_Pready(2, r[0]);
        for (int part = 0; part < 4; part++) for (flag = 0; !flag;) MPI_Parrived(r[1], part, &flag);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        for (int at = 0; at < MOST; at++) note(got[at]);
        /* A plain message of the same label does not meet one in parts. */
        MPI_Sendrecv(big, 4, MPI_INT, right, 3, in, 4, MPI_INT, left, 3, W, MPI_STATUS_IGNORE), seen(NULL);
    }
    MPI_Request_free(&r[0]), MPI_Request_free(&r[1]);
}

static void sessions(int ends) {
    MPI_Session session;
    MPI_Group group, local, remote;
    MPI_Comm comm, between;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "every", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank), MPI_Comm_size(comm, &size);
    for (int i = 0; i < 10; i++) talk(comm);
    int first[] = {0}, others[] = {1, 2};
    MPI_Group_incl(group, 1, first, &local), MPI_Group_incl(group, 2, others, &remote);
    MPI_Intercomm_create_from_groups(rank ? remote : local, 0, rank ? local : remote, 0, "two", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &between);
    MPI_Barrier(between);
    MPI_Comm_free(&between), MPI_Comm_free(&comm);
    MPI_Group_free(&local), MPI_Group_free(&remote), MPI_Group_free(&group);
    if (ends) printf("rank %d of %d: %lu\n", rank, size, sum);
    fflush(stdout);
    MPI_Session_finalize(&session);
}
#endif

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "messages";
    int provided, is = !strcmp(what, "threads");
#if MPI_VERSION >= 4
    if (!strcmp(what, "sessions")) return sessions(1), 0;
#endif
    if (is) MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    else MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank), MPI_Comm_size(W, &size);
    left = (rank + size - 1) % size, right = (rank + 1) % size;
    inter_local = 1;
#define CASE(name, ...) if (!strcmp(what, #name)) name(__VA_ARGS__);
    CASE(messages) CASE(probing) CASE(requests) CASE(own_requests) CASE(collective)
    CASE(neighbouring) CASE(communicators) CASE(one_sided) CASE(datatypes) CASE(ports)
    CASE(names) CASE(truncated)
    CASE(file, argv[2]) CASE(spawning, argv[0], 0)
    if (!strcmp(what, "child")) spawning(argv[0], 1);
#if MPI_VERSION >= 4
    CASE(in_parts)
#endif
    if (is) messages();
    if (strcmp(what, "child")) printf("rank %d of %d: %lu\n", rank, size, sum);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
