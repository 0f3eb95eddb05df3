/* A library to preload into PostgreSQL: while the byte in the file of HEARBACK_TEST_DISK is not 0, no
 * file of a table or an index grows, as on a full disk. The write-ahead log still grows. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const volatile char *is_full;

__attribute__((constructor)) static void open_file(void) {
  const char *path = getenv("HEARBACK_TEST_DISK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  void *map = mmap(NULL, sizeof *is_full, PROT_READ, MAP_SHARED, file, 0);
  if (map == MAP_FAILED) _exit(97);
  close(file);
  is_full = map;
}

/* Whether a write up to `end` would make a file of a table or an index longer. */
static int has_no_room(int file, off_t end) {
  char link[32], path[4096];
  struct stat it;
  if (!is_full || !*is_full || fstat(file, &it) != 0 || end <= it.st_size) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  return strstr(path, "/base/") != NULL;
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  if (!has_no_room(file, offset + count)) {
    return syscall(SYS_pwrite64, file, bytes, count, offset);
  }
  errno = ENOSPC;
  return -1;
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off_t offset) {
  return pwrite(file, bytes, count, offset);
}

/* The versions from 16 make a file longer by these two. */
ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
  off_t end = offset;
  for (int part = 0; part < count; part++) end += parts[part].iov_len;
  if (!has_no_room(file, end)) return syscall(SYS_pwritev, file, parts, count, offset, 0L);
  errno = ENOSPC;
  return -1;
}

int posix_fallocate(int file, off_t offset, off_t length) {
  if (has_no_room(file, offset + length)) return ENOSPC;
  return syscall(SYS_fallocate, file, 0, offset, length) == 0 ? 0 : errno;
}
