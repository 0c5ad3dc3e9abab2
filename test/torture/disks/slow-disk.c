/*
 * Loaded into a process (LD_PRELOAD): what it flushes to disk takes as many milliseconds longer as the file named by
 * SLOW_DISK_FILE says; nothing, where there is no such file. Writes to files take a hundredth of that.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static long slowness(void) {
  const char *file = getenv("SLOW_DISK_FILE");
  char text[16] = {0};
  int fd;
  if (file == NULL || (fd = open(file, O_RDONLY | O_CLOEXEC)) < 0) return 0;
  ssize_t length = read(fd, text, sizeof text - 1);
  close(fd);
  return length > 0 ? atol(text) : 0;
}

static void wait_ms(double ms) {
  struct timespec time = {(time_t)(ms / 1000), (long)((ms - 1000 * (long)(ms / 1000)) * 1e6)};
  if (ms > 0) nanosleep(&time, NULL);
}

static void wait_for_write(int fd) {
  struct stat about;
  long ms = slowness();
  if (ms > 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) wait_ms(ms / 100.0);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int fsync(int fd) {
  wait_ms(slowness());
  return NEXT(fsync)(fd);
}

int fdatasync(int fd) {
  wait_ms(slowness());
  return NEXT(fdatasync)(fd);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  wait_for_write(fd);
  return NEXT(pwrite)(fd, bytes, count, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  wait_for_write(fd);
  return NEXT(pwrite64)(fd, bytes, count, at);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
  wait_for_write(fd);
  return NEXT(pwritev)(fd, parts, count, at);
}
