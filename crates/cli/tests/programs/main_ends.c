/* The first thread ends; another goes on, and its line stays in the C library's buffer. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES ((size_t)8 << 20)

static unsigned char right(size_t at) { return (unsigned char)(at / 4096 % 251); }

static void *goes_on(void *unused) {
    unsigned char *memory = malloc(BYTES);
    size_t wrong = 0;
    for (size_t at = 0; at < BYTES; at += 4096) memory[at] = right(at);
    for (size_t at = 0; at < BYTES; at += 4096) wrong += memory[at] != right(at);
    printf("%zu wrong\n", wrong);
    return unused;
}

int main(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, goes_on, NULL) != 0) return 3;
    pthread_detach(thread);
    pthread_exit(NULL);
}
