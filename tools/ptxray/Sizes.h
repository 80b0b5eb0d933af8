#pragma once
// The numbers in a command that a reduction minimises along with the text: blocks, threads, lengths of buffers.
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace ptxray {

/// A number in a command. `{NAME}` in words stands for its value.
struct Size {
  std::string name;
  uint64_t least, value;
};
using Sizes = std::vector<Size>;

/// Returns the words with names replaced by the values of the sizes.
std::vector<std::string> filled(llvm::ArrayRef<std::string> words, llvm::ArrayRef<Size> sizes);

/// Returns the sizes of a launch: grid, blocks, clusters, dynamic shared memory and buffers. Replaces their values in
/// the words of `ptxray run` by names. Options must be written as `--name=value`.
Sizes takeLaunchSizes(std::vector<std::string> &words);

/// Parses `NAME=N`. Returns false if the text has another form.
bool readSize(llvm::StringRef text, Size &size);

/// Returns smaller values: the smallest first, then values closer and closer to the current one.
std::vector<uint64_t> lesserValues(const Size &size);

/// Returns the words as one line in shell syntax.
std::string asOneLine(llvm::ArrayRef<std::string> words);
/// Returns the words of the first line that begins with `// run: `.
std::vector<std::string> launchWordsIn(llvm::StringRef text);

} // namespace ptxray
