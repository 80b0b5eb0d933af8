// Stubs for Unix functions that LLVM's Support uses and WASI lacks. This file is included at the beginning of each of
// its files. Every function fails.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#ifdef __cplusplus
extern "C++" {
inline int ptxray_missing(...) {
  errno = ENOSYS;
  return -1;
}
inline mode_t umask(mode_t) { return 022; }
struct Dl_info {
  const char *dli_fname;
};
inline int dladdr(const void *, Dl_info *) { return 0; }
}
#define dup ptxray_missing
#define dup2 ptxray_missing
#define fchown ptxray_missing
#define getuid() 0
#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2
#define F_SETLK 6
#define F_SETLKW 7
#define MNT_LOCAL 1
#define f_flags f_flag
#define RLIMIT_CORE 4
struct rlimit {
  unsigned long long rlim_cur, rlim_max;
};
#define getrlimit ptxray_missing
#define setrlimit ptxray_missing
#define SIG_SETMASK 2
#define sigfillset(s) 0
#define pthread_sigmask(a, b, c) 0
struct winsize {
  unsigned short ws_row, ws_col;
};
#define TIOCGWINSZ 0x5413
#endif
