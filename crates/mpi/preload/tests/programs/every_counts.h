/* All functions that exist with counts of 32 and of 64 bits: included once for each, with F (the
   function's name), N (a name of ours), COUNT and DISP (the types of counts and displacements). */

static COUNT N(twos)[MOST], N(ones)[MOST], N(both)[MOST];
static DISP N(places)[MOST], N(bytes)[MOST];

static void N(arrays)(void) {
    for (int i = 0; i < MOST; i++) {
        N(twos)[i] = 2, N(ones)[i] = 1, N(both)[i] = inter_local == 1 ? 2 : 1;
        N(places)[i] = 2 * i, N(bytes)[i] = 2 * i * (int)sizeof(int);
    }
}

/* A blocking send, to a neighbour that is ready; then of nothing, and to nobody. */
#define SEND(send) do { \
    fill(); \
    F(Irecv)(in, 4, MPI_INT, left, 1, W, &r[0]); \
    MPI_Barrier(W); \
    F(send)(out, 4, MPI_INT, right, 1, W); \
    MPI_Wait(&r[0], &s[0]); \
    seen(&s[0]); \
    F(Irecv)(NULL, 0, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &r[0]); \
    MPI_Barrier(W); \
    F(send)(NULL, 0, MPI_INT, right, 2, W); \
    MPI_Wait(&r[0], MPI_STATUS_IGNORE); \
    F(send)(out, 4, MPI_INT, MPI_PROC_NULL, 3, W); \
} while (0)

#define START(isend) do { \
    fill(); \
    F(Irecv)(in, 4, MPI_INT, MPI_ANY_SOURCE, 4, W, &r[0]); \
    MPI_Barrier(W); \
    F(isend)(out, 3, MPI_INT, right, 4, W, &r[1]); \
    MPI_Waitall(2, r, s); \
    seen(&s[0]); \
    F(isend)(out, 3, MPI_INT, MPI_PROC_NULL, 4, W, &r[1]); \
    F(Irecv)(in, 4, MPI_INT, MPI_PROC_NULL, 4, W, &r[0]); \
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE); \
} while (0)

#define PREPARE(send_init) do { \
    F(Recv_init)(in, 4, MPI_INT, left, 5, W, &r[0]); \
    F(send_init)(out, 4, MPI_INT, right, 5, W, &r[1]); \
    for (int i = 0; i < 3; i++) { \
        fill(); \
        MPI_Start(&r[0]); \
        MPI_Barrier(W); \
        MPI_Startall(1, &r[1]); \
        MPI_Waitall(2, r, i == 1 ? MPI_STATUSES_IGNORE : s); \
        seen(&s[0]); \
    } \
    MPI_Request_free(&r[0]); \
    MPI_Request_free(&r[1]); \
    F(send_init)(NULL, 0, MPI_INT, MPI_PROC_NULL, 5, W, &r[1]); \
    MPI_Start(&r[1]); \
    MPI_Wait(&r[1], MPI_STATUS_IGNORE); \
    MPI_Request_free(&r[1]); \
} while (0)

static void N(sends)(void) {
    MPI_Request r[2];
    MPI_Status s[2];
    void *room = malloc(ROOM);
    F(Buffer_attach)(room, ROOM);
    SEND(Send);
    SEND(Ssend);
    SEND(Rsend);
    SEND(Bsend);
    START(Isend);
    START(Issend);
    START(Irsend);
    START(Ibsend);
    PREPARE(Send_init);
    PREPARE(Ssend_init);
    PREPARE(Rsend_init);
    PREPARE(Bsend_init);
    COUNT size;
    F(Buffer_detach)(&room, &size);
    free(room);
}

