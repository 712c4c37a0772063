"""numpy's FFT on data larger than local memory: there and back, checked. The argument is the size of the data in MiB."""

import sys
import time

import numpy

begun = time.perf_counter()
n = int(sys.argv[1]) * (1 << 20) // 16
data = numpy.arange(n, dtype=numpy.float64) % 1009 + 1j * (numpy.arange(n, dtype=numpy.float64) % 17)
back = numpy.fft.ifft(numpy.fft.fft(data))
worst = float(numpy.abs(back - data).max())
print(f"wall_s,worst\n{time.perf_counter() - begun:.6f},{worst:.3e}")
sys.exit(0 if worst < 1e-8 else 1)
