// The floor: two readings of the time stamp counter (mpi_shim.h), without a fence.

#include "peer.h"

static inline uint64_t now(void) {
#if defined(__x86_64__)
    return __rdtsc();
#else
    return monotonic_ns();
#endif
}

#include "mpi_shim.h"