static void N(receives)(void) {
    MPI_Request r[2];
    MPI_Status s;
    MPI_Message message;
    MPI_Datatype absolute;
    MPI_Aint place;
    int length = 4;
    fill();
    F(Isend)(out, 4, MPI_INT, right, 1, W, &r[0]);
    F(Recv)(in, MOST, MPI_INT, left, 1, W, &s);
    seen(&s);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    F(Isend)(out, 4, MPI_INT, right, 2, W, &r[0]);
    F(Recv)(in, MOST, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, MPI_STATUS_IGNORE);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    F(Recv)(in, MOST, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, W, &s);
    seen(&s);
    F(Sendrecv)(out, 4, MPI_INT, right, 3, in, 4, MPI_INT, left, 3, W, &s);
    seen(&s);
    F(Sendrecv)(out, 4, MPI_INT, MPI_PROC_NULL, 3, in, 4, MPI_INT, MPI_PROC_NULL, 3, W, MPI_STATUS_IGNORE);
    F(Sendrecv_replace)(in, 4, MPI_INT, right, 4, MPI_ANY_SOURCE, 4, W, &s);
    seen(&s);
    F(Sendrecv_replace)(in, 4, MPI_INT, right, 4, left, 4, W, MPI_STATUS_IGNORE);
    seen(NULL);
    for (int i = 0; i < 2; i++) {
        F(Isend)(out, 4, MPI_INT, right, 5 + i, W, &r[0]);
        MPI_Mprobe(i ? MPI_ANY_SOURCE : left, 5 + i, W, &message, i ? MPI_STATUS_IGNORE : &s);
        if (i) F(Mrecv)(in, 4, MPI_INT, &message, MPI_STATUS_IGNORE);
        else {
            F(Imrecv)(in, 4, MPI_INT, &message, &r[1]);
            MPI_Wait(&r[1], &s);
        }
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        seen(i ? NULL : &s);
    }
    MPI_Mprobe(MPI_PROC_NULL, 1, W, &message, &s);
    F(Mrecv)(in, 4, MPI_INT, &message, &s);
    seen(&s);
    /* At the bottom of memory, by addresses. */
    MPI_Get_address(out, &place);
    MPI_Type_create_hindexed(1, &length, &place, MPI_INT, &absolute);
    MPI_Type_commit(&absolute);
    F(Isend)(MPI_BOTTOM, 1, absolute, right, 9, W, &r[0]);
    F(Recv)(in, 4, MPI_INT, left, 9, W, &s);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Type_free(&absolute);
    seen(&s);
#if MPI_VERSION >= 4
    /* MPICH 4.0 crashes where both are nobody. */
    for (int i = 0; i < 3; i++) {
        int last = size - 1, end = i == 2, from = end ? (rank ? left : MPI_PROC_NULL) : i ? MPI_ANY_SOURCE : left;
        int to = end && rank == last ? MPI_PROC_NULL : right;
        fill();
        F(Isendrecv)(out, 4, MPI_INT, to, 7, in, 4, MPI_INT, from, 7, W, &r[0]);
        MPI_Wait(&r[0], i ? MPI_STATUS_IGNORE : &s);
        seen(i ? NULL : &s);
        F(Isendrecv_replace)(in, 4, MPI_INT, to, 8, from, 8, W, &r[0]);
        MPI_Waitall(1, r, i ? MPI_STATUSES_IGNORE : &s);
        seen(i ? NULL : &s);
    }
#endif
}

/* A collective in its forms: blocking, begun, and prepared and started twice. */
#define ONCE(name, iname, ...) do { \
    fill(); \
    F(name)(__VA_ARGS__); \
    seen(NULL); \
    fill(); \
    F(iname)(__VA_ARGS__, &r); \
    MPI_Wait(&r, MPI_STATUS_IGNORE); \
    seen(NULL); \
} while (0)
#if MPI_VERSION >= 4
#define EACH(name, iname, ...) do { \
    ONCE(name, iname, __VA_ARGS__); \
    F(name##_init)(__VA_ARGS__, MPI_INFO_NULL, &r); \
    for (int i = 0; i < times; i++) { \
        fill(); \
        MPI_Start(&r); \
        MPI_Wait(&r, MPI_STATUS_IGNORE); \
        seen(NULL); \
    } \
    MPI_Request_free(&r); \
} while (0)
#else
#define EACH ONCE
#endif

/* What a rank's part of a collective does not need says nothing: no memory, no count, no type. */
#define IF(needed, pointer) ((needed) ? (void *)(pointer) : NOWHERE)
#define MANY(needed, count) ((needed) ? (count) : -9)
#define TYPE(needed) ((needed) ? MPI_INT : MPI_DATATYPE_NULL)

