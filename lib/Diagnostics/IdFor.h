#pragma once
// Compares each report with its message at compile time. `report(DiagId::LargeCluster, range, directive, 8)` compiles
// only if the message has two placeholders, the second of them a number.
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ptxray {

enum class DiagId : uint16_t {
#define DIAG(name, ...) name,
#include "Diagnostics/Diagnostics.def"
};

/// The messages, in the order of `DiagId`.
inline constexpr std::string_view diagMessages[] = {
#define DIAG(name, id, level, message, ...) message,
#include "Diagnostics/Diagnostics.def"
};

/// Represents a text argument that the caller adds after the report.
struct AddedLater {};
inline constexpr AddedLater addedLater;

enum class ArgumentKind : bool { Text, Number };
template <typename T>
inline constexpr ArgumentKind argumentKind = std::integral<T> ? ArgumentKind::Number : ArgumentKind::Text;

inline std::string argumentText(const llvm::Twine &text) { return text.str(); }
std::string argumentText(std::integral auto number) { return std::to_string(number); }

/// Returns whether the message has a placeholder for each of the arguments, in this order; `{name#}` is for a number.
consteval bool takes(std::string_view message, const ArgumentKind *kinds, size_t count) {
  size_t found = 0;
  for (size_t open = message.find('{'); open != message.npos; open = message.find('{', open + 1)) {
    const std::string_view placeholder = message.substr(open, message.find('}', open) - open);
    const std::string_view name = placeholder.substr(0, placeholder.find('#'));
    bool isKnown = false;
    for (size_t before = message.find(name); before < open; before = message.find(name, before + 1))
      isKnown |= message[before + name.size()] == '#' || message[before + name.size()] == '}';
    if (isKnown)
      continue;
    const ArgumentKind kind = name.size() < placeholder.size() ? ArgumentKind::Number : ArgumentKind::Text;
    if (found == count || kinds[found] != kind)
      return false;
    ++found;
  }
  return found == count;
}

/// A diagnostic id whose message accepts arguments of these kinds.
template <ArgumentKind... kinds> struct IdTaking {
  DiagId value;

  consteval IdTaking(DiagId id) : value(id) {
    const ArgumentKind given[] = {kinds..., ArgumentKind::Text}; // never empty
    if (!takes(diagMessages[static_cast<size_t>(id)], given, sizeof...(kinds)))
      __builtin_trap(); // the message has other arguments: not a constant expression
  }
};
template <typename... Args> using IdFor = std::type_identity_t<IdTaking<argumentKind<Args>...>>;

template <size_t... i> IdTaking<(void(i), ArgumentKind::Text)...> idTaking(std::index_sequence<i...>);
template <size_t count> using IdTakingTexts = decltype(idTaking(std::make_index_sequence<count>()));

} // namespace ptxray
