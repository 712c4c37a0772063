// FFTW on data larger than local memory: a complex transform there and back, in place, checked.
//
//     cc -O2 fftw_there_and_back.c -o fftw_there_and_back -lfftw3 -lm && ./fftw_there_and_back 256
//
// The argument is the size of the data in MiB.

#include "peer.h"
#include <fftw3.h>
#include <math.h>

static double input(long i) {
    return sin(0.001 * (double)(i % 100003)) + (double)(i % 17);
}

int main(int argc, char **argv) {
    long n = argc == 2 ? atol(argv[1]) * (1 << 20) / (long)sizeof(fftw_complex) : 0;
    if (n <= 0) {
        fprintf(stderr, "usage: fftw_there_and_back MIB\n");
        return 2;
    }
    uint64_t begun = monotonic_ns();
    fftw_complex *data = fftw_malloc(sizeof(fftw_complex) * (size_t)n);
    if (data == NULL) die("fftw_malloc");
    fftw_plan there = fftw_plan_dft_1d((int)n, data, data, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_plan back = fftw_plan_dft_1d((int)n, data, data, FFTW_BACKWARD, FFTW_ESTIMATE);
    for (long i = 0; i < n; i++) {
        data[i][0] = input(i);
        data[i][1] = -input(i + 1);
    }
    fftw_execute(there);
    fftw_execute(back);
    double worst = 0;
    for (long i = 0; i < n; i++) {
        double re = fabs(data[i][0] / (double)n - input(i)), im = fabs(data[i][1] / (double)n + input(i + 1));
        if (!(re <= worst)) worst = re;
        if (!(im <= worst)) worst = im;
    }
    printf("wall_s,worst\n%.6f,%.3e\n", (double)(monotonic_ns() - begun) / 1e9, worst);
    return worst <= 1e-12 ? 0 : 1;
}
