/* Paged memory by name, for programs that choose what is paged. Link with -lrmem_preload, or look the functions up with dlsym in a
 * program that `fourstamp pager run` starts. In a program that is not paged the memory is ordinary, and the status says so. */
#ifndef FOURSTAMP_RMEM_H
#define FOURSTAMP_RMEM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zeroed memory of any size, on a page boundary. NULL with errno ENOMEM when there is none. */
void *fourstamp_rmem_alloc(size_t bytes);

/* Give it back. NULL does nothing. free() does the same. */
void fourstamp_rmem_free(void *pointer);

/* Fields are only ever added at the end. */
struct fourstamp_rmem_status {
    uint32_t active;         /* 1 when this process has paged memory */
    uint32_t user_mode_only; /* 1 when the kernel serves only faults of user mode */
    uint64_t ranges;         /* paged ranges */
    uint64_t paged_bytes;    /* their bytes */
};

/* Pass sizeof(struct fourstamp_rmem_status). 0, or -1 with errno. */
int fourstamp_rmem_status(struct fourstamp_rmem_status *status, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
