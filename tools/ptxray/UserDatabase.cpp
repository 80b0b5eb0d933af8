// The C library's look-ups of users load shared libraries, which a static program cannot rely on; the
// linker warns of them. LLVM calls them for paths that begin with `~`, and no path here does.
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
