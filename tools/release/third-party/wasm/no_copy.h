#include <errno.h>
#include <sys/types.h>
/* libc++ takes every musl for that of Linux, which has copy_file_range; WASI has not. */
static inline ssize_t no_copy(int from, off_t *a, int to, off_t *b, size_t size, unsigned flags) {
  errno = ENOSYS;
  return -1;
}