static void N(collectives)(void) {
    MPI_Request r;
    MPI_Datatype types[MOST];
    int first = rank == 0, second = rank == 1, third = rank == 2;
    for (int i = 0; i < MOST; i++) types[i] = MPI_INT;
    EACH(Bcast, Ibcast, in, 4, MPI_INT, 1, W);
    EACH(Bcast, Ibcast, in, 0, MPI_INT, 0, W);
    EACH(Gather, Igather, out, 2, MPI_INT, IF(second, in), MANY(second, 2), TYPE(second), 1, W);
    EACH(Gather, Igather, first ? MPI_IN_PLACE : out, MANY(!first, 2), TYPE(!first), IF(first, in), MANY(first, 2), TYPE(first), 0, W);
    EACH(Gatherv, Igatherv, out, 2, MPI_INT, IF(second, in), IF(second, N(twos)), IF(second, N(places)), TYPE(second), 1, W);
    EACH(Gatherv, Igatherv, first ? MPI_IN_PLACE : out, MANY(!first, 2), TYPE(!first), IF(first, in), IF(first, N(twos)), IF(first, N(places)), TYPE(first), 0, W);
    times = 1; /* MPICH 4.0 cannot start a scatter again. */
    EACH(Scatter, Iscatter, IF(second, out), MANY(second, 2), TYPE(second), in, 2, MPI_INT, 1, W);
    EACH(Scatter, Iscatter, IF(first, out), MANY(first, 2), TYPE(first), first ? MPI_IN_PLACE : in, MANY(!first, 2), TYPE(!first), 0, W);
    times = 2;
    EACH(Scatterv, Iscatterv, IF(second, out), IF(second, N(twos)), IF(second, N(places)), TYPE(second), in, 2, MPI_INT, 1, W);
    EACH(Allgather, Iallgather, out, 2, MPI_INT, in, 2, MPI_INT, W);
    EACH(Allgather, Iallgather, MPI_IN_PLACE, -9, MPI_DATATYPE_NULL, in, 2, MPI_INT, W);
    EACH(Allgatherv, Iallgatherv, out, 2, MPI_INT, in, N(twos), N(places), MPI_INT, W);
    EACH(Allgatherv, Iallgatherv, MPI_IN_PLACE, -9, MPI_DATATYPE_NULL, in, N(twos), N(places), MPI_INT, W);
    EACH(Alltoall, Ialltoall, out, 2, MPI_INT, in, 2, MPI_INT, W);
    EACH(Alltoall, Ialltoall, out, 0, MPI_INT, in, 0, MPI_INT, W);
    EACH(Alltoall, Ialltoall, MPI_IN_PLACE, -9, MPI_DATATYPE_NULL, in, 2, MPI_INT, W);
    EACH(Alltoallv, Ialltoallv, out, N(twos), N(places), MPI_INT, in, N(twos), N(places), MPI_INT, W);
    EACH(Alltoallv, Ialltoallv, MPI_IN_PLACE, NOWHERE, NOWHERE, MPI_DATATYPE_NULL, in, N(twos), N(places), MPI_INT, W);
    EACH(Alltoallw, Ialltoallw, out, N(twos), N(bytes), types, in, N(twos), N(bytes), types, W);
    EACH(Alltoallw, Ialltoallw, MPI_IN_PLACE, NOWHERE, NOWHERE, NOWHERE, in, N(twos), N(bytes), types, W);
    EACH(Reduce, Ireduce, out, IF(third, in), 4, MPI_INT, MPI_SUM, 2, W);
    EACH(Reduce, Ireduce, first ? MPI_IN_PLACE : out, IF(first, in), 4, MPI_INT, MPI_SUM, 0, W);
    EACH(Allreduce, Iallreduce, out, in, 4, MPI_INT, MPI_MAX, W);
    EACH(Allreduce, Iallreduce, MPI_IN_PLACE, in, 4, MPI_INT, MPI_SUM, W);
    EACH(Reduce_scatter, Ireduce_scatter, out, in, N(twos), MPI_INT, MPI_SUM, W);
    EACH(Reduce_scatter, Ireduce_scatter, MPI_IN_PLACE, in, N(twos), MPI_INT, MPI_SUM, W);
    EACH(Reduce_scatter_block, Ireduce_scatter_block, out, in, 2, MPI_INT, MPI_SUM, W);
    EACH(Reduce_scatter_block, Ireduce_scatter_block, MPI_IN_PLACE, in, 2, MPI_INT, MPI_SUM, W);
    EACH(Scan, Iscan, out, in, 4, MPI_INT, MPI_SUM, W);
    EACH(Scan, Iscan, MPI_IN_PLACE, in, 4, MPI_INT, MPI_SUM, W);
    EACH(Exscan, Iexscan, out, in, 4, MPI_INT, MPI_SUM, W);
    EACH(Exscan, Iexscan, MPI_IN_PLACE, in, 4, MPI_INT, MPI_SUM, W);
}

