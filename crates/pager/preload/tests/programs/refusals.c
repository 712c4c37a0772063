/* What paged memory has not: each line says how the call ended. */
#include "check.h"
#include <errno.h>
#include <sys/mman.h>

static void say(const char *what, int failed) {
    printf("%s: %s\n", what, failed ? strerrorname_np(errno) : "done");
}

int main(void) {
    size_t bytes = 4 << 20;
    unsigned char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fill(memory, 0, bytes, 1);
    say("mlock", mlock(memory, 8192));
    say("mlock2", mlock2(memory + 4096, 8192, MLOCK_ONFAULT));
    say("mlockall", mlockall(MCL_CURRENT));
    munlockall();
    say("mprotect to the same", mprotect(memory, bytes, PROT_READ | PROT_WRITE));
    say("mprotect", mprotect(memory, bytes, PROT_READ));
    say("mprotect of a part", mprotect(memory, 4096, PROT_NONE));
    mprotect(memory, bytes, PROT_READ | PROT_WRITE);
    say("wipe on fork", madvise(memory, bytes, MADV_WIPEONFORK));
    void *place = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    say("mremap to a place", mremap(memory, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place) == MAP_FAILED);
    return 0;
}
