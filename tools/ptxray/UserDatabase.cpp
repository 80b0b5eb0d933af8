// The C library loads shared libraries to look up users. A static program cannot rely on them, and the linker warns of
// it. LLVM calls these functions only for paths that begin with `~`, which do not occur here.
#include <cstddef>
#include <pwd.h>

extern "C" {
int getpwnam_r(const char *, passwd *, char *, size_t, passwd **found) {
  *found = nullptr;
  return 0;
}
int getpwuid_r(uid_t, passwd *, char *, size_t, passwd **found) {
  *found = nullptr;
  return 0;
}
}
