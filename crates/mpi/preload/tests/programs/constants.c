/* What the binary interface of an MPI library looks like, from its own mpi.h. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

int main(void) {
    MPI_Status status;
    printf("wide_handles %d\n", (int)(sizeof(MPI_Comm) == 8));
    printf("status_bytes %zu\n", sizeof status);
    printf("source_at %zu\n", offsetof(MPI_Status, MPI_SOURCE));
    printf("tag_at %zu\n", offsetof(MPI_Status, MPI_TAG));
    printf("error_at %zu\n", offsetof(MPI_Status, MPI_ERROR));
#ifdef OPEN_MPI
    printf("cancelled_at %zu\n", offsetof(MPI_Status, _cancelled));
    printf("bytes_at %zu\n", offsetof(MPI_Status, _ucount));
#else
    printf("cancelled_at %zu\n", offsetof(MPI_Status, count_hi_and_cancelled));
    printf("bytes_at %zu\n", offsetof(MPI_Status, count_lo));
    printf("world %llu\n", (unsigned long long)MPI_COMM_WORLD);
    printf("itself %llu\n", (unsigned long long)MPI_COMM_SELF);
    printf("comm_null %llu\n", (unsigned long long)MPI_COMM_NULL);
    printf("request_null %llu\n", (unsigned long long)MPI_REQUEST_NULL);
    printf("type_null %llu\n", (unsigned long long)MPI_DATATYPE_NULL);
    printf("byte %llu\n", (unsigned long long)MPI_BYTE);
#endif
    printf("any_source %d\n", MPI_ANY_SOURCE);
    printf("any_tag %d\n", MPI_ANY_TAG);
    printf("proc_null %d\n", MPI_PROC_NULL);
    printf("root %d\n", MPI_ROOT);
    printf("undefined %d\n", MPI_UNDEFINED);
    printf("thread_multiple %d\n", MPI_THREAD_MULTIPLE);
    printf("status_ignore %llu\n", (unsigned long long)(size_t)MPI_STATUS_IGNORE);
    printf("statuses_ignore %llu\n", (unsigned long long)(size_t)MPI_STATUSES_IGNORE);
    printf("in_place %llu\n", (unsigned long long)(size_t)MPI_IN_PLACE);
    printf("err_truncate %d\n", MPI_ERR_TRUNCATE);
    printf("err_in_status %d\n", MPI_ERR_IN_STATUS);
    printf("err_pending %d\n", MPI_ERR_PENDING);
    printf("cart %d\n", (int)MPI_CART);
    printf("graph %d\n", (int)MPI_GRAPH);
    printf("dist_graph %d\n", (int)MPI_DIST_GRAPH);
    printf("lock_exclusive %d\n", MPI_LOCK_EXCLUSIVE);
    return 0;
}
