/* Collectives in an order, of sizes, from roots and with ranks late that all follow from a seed:
     collectives ROUNDS SEED MILLISECONDS
   In a round each rank is late with a chance of a third, by up to that long. Between the rounds is a
   barrier, so that a rank that leaves a round before the others is not late in the next by itself. */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static uint64_t state;

static unsigned draw(unsigned below) {
    state += 0x9e3779b97f4a7c15u;
    uint64_t z = state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (unsigned)((z ^ z >> 31) % below);
}

static void sleep_us(unsigned us) {
    struct timespec t = {us / 1000000, us % 1000000 * 1000L};
    nanosleep(&t, NULL);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size, rounds = argc > 1 ? atoi(argv[1]) : 100;
    unsigned most_us = 1000 * (argc > 3 ? atoi(argv[3]) : 10);
    state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    const int sizes[] = {1, 500, 20000}; /* doubles */
    double *in = calloc(size, 20000 * sizeof *in), *out = calloc(size, 20000 * sizeof *out);
    for (int round = 0; round < rounds; round++) {
        int what = draw(10), count = sizes[draw(3)], root = draw(size), late = 0;
        for (int r = 0; r < size; r++) {
            int us = draw(3) ? 0 : 1 + draw(most_us);
            if (r == rank) late = us;
        }
        MPI_Barrier(world);
        if (late) sleep_us(late);
        switch (what) {
        case 0: MPI_Bcast(in, count, MPI_DOUBLE, root, world); break;
        case 1: MPI_Reduce(in, out, count, MPI_DOUBLE, MPI_SUM, root, world); break;
        case 2: MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, world); break;
        case 3: MPI_Gather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, root, world); break;
        case 4: MPI_Scatter(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, root, world); break;
        case 5: MPI_Allgather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, world); break;
        case 6: MPI_Alltoall(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, world); break;
        case 7: MPI_Scan(in, out, count, MPI_DOUBLE, MPI_SUM, world); break;
        case 8: MPI_Exscan(in, out, count, MPI_DOUBLE, MPI_SUM, world); break;
        default: MPI_Barrier(world); break;
        }
    }
    MPI_Finalize();
    return 0;
}
