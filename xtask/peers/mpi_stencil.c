// Jacobi sweeps over a square that is cut into stripes, a rank each: halo rows go to both
// neighbours while the inside is computed, and every tenth sweep all agree on the change.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int width = argc > 1 ? atoi(argv[1]) : 1024, sweeps = argc > 2 ? atoi(argv[2]) : 200;
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int rows = width / ranks, up = rank ? rank - 1 : MPI_PROC_NULL;
    int down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    double *now = calloc((size_t)(rows + 2) * width, sizeof *now);
    double *next = calloc((size_t)(rows + 2) * width, sizeof *next);
    for (int x = 0; x < width && !rank; x++) now[x] = next[x] = 1.0;
    double all = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double from = MPI_Wtime();
    for (int sweep = 0; sweep < sweeps; sweep++) {
        MPI_Request requests[4];
        double *last = now + (size_t)rows * width;
        MPI_Irecv(now, width, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, requests);
        MPI_Irecv(last + width, width, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, requests + 1);
        MPI_Isend(last, width, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, requests + 2);
        MPI_Isend(now + width, width, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, requests + 3);
        double change = 0;
        for (int turn = 0; turn < 2; turn++) {
            if (turn) MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
            for (int y = 1; y <= rows; y++) {
                if ((y == 1 || y == rows) != turn) continue;
                for (int x = 1; x < width - 1; x++) {
                    size_t at = (size_t)y * width + x;
                    double sides = now[at - 1] + now[at + 1];
                    next[at] = 0.25 * (sides + now[at - width] + now[at + width]);
                    change += (next[at] - now[at]) * (next[at] - now[at]);
                }
            }
        }
        double *swap = now;
        now = next, next = swap;
        if (sweep % 10 == 9)
            MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (!rank) printf("%.6f s, change %g\n", MPI_Wtime() - from, all);
    MPI_Finalize();
    return 0;
}
