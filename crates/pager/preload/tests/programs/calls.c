/* System calls and streams that fill or read paged memory: `calls FILE`. */
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define BYTES ((size_t)6 << 20)

static unsigned char *memory, *other;
static const char *path;

/* Everything away or at least not all there. */
static void away(void) {
    memset(other, 1, BYTES);
    CHECK(madvise(memory, BYTES, MADV_DONTNEED) == 0);
    usleep(3000);
}

static int opened(int flags) {
    int file = open(path, flags | O_CREAT, 0600);
    CHECK(file >= 0);
    return file;
}

static void files(void) {
    int file = opened(O_RDWR | O_TRUNC);
    fill(memory, 0, BYTES, 1);
    usleep(3000);
    CHECK(write(file, memory, BYTES) == (ssize_t)BYTES);
    away();
    CHECK(lseek(file, 0, SEEK_SET) == 0 && read(file, memory, BYTES) == (ssize_t)BYTES && holds(memory, 0, BYTES, 1));
    CHECK(read(file, memory, BYTES) == 0);
    fill(memory, 0, BYTES, 2);
    usleep(3000);
    CHECK(pwrite(file, memory, BYTES, 4096) == (ssize_t)BYTES);
    away();
    CHECK(pread(file, memory, BYTES, 4096) == (ssize_t)BYTES && holds(memory, 0, BYTES, 2));
    /* Less than was asked for, and a descriptor that is none. */
    CHECK(pread(file, memory, BYTES, BYTES) == 4096);
    CHECK(read(-1, memory, BYTES) == -1 && errno == EBADF);
    close(file);
}

static void direct(void) {
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_DIRECT, 0600);
    if (file < 0) {
        fputs("skipped: no O_DIRECT here\n", stderr);
        return;
    }
    fill(memory, 0, BYTES, 3);
    usleep(3000);
    CHECK(write(file, memory, BYTES) == (ssize_t)BYTES);
    away();
    CHECK(pread(file, memory, BYTES, 0) == (ssize_t)BYTES && holds(memory, 0, BYTES, 3));
    close(file);
}

static void vectors(void) {
    int file = opened(O_RDWR | O_TRUNC);
    struct iovec three[] = {{memory, 4096}, {memory + (1 << 20), 100}, {memory + (2 << 20), 65536}};
    fill(memory, 0, BYTES, 4);
    usleep(3000);
    CHECK(writev(file, three, 3) == 69732);
    away();
    CHECK(preadv(file, three, 3, 0) == 69732 && holds(memory, 0, 4096, 4));
    CHECK(holds(memory, 1 << 20, (1 << 20) + 100, 4) && holds(memory, 2 << 20, (2 << 20) + 65536, 4));
    close(file);
}

static void streams(void) {
    FILE *file = fopen(path, "w+");
    fill(memory, 0, BYTES, 5);
    usleep(3000);
    CHECK(fwrite(memory, 8, BYTES / 8, file) == BYTES / 8);
    rewind(file);
    away();
    CHECK(fread(memory, 8, BYTES / 8, file) == BYTES / 8 && holds(memory, 0, BYTES, 5));
    rewind(file);
    CHECK(fread(memory, BYTES / 2 + 4, 2, file) == 1 && feof(file) && holds(memory, 0, BYTES, 5));
    fclose(file);
}

static void *sends(void *socket) {
    fill(other, 0, BYTES, 6);
    usleep(3000);
    size_t sent = 0;
    while (sent < BYTES) {
        ssize_t more = send(*(int *)socket, other + sent, BYTES - sent, 0);
        if (more <= 0) return "wrong";
        sent += more;
    }
    struct iovec one = {other, 100000};
    struct msghdr message = {.msg_iov = &one, .msg_iovlen = 1};
    return sendmsg(*(int *)socket, &message, 0) == 100000 ? NULL : "wrong";
}

static void sockets(void) {
    int both[2];
    pthread_t sender;
    void *answer = "none";
    away();
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, both) == 0 && pthread_create(&sender, NULL, sends, &both[1]) == 0);
    CHECK(recv(both[0], memory, BYTES, MSG_WAITALL) == (ssize_t)BYTES && holds(memory, 0, BYTES, 6));
    CHECK(madvise(memory, BYTES, MADV_DONTNEED) == 0);
    struct iovec one = {memory, 100000};
    struct msghdr message = {.msg_iov = &one, .msg_iovlen = 1};
    CHECK(recvmsg(both[0], &message, MSG_WAITALL) == 100000 && holds(memory, 0, 100000, 6));
    CHECK(pthread_join(sender, &answer) == 0 && !answer);
    close(both[0]);
    close(both[1]);
}

int main(int count, char **words) {
    path = count > 1 ? words[1] : "/dev/null";
    memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    other = malloc(BYTES);
    CHECK(memory != MAP_FAILED && other);
    say_paged();
    files();
    direct();
    vectors();
    streams();
    sockets();
    away();
    CHECK(getrandom(memory, 1 << 20, 0) > 0 && !is_zero(memory, 4096));
    puts("calls right");
    return 0;
}
