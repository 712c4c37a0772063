/* Pipes: what the C library moves by itself, every way of moving bytes, and many of them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char bytes[1 << 17];

/* Writes of 20 bytes that are seen, with 7 between them that are not. */
static void mixed(const char *how, int rounds) {
    for (int round = 0; round < rounds; round++) {
        if (write(1, bytes, 20) != 20) exit(3);
        if (!strcmp(how, "stdio")) printf("%07d", round), fflush(stdout);
        if (!strcmp(how, "held")) printf("%07d", round);
        if (!strcmp(how, "dprintf")) dprintf(1, "%07d", round);
        if (!strcmp(how, "raw")) syscall(SYS_write, 1, bytes, 7);
    }
}

/* Reads of 20 bytes, of which every third is the C library's. */
static void mixed_reads(void) {
    char got[20];
    setvbuf(stdin, NULL, _IONBF, 0);
    for (int round = 0;; round++) {
        long count = round % 3 == 2 ? (long)fread(got, 1, 20, stdin) : read(0, got, 20);
        if (count <= 0) exit(0);
    }
}

static void say(const char *what, long answer) {
    int error = errno;
    char line[100];
    int length = snprintf(line, sizeof line, "%s %ld %d\n", what, answer, answer < 0 ? error : 0);
    if (write(2, line, length) != length) exit(4);
}

static long unread(int end) {
    int count = -1;
    ioctl(end, FIONREAD, &count);
    return count;
}

/* Every call, and what it answers. */
static void ways(void) {
    int one[2], other[2], packets[2], refusing[2];
    signal(SIGPIPE, SIG_IGN);
    if (pipe(one) || pipe2(other, O_CLOEXEC) || pipe2(packets, O_DIRECT)) exit(5);
    if (pipe2(refusing, O_NONBLOCK)) exit(5);
    struct iovec pieces[2] = {{bytes, 30}, {bytes + 30, 12}};
    say("write", write(one[1], bytes, 100));
    say("writev", writev(one[1], pieces, 2));
    say("vmsplice", vmsplice(one[1], pieces, 2, 0));
    say("tee", tee(one[0], other[1], 150, 0));
    say("unread", unread(one[0]));
    say("read", read(one[0], bytes, 60));
    say("readv", readv(one[0], pieces, 2));
    say("splice", splice(one[0], NULL, other[1], NULL, 50, 0));
    say("rest", read(one[0], bytes, 1000));
    say("other", read(other[0], bytes, 1000));
    say("nothing", read(one[0], bytes, 0));
    say("packet", write(packets[1], bytes, 40));
    say("packet", write(packets[1], bytes, 40));
    say("part", read(packets[0], bytes, 10));
    say("next", read(packets[0], bytes, 100));
    say("empty", read(refusing[0], bytes, 10));
    long filled = 0, count;
    while ((count = write(refusing[1], bytes, 4096)) > 0) filled += count;
    say("full", count);
    say("filled", filled);
    say("drained", read(refusing[0], bytes, sizeof bytes));
    say("both ways", read(one[1], bytes, 10));
    close(one[1]);
    say("end", read(one[0], bytes, 10));
    close(other[0]);
    say("nobody", write(other[1], bytes, 10));
    if (fork() == 0) {
        signal(SIGPIPE, SIG_DFL);
        say("never", write(other[1], bytes, 10));
        _exit(0);
    }
    int status;
    wait(&status);
    say("signal", WTERMSIG(status));
}

static void many(long count) {
    int ends[2];
    if (pipe(ends)) exit(5);
    if (fork() == 0) {
        close(ends[0]);
        for (long at = 0; at < count; at++)
            if (write(ends[1], &at, sizeof at) != sizeof at) exit(6);
        exit(0);
    }
    close(ends[1]);
    long got, total = 0;
    while ((got = read(ends[0], bytes, 4096)) > 0) total += got;
    wait(NULL);
    if (total != count * (long)sizeof(long)) exit(6);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    long count = argc > 2 ? atol(argv[2]) : 0;
    memset(bytes, 'x', sizeof bytes);
    if (!strcmp(what, "ways")) ways();
    else if (!strcmp(what, "many")) many(count);
    else if (!strcmp(what, "reads")) mixed_reads();
    else mixed(what, count);
    return 0;
}
