/* Another allocator: what is large it maps, blocks of some pages it carves out of larger mappings, and it never gives either back; the rest are the C library's blocks. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void __libc_free(void *);

enum { CARVED = 1 << 16, CHUNK = 1 << 20 };

static void *mapped(size_t bytes) {
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void *carved(void) {
    static char *chunk, *end;
    static volatile char lock;
    while (__sync_lock_test_and_set(&lock, 1)) {}
    if (chunk == end) end = (chunk = mapped(CHUNK)) + CHUNK;
    void *block = chunk;
    chunk += CARVED;
    __sync_lock_release(&lock);
    return block;
}

static int is_ours(void *pointer) { return pointer && (uintptr_t)pointer % 4096 == 0; }

void *malloc(size_t bytes) {
    if (bytes < 4096) return __libc_malloc(bytes);
    return bytes <= CARVED ? carved() : mapped(bytes);
}
void *calloc(size_t count, size_t bytes) { return __libc_calloc(count, bytes); }
size_t malloc_usable_size(void *pointer) { return is_ours(pointer) ? CARVED : 100; }
void *realloc(void *pointer, size_t bytes) {
    if (!is_ours(pointer)) return __libc_realloc(pointer, bytes);
    void *new = malloc(bytes);
    return new ? memcpy(new, pointer, bytes < CARVED ? bytes : CARVED) : NULL;
}
void free(void *pointer) {
    if (!is_ours(pointer)) __libc_free(pointer);
}