static void N(neighbours)(MPI_Comm comm) {
    MPI_Request r;
    MPI_Datatype types[MOST];
    MPI_Aint at[MOST];
    for (int i = 0; i < MOST; i++) types[i] = MPI_INT, at[i] = 2 * i * sizeof(int);
    EACH(Neighbor_allgather, Ineighbor_allgather, out, 2, MPI_INT, in, 2, MPI_INT, comm);
    EACH(Neighbor_allgatherv, Ineighbor_allgatherv, out, 2, MPI_INT, in, N(twos), N(places), MPI_INT, comm);
    EACH(Neighbor_alltoall, Ineighbor_alltoall, out, 2, MPI_INT, in, 2, MPI_INT, comm);
    EACH(Neighbor_alltoallv, Ineighbor_alltoallv, out, N(twos), N(places), MPI_INT, in, N(twos), N(places), MPI_INT, comm);
    EACH(Neighbor_alltoallw, Ineighbor_alltoallw, out, N(twos), at, types, in, N(twos), at, types, comm);
}

/* Between rank 0 and the others: a root is told apart from the rest of its side. */
static void N(between)(MPI_Comm comm) {
    MPI_Request r;
    MPI_Datatype types[MOST];
    int root = rank == 0 ? MPI_ROOT : 0, other = rank == 0 ? 1 : rank == 2 ? MPI_ROOT : MPI_PROC_NULL;
    int one = rank == 0, far = rank != 0, with = rank != 1, last = rank == 2;
    for (int i = 0; i < MOST; i++) types[i] = MPI_INT;
    ONCE(Bcast, Ibcast, in, 4, MPI_INT, root, comm);
    ONCE(Bcast, Ibcast, IF(with, in), 4, MPI_INT, other, comm);
    ONCE(Gather, Igather, IF(far, out), MANY(far, 2), TYPE(far), IF(one, in), MANY(one, 2), TYPE(one), root, comm);
    ONCE(Gather, Igather, IF(one, out), MANY(one, 2), TYPE(one), IF(last, in), MANY(last, 2), TYPE(last), other, comm);
    ONCE(Gatherv, Igatherv, IF(far, out), MANY(far, 2), TYPE(far), IF(one, in), IF(one, N(twos)), IF(one, N(places)), TYPE(one), root, comm);
    ONCE(Scatter, Iscatter, IF(one, out), MANY(one, 2), TYPE(one), IF(far, in), MANY(far, 2), TYPE(far), root, comm);
    ONCE(Scatterv, Iscatterv, IF(one, out), IF(one, N(twos)), IF(one, N(places)), TYPE(one), IF(far, in), MANY(far, 2), TYPE(far), root, comm);
    ONCE(Scatterv, Iscatterv, IF(last, out), IF(last, N(twos)), IF(last, N(places)), TYPE(last), IF(one, in), MANY(one, 2), TYPE(one), other, comm);
    ONCE(Allgather, Iallgather, out, 2, MPI_INT, in, 2, MPI_INT, comm);
    ONCE(Allgatherv, Iallgatherv, out, 2, MPI_INT, in, N(twos), N(places), MPI_INT, comm);
    ONCE(Alltoall, Ialltoall, out, 2, MPI_INT, in, 2, MPI_INT, comm);
    ONCE(Alltoallv, Ialltoallv, out, N(twos), N(places), MPI_INT, in, N(twos), N(places), MPI_INT, comm);
    ONCE(Alltoallw, Ialltoallw, out, N(twos), N(bytes), types, in, N(twos), N(bytes), types, comm);
    ONCE(Reduce, Ireduce, IF(far, out), IF(one, in), 4, MPI_INT, MPI_SUM, root, comm);
    ONCE(Reduce, Ireduce, IF(one, out), IF(last, in), 4, MPI_INT, MPI_SUM, other, comm);
    ONCE(Allreduce, Iallreduce, out, in, 4, MPI_INT, MPI_SUM, comm);
    ONCE(Reduce_scatter, Ireduce_scatter, out, in, N(both), MPI_INT, MPI_SUM, comm);
    ONCE(Reduce_scatter_block, Ireduce_scatter_block, out, in, inter_local == 1 ? 2 : 1, MPI_INT, MPI_SUM, comm);
}

