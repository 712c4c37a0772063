/* The C interface, in a program that is linked with the library. */
#include "check.h"
#include <stdint.h>

int main(void) {
    struct fourstamp_rmem_status status;
    struct { struct fourstamp_rmem_status known; uint64_t later; } longer = {.later = 5};
    unsigned char *memory = fourstamp_rmem_alloc(100000);
    CHECK(memory && (uintptr_t)memory % 4096 == 0 && is_zero(memory, 100000));
    fill(memory, 0, 100000, 1);
    CHECK(fourstamp_rmem_status(&status, sizeof status) == 0 && fourstamp_rmem_status(NULL, 0) == -1);
    CHECK(fourstamp_rmem_status((void *)&longer, sizeof longer) == 0 && longer.later == 0);
    CHECK(holds(memory, 0, 100000, 1));
    printf("%u %lu %lu\n", status.active, status.ranges, status.paged_bytes);
    fourstamp_rmem_free(memory);
    fourstamp_rmem_free(NULL);
    CHECK(!fourstamp_rmem_alloc(SIZE_MAX - 10));
    return 0;
}
