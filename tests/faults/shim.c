/* Makes one rank's system calls fail, for the tests of this folder: preloaded by LD_PRELOAD.
 *
 * FAULT_RANK   the rank (OMPI_COMM_WORLD_RANK, else PMIX_RANK; a process without either is rank 0)
 * FAULT_CALL   open, read, write, sync or rename
 * FAULT_PATH   the end of the file's path (rename: of the new one)
 * FAULT_ERRNO  the number of the error
 * FAULT_AFTER  so many such calls go well before; all later ones fail
 * FAULT_ONCE   set: only one call fails
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int chosen = -1; /* is this the rank? -1: not looked yet */
static atomic_long seen;

static int is_chosen(const char *call) {
    if (chosen < 0) {
        const char *wanted = getenv("FAULT_RANK"), *rank = getenv("OMPI_COMM_WORLD_RANK");
        if (!rank) rank = getenv("PMIX_RANK");
        if (!rank) rank = "0";
        chosen = wanted && !strcmp(wanted, rank);
    }
    const char *wanted = getenv("FAULT_CALL");
    return chosen && wanted && !strcmp(wanted, call);
}

/* Whether the call on this path fails; sets errno then. */
static int fails(const char *call, const char *path) {
    const char *end = getenv("FAULT_PATH"), *after = getenv("FAULT_AFTER"), *number = getenv("FAULT_ERRNO");
    if (!is_chosen(call) || !path || !end || strlen(path) < strlen(end)) return 0;
    if (strcmp(path + strlen(path) - strlen(end), end)) return 0;
    long before = atomic_fetch_add(&seen, 1) - (after ? atol(after) : 0);
    if (before < 0 || (before > 0 && getenv("FAULT_ONCE"))) return 0;
    errno = number ? atoi(number) : EIO;
    return 1;
}

static int fails_of(const char *call, int file) {
    if (!is_chosen(call)) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return fails(call, path);
}

/* The real function of this name. */
#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#define OPEN(function) \
    int function(const char *path, int flags, ...) { \
        REAL(int, #function, const char *, int, mode_t); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = va_arg(rest, mode_t); \
        va_end(rest); \
        return fails("open", path) ? -1 : real(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(function) \
    int function(int folder, const char *path, int flags, ...) { \
        REAL(int, #function, int, const char *, int, mode_t); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = va_arg(rest, mode_t); \
        va_end(rest); \
        return fails("open", path) ? -1 : real(folder, path, flags, mode); \
    }
OPENAT(openat)
OPENAT(openat64)

#define MOVES(call, function, buffer, length) \
    ssize_t function(int file, buffer data, length count) { \
        REAL(ssize_t, #function, int, buffer, length); \
        return fails_of(call, file) ? -1 : real(file, data, count); \
    }
MOVES("read", read, void *, size_t)
MOVES("read", readv, const struct iovec *, int)
MOVES("write", write, const void *, size_t)
MOVES("write", writev, const struct iovec *, int)

#define MOVES_AT(call, function, buffer, length, place) \
    ssize_t function(int file, buffer data, length count, place at) { \
        REAL(ssize_t, #function, int, buffer, length, place); \
        return fails_of(call, file) ? -1 : real(file, data, count, at); \
    }
MOVES_AT("read", pread, void *, size_t, off_t)
MOVES_AT("read", pread64, void *, size_t, off64_t)
MOVES_AT("read", preadv, const struct iovec *, int, off_t)
MOVES_AT("read", preadv64, const struct iovec *, int, off64_t)
MOVES_AT("write", pwrite, const void *, size_t, off_t)
MOVES_AT("write", pwrite64, const void *, size_t, off64_t)
MOVES_AT("write", pwritev, const struct iovec *, int, off_t)
MOVES_AT("write", pwritev64, const struct iovec *, int, off64_t)

#define SYNC(function) \
    int function(int file) { \
        REAL(int, #function, int); \
        return fails_of("sync", file) ? -1 : real(file); \
    }
SYNC(fsync)
SYNC(fdatasync)

int rename(const char *from, const char *to) {
    REAL(int, "rename", const char *, const char *);
    return fails("rename", to) ? -1 : real(from, to);
}
