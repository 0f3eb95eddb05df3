/* A library to preload: the process sees the time of day with a difference in seconds, which the
 * file in HEARBACK_TEST_CLOCK holds as 8 bytes. The time that passes stays the machine's.
 *
 * libfaketime does the same, and hangs in a process whose memory is managed by jemalloc. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *difference;

__attribute__((constructor)) static void open_file(void) {
  const char *path = getenv("HEARBACK_TEST_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  void *map = mmap(NULL, sizeof *difference, PROT_READ, MAP_SHARED, file, 0);
  if (map == MAP_FAILED) _exit(97);
  close(file);
  difference = map;
}

/* The Rust standard library reads the time of day by this function alone. */
int clock_gettime(clockid_t clock, struct timespec *time) {
  int status = syscall(SYS_clock_gettime, clock, time);
  if (status == 0 && clock == CLOCK_REALTIME && difference) time->tv_sec += *difference;
  return status;
}
