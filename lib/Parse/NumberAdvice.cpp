#include "Parse/NumberAdvice.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

/// Returns whether the text ends inside `[...]`.
static bool endsInAddress(llvm::StringRef text) {
  constexpr size_t farthest = 200; // a malicious text may contain many numbers and no bracket
  const llvm::StringRef near = text.take_back(farthest);
  const size_t at = near.find_last_of("[];");
  return at != llvm::StringRef::npos && near[at] == '[';
}

void adviseOnNumber(llvm::StringRef before, llvm::StringRef number, Diagnostic &d) {
  auto fix = [&d](std::string text) { d.fix = Fix{"write `" + text + "`", {{d.range, text}}, /*safe=*/true}; };
  const llvm::StringRef hex = number.drop_back();
  if (number.ends_with_insensitive("h") && llvm::all_of(hex, llvm::isHexDigit)) {
    d.notes.push_back({"a hexadecimal number begins with `0x`", std::nullopt});
    const llvm::StringRef digits = hex.ltrim('0');
    return fix(("0x" + (digits.empty() ? "0" : digits)).str());
  }
  const bool isSingle = number.starts_with_insensitive("0f");
  if (isSingle || number.starts_with_insensitive("0d")) {
    const size_t digits = number.size() - 2, wanted = isSingle ? 8 : 16;
    d.notes.push_back({"`" + number.take_front(2).str() + "` is followed by " + std::to_string(wanted) +
                           " hexadecimal digits, here by " + std::to_string(digits),
                       std::nullopt});
    return;
  }
  auto note = [&d](const char *message) { d.notes.push_back({message, std::nullopt}); };
  if (number.starts_with_insensitive("0x") && number.ends_with("u") &&
      llvm::all_of(number.drop_front(2).drop_back(), llvm::isHexDigit)) {
    note("the suffix of unsigned numbers is `U`");
    return fix(number.drop_back().str() + "U");
  }
  if (number.contains('_') && llvm::all_of(number, [](char c) { return llvm::isDigit(c) || c == '_'; })) {
    note("a number has no `_` between its digits");
    std::string plain = number.str();
    std::erase(plain, '_');
    return fix(plain);
  }
  if (llvm::isDigit(number.back()) && number.count('x') && !number.starts_with("0x") &&
      llvm::all_of(number, [](char c) { return llvm::isDigit(c) || c == 'x'; })) {
    note("numbers are separated by commas");
    std::string list = number.str();
    for (size_t at = 0; (at = list.find('x', at)) != std::string::npos;)
      list.replace(at, 1, ", ");
    return fix(list);
  }
  if (number.starts_with("0") && llvm::all_of(number, llvm::isDigit))
    return note("a number that begins with `0` is octal: its digits are 0 to 7");
  const llvm::StringRef plain = number.rtrim("fFhHlLuU"), suffix = number.substr(plain.size());
  const bool isReal = plain.find_first_of(".eE") != llvm::StringRef::npos || suffix.equals_insensitive("f");
  if (suffix.empty() || number.starts_with_insensitive("0x") ||
      !llvm::all_of(plain, [](char c) { return llvm::isDigit(c) || llvm::StringRef(".eE+-").contains(c); }))
    return;
  d.notes.push_back({"PTX numbers have no suffix `" + suffix.str() + "`" +
                         (isReal ? ": a point or an exponent makes it floating-point" : "; `U` is the only one"),
                     std::nullopt});
  if (isReal && endsInAddress(before)) // addresses accept integers only
    return;
  if (isReal)
    fix(plain.str() + (plain.ends_with(".") ? "0" : plain.find_first_of(".eE") != llvm::StringRef::npos ? "" : ".0"));
  else
    fix(plain.str() + (suffix.contains_insensitive("u") ? "U" : ""));
}

} // namespace ptxray
