/* Loaded before a program: the file system cannot allocate space, as NFS 3 and some of FUSE. */
#include <errno.h>
#include <sys/types.h>

int fallocate(int file, int mode, off_t offset, off_t bytes) {
    (void)file, (void)mode, (void)offset, (void)bytes;
    errno = EOPNOTSUPP;
    return -1;
}

int fallocate64(int file, int mode, off_t offset, off_t bytes) {
    return fallocate(file, mode, offset, bytes);
}
