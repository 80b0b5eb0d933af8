// Replacements for glibc functions that the static parts of the shared library need, but that glibc 2.28 lacks. They
// let one library run on all systems since then, and one wheel serve all Pythons. They are not exported (exports.map).
#include <features.h>
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35) && defined(__x86_64__)
#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

/// The addresses of this library and of its unwind table.
struct Library {
  uintptr_t begin = UINTPTR_MAX, end = 0;
  void *table = nullptr;

  Library() {
    dl_iterate_phdr([](dl_phdr_info *object, size_t, void *own) { return static_cast<Library *>(own)->read(*object); },
                    this);
  }
  bool has(uintptr_t place) const { return begin <= place && place < end; }

private:
  /// Reads the addresses if `object` is this library. Returns whether it is.
  int read(const dl_phdr_info &object) {
    *this = Library(nullptr);
    for (int i = 0; i < object.dlpi_phnum; ++i) {
      const ElfW(Phdr) &part = object.dlpi_phdr[i];
      const uintptr_t first = object.dlpi_addr + part.p_vaddr;
      if (part.p_type == PT_LOAD) {
        begin = std::min(begin, first);
        end = std::max(end, first + part.p_memsz);
      } else if (part.p_type == PT_GNU_EH_FRAME) {
        table = reinterpret_cast<void *>(first);
      }
    }
    return has(reinterpret_cast<uintptr_t>(&anchor));
  }
  explicit Library(std::nullptr_t) {}
  static constexpr char anchor = 0;
};

/// Determined when the library is loaded, because later another thread may hold the lock of dl_iterate_phdr, possibly
/// during a fork.
const Library library;

} // namespace

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): the names are glibc's

char __libc_single_threaded = 0;

int stat(const char *path, struct stat *status) noexcept {
  return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, status, 0));
}
int lstat(const char *path, struct stat *status) noexcept {
  return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW));
}
int fstat(int file, struct stat *status) noexcept { return static_cast<int>(syscall(SYS_fstat, file, status)); }
int fstat64(int file, struct stat64 *status) noexcept { return static_cast<int>(syscall(SYS_fstat, file, status)); }

int pthread_sigmask(int how, const sigset_t *wanted, sigset_t *before) noexcept {
  return sigprocmask(how, wanted, before);
}

int pthread_once(pthread_once_t *once, void (*act)()) {
  static_assert(PTHREAD_ONCE_INIT == 0);
  constexpr pthread_once_t begun = 1, done = 2;
  std::atomic_ref<pthread_once_t> state(*once);
  pthread_once_t before = PTHREAD_ONCE_INIT;
  if (state.compare_exchange_strong(before, begun)) {
    act();
    state = done;
  }
  while (state != done)
    sched_yield();
  return 0;
}

/// Never called: the address of this function indicates that threads are available.
int __pthread_key_create(pthread_key_t *, void (*)(void *)) { return -1; }

/// Finds the unwind table for exceptions. No exception leaves the library.
int _dl_find_object(void *place, dl_find_object *found) noexcept {
  if (!library.has(reinterpret_cast<uintptr_t>(place)))
    return -1;
  found->dlfo_eh_frame = library.table;
  return 0;
}

// Newer versions of these functions are in another library, or treat errno differently.
#define PTXRAY_OLDER(result, name, parameters, arguments, exception)                                                   \
  __asm__(".symver older_" #name ", " #name "@GLIBC_2.2.5");                                                           \
  result older_##name parameters exception;                                                                            \
  result name parameters exception { return older_##name arguments; }
PTXRAY_OLDER(int, pthread_create, (pthread_t * thread, const pthread_attr_t *how, void *(*act)(void *), void *data),
             (thread, how, act, data), noexcept)
PTXRAY_OLDER(int, pthread_join, (pthread_t thread, void **result), (thread, result), )
PTXRAY_OLDER(int, pthread_detach, (pthread_t thread), (thread), noexcept)
PTXRAY_OLDER(double, log2, (double number), (number), noexcept)
#undef PTXRAY_OLDER

// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
} // extern "C"
#endif
