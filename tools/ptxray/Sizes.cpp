#include "Sizes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

using llvm::StringRef;

std::vector<std::string> filled(llvm::ArrayRef<std::string> words, llvm::ArrayRef<Size> sizes) {
  std::vector<std::string> result(words.begin(), words.end());
  for (std::string &word : result)
    for (const Size &size : sizes) {
      const std::string name = "{" + size.name + "}", value = std::to_string(size.value);
      for (size_t at = 0; (at = word.find(name, at)) != std::string::npos; at += value.size())
        word.replace(at, name.size(), value);
    }
  return result;
}

/// Makes a number the value of a new size, and returns the name of the size. Text that is not a number is returned
/// unchanged.
static std::string nameFor(StringRef number, const std::string &name, uint64_t least, Sizes &sizes) {
  uint64_t value = 0;
  if (number.getAsInteger(10, value))
    return number.str();
  sizes.push_back({name, least, value});
  return "{" + name + "}";
}

/// Turns `--grid=4,2` into `--grid={grid.x},{grid.y}`.
static std::string takeTriple(StringRef option, StringRef value, Sizes &sizes) {
  static constexpr StringRef axes[] = {".x", ".y", ".z"};
  llvm::SmallVector<StringRef, 3> parts;
  value.split(parts, ',');
  std::string word = ("--" + option + "=").str();
  for (size_t i = 0; i < parts.size(); ++i)
    word += (i ? "," : "") + nameFor(parts[i], (option + (i < 3 ? axes[i] : "")).str(), 1, sizes);
  return word;
}

/// Turns `zeros:4096` and `fill:u32:64:7` into `zeros:{buffer0}` and `fill:u32:{buffer0}:7`.
static std::string takeBuffer(StringRef spec, const std::string &name, Sizes &sizes) {
  llvm::SmallVector<StringRef, 4> parts;
  spec.split(parts, ':');
  if (parts.size() < 2 || !llvm::is_contained({"zeros", "iota", "fill", "random", "edges"}, parts[0]))
    return spec.str();
  const size_t at = parts.size() == 2 ? 1 : 2; // the number of bytes, or of elements of a type
  std::string word;
  for (size_t i = 0; i < parts.size(); ++i)
    word += (i ? ":" : "") + (i == at ? nameFor(parts[i], name, 1, sizes) : parts[i].str());
  return word;
}

Sizes takeLaunchSizes(std::vector<std::string> &words) {
  Sizes sizes;
  unsigned argument = 0;
  for (std::string &written : words) {
    StringRef word = written;
    if (!word.consume_front("--")) {
      written = takeBuffer(word, "buffer" + std::to_string(argument++), sizes);
      continue;
    }
    const auto [option, value] = word.split('=');
    if (option == "grid" || option == "block" || option == "cluster")
      written = takeTriple(option, value, sizes);
    else if (option == "shared")
      written = "--shared=" + nameFor(value, "shared", 0, sizes);
    else if (option == "buffer")
      written = ("--buffer=" + value.split('=').first + "=").str() +
                takeBuffer(value.split('=').second, ("buffer." + value.split('=').first).str(), sizes);
  }
  return sizes;
}

bool readSize(StringRef text, Size &size) {
  const auto [name, number] = text.split('=');
  size = {name.str(), 0, 0};
  return !name.empty() && !number.getAsInteger(10, size.value);
}

std::vector<uint64_t> lesserValues(const Size &size) {
  constexpr uint64_t few = 64, part = 8; // for a large size, the last step is an eighth of the range
  std::vector<uint64_t> values;
  if (size.value <= size.least)
    return values;
  values.push_back(size.least);
  const uint64_t range = size.value - size.least;
  for (uint64_t less = range / 2; less > (size.value <= few ? 0 : range / part - 1); less /= 2)
    values.push_back(size.value - less);
  return values;
}

std::string asOneLine(llvm::ArrayRef<std::string> words) {
  std::string line;
  for (const std::string &word : words) {
    const bool isPlain = !word.empty() && StringRef(word).find_first_of(" \t\n'\"\\$&;|<>(){}*?#`") == StringRef::npos;
    line += (line.empty() ? "" : " ") + (isPlain ? word : "'" + word + "'");
  }
  return line;
}

std::vector<std::string> launchWordsIn(StringRef text) {
  std::vector<std::string> words;
  constexpr StringRef mark = "// run: ";
  size_t at = text.starts_with(mark) ? 0 : text.find(("\n" + mark).str());
  if (at == StringRef::npos)
    return words;
  at += text[at] == '\n';
  StringRef line = text.substr(at + mark.size()).take_until([](char c) { return c == '\n' || c == '\r'; });
  while (!(line = line.ltrim()).empty()) {
    const bool isQuoted = line.consume_front("'");
    const StringRef word = line.take_until([&](char c) { return isQuoted ? c == '\'' : c == ' '; });
    words.push_back(word.str());
    line = line.drop_front(std::min(word.size() + isQuoted, line.size()));
  }
  return words;
}

} // namespace ptxray
