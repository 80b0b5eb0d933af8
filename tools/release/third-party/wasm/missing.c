/* What the C++ libraries ask of the system's C library, and wasi-libc has not. */
#include <errno.h>
#include <stddef.h>
extern int __cxa_atexit(void (*)(void *), void *, void *);
int __cxa_thread_atexit(void (*end)(void *), void *object, void *dso) { return __cxa_atexit(end, object, dso); }
int pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void)) { return 0; }
int madvise(void *at, size_t size, int advice) { return 0; }
int getpwnam_r(const char *name, void *user, char *room, size_t size, void **result) {
  *result = 0;
  return ENOENT;
}
int getpwuid_r(unsigned id, void *user, char *room, size_t size, void **result) {
  *result = 0;
  return ENOENT;
}