static void N(windows)(void) {
    MPI_Win win;
    MPI_Request r[4];
    int *base, value = rank + 1, got = -1, result[4] = {0};
    F(Win_allocate_shared)(sizeof(int), sizeof(int), MPI_INFO_NULL, W, &base, &win);
    MPI_Win_free(&win);
    F(Win_allocate)(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, W, &base, &win);
    for (int i = 0; i < 8; i++) base[i] = 10 * rank + i;
    MPI_Win_fence(0, win);
    F(Put)(&value, 1, MPI_INT, right, 0, 1, MPI_INT, win);
    F(Get)(&got, 1, MPI_INT, right, 7, 1, MPI_INT, win);
    F(Accumulate)(&value, 1, MPI_INT, right, 1, 1, MPI_INT, MPI_SUM, win);
    F(Put)(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    note(got), note(base[0]), note(base[1]);
    MPI_Win_lock_all(0, win);
    F(Get_accumulate)(&value, 1, MPI_INT, &result[0], 1, MPI_INT, right, 2, 1, MPI_INT, MPI_SUM, win);
    F(Get_accumulate)(NULL, 0, MPI_DATATYPE_NULL, &result[3], 1, MPI_INT, right, 6, 1, MPI_INT, MPI_NO_OP, win);
    F(Rput)(&value, 1, MPI_INT, right, 3, 1, MPI_INT, win, &r[0]);
    F(Rget)(&result[1], 1, MPI_INT, right, 7, 1, MPI_INT, win, &r[1]);
    F(Raccumulate)(&value, 1, MPI_INT, right, 4, 1, MPI_INT, MPI_SUM, win, &r[2]);
    F(Rget_accumulate)(&value, 1, MPI_INT, &result[2], 1, MPI_INT, right, 5, 1, MPI_INT, MPI_SUM, win, &r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    MPI_Win_flush_all(win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(W);
    for (int i = 0; i < 4; i++) note(result[i]);
    for (int i = 0; i < 8; i++) note(base[i]);
    MPI_Win_free(&win);
    F(Win_create)(out, sizeof out, sizeof(int), MPI_INFO_NULL, W, &win);
    MPI_Win_free(&win);
}

static void N(files)(MPI_File fh) {
    MPI_Request r;
    MPI_Status s;
    int one = 0;
    fill();
    MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
#define AT (MPI_Offset)(rank * 8)
#define SEEK() MPI_File_seek(fh, AT, MPI_SEEK_SET)
    F(File_write_at)(fh, AT, out, 4, MPI_INT, MPI_STATUS_IGNORE);
    F(File_read_at)(fh, AT, in, 4, MPI_INT, &s), seen(NULL);
    F(File_write_at_all)(fh, AT, out, 4, MPI_INT, &s);
    F(File_read_at_all)(fh, AT, in, 4, MPI_INT, MPI_STATUS_IGNORE), seen(NULL);
    SEEK(), F(File_write)(fh, out, 4, MPI_INT, &s);
    SEEK(), F(File_read)(fh, in, 4, MPI_INT, &s), seen(NULL);
    SEEK(), F(File_write_all)(fh, out, 4, MPI_INT, &s);
    SEEK(), F(File_read_all)(fh, in, 4, MPI_INT, &s), seen(NULL);
    SEEK(), F(File_iwrite)(fh, out, 4, MPI_INT, &r), ended(&r, 0);
    SEEK(), F(File_iread)(fh, in, 4, MPI_INT, &r), ended(&r, 1);
    SEEK(), F(File_iwrite_all)(fh, out, 4, MPI_INT, &r), ended(&r, 0);
    SEEK(), F(File_iread_all)(fh, in, 4, MPI_INT, &r), ended(&r, 1);
    F(File_iwrite_at)(fh, AT, out, 4, MPI_INT, &r), ended(&r, 0);
    F(File_iread_at)(fh, AT, in, 4, MPI_INT, &r), ended(&r, 1);
    F(File_iwrite_at_all)(fh, AT, out, 4, MPI_INT, &r), ended(&r, 0);
    F(File_iread_at_all)(fh, AT, in, 4, MPI_INT, &r), ended(&r, 1);
    SEEK(), F(File_write_all_begin)(fh, out, 4, MPI_INT), MPI_File_write_all_end(fh, out, &s);
    SEEK(), F(File_read_all_begin)(fh, in, 4, MPI_INT), MPI_File_read_all_end(fh, in, &s), seen(NULL);
    F(File_write_at_all_begin)(fh, AT, out, 4, MPI_INT), MPI_File_write_at_all_end(fh, out, &s);
    F(File_read_at_all_begin)(fh, AT, in, 4, MPI_INT), MPI_File_read_at_all_end(fh, in, &s), seen(NULL);
    MPI_Barrier(W);
    /* Where all ranks write the same through one pointer, any order gives the same. */
    MPI_Barrier(W), MPI_File_seek_shared(fh, 64, MPI_SEEK_SET), MPI_Barrier(W);
    F(File_write_shared)(fh, &one, 1, MPI_INT, &s);
    MPI_Barrier(W);
    MPI_Barrier(W), MPI_File_seek_shared(fh, 64, MPI_SEEK_SET), MPI_Barrier(W);
    F(File_read_shared)(fh, in, 1, MPI_INT, &s), seen(NULL);
    MPI_Barrier(W);
    MPI_Barrier(W), MPI_File_seek_shared(fh, 64, MPI_SEEK_SET), MPI_Barrier(W);
    F(File_iwrite_shared)(fh, &one, 1, MPI_INT, &r), ended(&r, 0);
    MPI_Barrier(W);
    MPI_Barrier(W), MPI_File_seek_shared(fh, 64, MPI_SEEK_SET), MPI_Barrier(W);
    F(File_iread_shared)(fh, in, 1, MPI_INT, &r), ended(&r, 1);
    MPI_Barrier(W), MPI_File_seek_shared(fh, 64, MPI_SEEK_SET), MPI_Barrier(W);
    F(File_write_ordered)(fh, out, 2, MPI_INT, &s);
    MPI_Barrier(W), MPI_File_seek_shared(fh, 64, MPI_SEEK_SET), MPI_Barrier(W);
    F(File_read_ordered)(fh, in, 2, MPI_INT, &s), seen(NULL);
    MPI_Barrier(W), MPI_File_seek_shared(fh, 64, MPI_SEEK_SET), MPI_Barrier(W);
    F(File_write_ordered_begin)(fh, out, 2, MPI_INT), MPI_File_write_ordered_end(fh, out, &s);
    MPI_Barrier(W), MPI_File_seek_shared(fh, 64, MPI_SEEK_SET), MPI_Barrier(W);
    F(File_read_ordered_begin)(fh, in, 2, MPI_INT), MPI_File_read_ordered_end(fh, in, &s), seen(NULL);
}

#undef SEND
#undef START
#undef PREPARE
#undef ONCE
#undef EACH
#undef IF
#undef MANY
#undef TYPE
#undef AT
#undef SEEK
