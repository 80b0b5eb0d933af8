// Definitions that follow from the list of functions alone: functions that pass their arguments to the driver,
// unsupported functions, and variants whose default stream belongs to the calling thread.
#include "Runtime.h"
#include <type_traits>
#include <utility>

namespace ptxray::runtime {
namespace {

/// A stream as the program passes it. It has its own type, to distinguish it from a pointer.
struct Stream {
  void *handle;
};

/// An argument of a function: its type in the program's call, and its value for the functions here and in the driver.
template <typename Type> struct Given {
  using Plain = Type;
  static Type of(Type value) { return value; }
};
template <> struct Given<Stream> {
  using Plain = void *;
  static void *of(Stream stream) { return stream.handle ? stream.handle : defaultStream(); }
};

/// An argument that converts itself to the parameter of a driver function, such as a pointer to an `Address`.
template <typename Type> struct Argument {
  Type value;
  template <typename To> operator To() const {
    static_assert(sizeof(To) == sizeof(Type) || std::is_integral_v<To>);
    if constexpr (std::is_convertible_v<Type, To>)
      return value;
    else if constexpr (std::is_pointer_v<To> && std::is_pointer_v<Type>)
      return To(const_cast<void *>(static_cast<const void *>(value)));
    else
      return reinterpret_cast<To>(value);
  }
};

template <auto function, typename Type> struct Call;
template <auto function, typename... Types> struct Call<function, Error(Types...)> {
  using Plain = Error(typename Given<Types>::Plain...);

  static Error passed(Types... values) {
    return inContext([&] { return function(Argument<typename Given<Types>::Plain>{Given<Types>::of(values)}...); });
  }
  static Error passedOfThread(Types... values) {
    const DefaultOfThread ofThread;
    return passed(values...);
  }
  static Error ofThread(Types... values) {
    const DefaultOfThread ofThread;
    return function(Given<Types>::of(values)...);
  }
  static Error unsupported(Types...) { return noted(NotSupported); }
  static Error copyOfThread(Types... values) {
    const DefaultOfThread ofThread;
    const Error result = function(Given<Types>::of(values)...);
    return result == Success ? noted(cuStreamSynchronize(defaultStream())) : result;
  }
};

} // namespace
} // namespace ptxray::runtime

using namespace ptxray::runtime;

// Gives a name to an instance of a template by an ifunc: the loader calls the resolver for the address. g++ compares
// the resolver's result with the declared type, which uses other types for the same registers.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wattribute-alias"
#endif
#define PTXRAY_NAMED(name, how, function, parameters)                                                                  \
  extern "C" __attribute__((used)) auto *resolve_##name() { return &Call<function, Error parameters>::how; }           \
  extern "C" __attribute__((visibility("default"), ifunc("resolve_" #name))) ptxray::runtime::signature::name name;
#define PTXRAY_FUNCTION(name, parameters)
#define PTXRAY_STREAM(name, suffix, parameters) PTXRAY_NAMED(name##suffix, ofThread, &name, parameters)
#define PTXRAY_COPY(name, suffix, parameters) PTXRAY_NAMED(name##suffix, copyOfThread, &name, parameters)
#define PTXRAY_PASS(name, other, parameters) PTXRAY_NAMED(name, passed, &other, parameters)
#define PTXRAY_PASS_STREAM(name, suffix, other, parameters)                                                            \
  PTXRAY_NAMED(name, passed, &other, parameters) PTXRAY_NAMED(name##suffix, passedOfThread, &other, parameters)
#define PTXRAY_ABSENT(name, parameters) PTXRAY_NAMED(name, unsupported, nullptr, parameters)
#define PTXRAY_ABSENT_STREAM(name, suffix, parameters)                                                                 \
  PTXRAY_ABSENT(name, parameters) PTXRAY_NAMED(name##suffix, unsupported, nullptr, parameters)
#include "../cuda/RuntimeApi.def"
