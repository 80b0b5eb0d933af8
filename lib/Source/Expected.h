#pragma once
#include <cassert>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace ptxray {

/// Words for what went wrong; they become an `Expected` that has no value.
struct Problem {
  std::string text;
};

/// A value, or the problem because of which there is none.
template <typename T> class [[nodiscard]] Expected {
public:
  template <typename U>
    requires std::is_convertible_v<U, T>
  Expected(U &&value) : held(std::forward<U>(value)) {}
  Expected(Problem problem) : what(std::move(problem.text)) { assert(!what.empty() && "a problem is told in words"); }

  explicit operator bool() const { return held.has_value(); }
  T &operator*() { return *held; }
  const T &operator*() const { return *held; }
  T *operator->() { return &*held; }
  const T *operator->() const { return &*held; }
  /// Returns an empty text if there is a value.
  const std::string &problem() const { return what; }

private:
  std::optional<T> held;
  std::string what;
};

/// Takes the value, if there is one. Returns the problem; empty: there was none.
template <typename T, typename U> std::string take(T &to, Expected<U> from) {
  if (from)
    to = std::move(*from);
  return from.problem();
}

} // namespace ptxray
