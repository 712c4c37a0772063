/* Two ranks of which a recording has holes: holes killed|unreceived|silent.
   killed: rank 1 kills itself after 5 messages. unreceived: nobody receives what rank 0 sends.
   silent: no rank sends anything. */
#include <mpi.h>
#include <signal.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "silent";
    int rank, killed = !strcmp(how, "killed"), word = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5 && strcmp(how, "silent"); i++) {
        if (rank == 0) MPI_Send(&word, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        else if (killed) MPI_Recv(&word, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (killed && rank == 1) raise(SIGKILL);
    MPI_Finalize();
    return 0;
}
