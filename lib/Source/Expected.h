#pragma once
#include <cassert>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace ptxray {

/// The description of an error. It converts to an `Expected` without a value.
struct Problem {
  std::string text;
};

/// A value, or the problem that prevented it.
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
  /// Returns an empty string if there is a value.
  const std::string &problem() const { return what; }

private:
  std::optional<T> held;
  std::string what;
};

/// Moves the value into `to`, if there is one. Returns the problem, or an empty string.
template <typename T, typename U> std::string take(T &to, Expected<U> from) {
  if (from)
    to = std::move(*from);
  return from.problem();
}

} // namespace ptxray
