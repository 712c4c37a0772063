# Large arrays of numpy, bytes objects, files and a child process: arrays.py FILE
import subprocess
import sys

import numpy

path = sys.argv[1]
state = numpy.random.default_rng(5)
values = state.standard_normal(300_000)
spectrum = numpy.fft.fft(values)
back = numpy.fft.ifft(spectrum).real
assert numpy.abs(back - values).max() < 1e-9
order = numpy.sort(values)
assert (order[1:] >= order[:-1]).all()
values.tofile(path)
assert (numpy.fromfile(path) == values).all()
with open(path, "rb") as file:
    assert numpy.frombuffer(file.read()).sum() == values.sum()
grown = bytearray()
for part in range(40):
    grown += bytes([part]) * 100_000
assert all(grown[part * 100_000 + 99_999] == part for part in range(40))
print(repr(float(order[1000])), repr(float(numpy.abs(spectrum).max())))
print(subprocess.run(["echo", "a child"], capture_output=True, text=True).stdout)
