/* Another allocator: what is large it maps, and never gives back; the rest are the C library's blocks. */
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void __libc_free(void *);

void *malloc(size_t bytes) {
    if (bytes < 1 << 16) return __libc_malloc(bytes);
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
void *calloc(size_t count, size_t bytes) { return __libc_calloc(count, bytes); }
void *realloc(void *pointer, size_t bytes) { return __libc_realloc(pointer, bytes); }
void free(void *pointer) {
    if ((uintptr_t)pointer % 4096) __libc_free(pointer);
}
