// The least that a preloaded library does to time a call: two readings of a clock around MPI_Send
// and MPI_Recv. What a tracer adds to a call is measured against it.
//
//     mpicc -O3 -shared -fPIC mpi_shim_counter.c -o mpi_shim_counter.so
//     mpirun -n 1 env LD_PRELOAD=./mpi_shim_counter.so ./mpi_proc_null
//
// Whoever includes this says what a reading is, as `now()`.

#include <mpi.h>

// The call's stamps, for nobody: both readings must be made and kept.
volatile uint64_t shim_entered, shim_left;

int MPI_Send(const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    shim_entered = now();
    int code = PMPI_Send(bytes, count, type, to, tag, comm);
    shim_left = now();
    return code;
}

int MPI_Recv(void *bytes, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status) {
    shim_entered = now();
    int code = PMPI_Recv(bytes, count, type, from, tag, comm, status);
    shim_left = now();
    return code;
}
