// The functions of PerThread.def: each is the ordinary one, called while the default stream is that of the thread.
#include "Runtime.h"
#include <utility>

namespace ptxray::runtime {
namespace {

/// A stream as the program hands it over, in the place of a pointer.
struct Stream {
  void *handle;
};
template <typename Type> struct Given {
  using Plain = Type;
  static Type of(Type value) { return value; }
};
template <> struct Given<Stream> {
  using Plain = void *;
  static void *of(Stream stream) { return stream.handle ? stream.handle : defaultStream(); }
};

/// The type of the ordinary function.
template <typename... Types> using Plain = Error(typename Given<Types>::Plain...);

template <auto function, bool waits, typename... Types> Error callOfThread(Types... values) {
  const bool before = std::exchange(defaultIsOfThread, true);
  Error result = function(Given<Types>::of(values)...);
  if (waits && result == Success)
    result = noted(cuStreamSynchronize(defaultStream()));
  defaultIsOfThread = before;
  return result;
}

} // namespace
} // namespace ptxray::runtime

using namespace ptxray::runtime;

// The loader asks for the address of each function, since a function that a template makes has no name of its own.
#define PTXRAY_OF_THREAD(name, suffix, waits, ...)                                                                     \
  extern "C" Plain<__VA_ARGS__> name;                                                                                  \
  extern "C" __attribute__((used)) auto *resolve_##name() { return &callOfThread<&name, waits, __VA_ARGS__>; }         \
  PTXRAY_RUNTIME name##suffix(__VA_ARGS__) __attribute__((ifunc("resolve_" #name)));
#define PTXRAY_PER_THREAD(name, suffix, ...) PTXRAY_OF_THREAD(name, suffix, false, __VA_ARGS__)
#define PTXRAY_PER_THREAD_COPY(name, ...) PTXRAY_OF_THREAD(name, _ptds, true, __VA_ARGS__)
#include "PerThread.def"
