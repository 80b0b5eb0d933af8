#pragma once
// The numbers of a command that a reduction makes smaller beside the text: blocks, threads, the lengths of buffers.
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace ptxray {

/// `{NAME}` in words stands for its value.
struct Size {
  std::string name;
  uint64_t least, value;
};
using Sizes = std::vector<Size>;

/// Returns the words with the values of the sizes in place of their names.
std::vector<std::string> filled(llvm::ArrayRef<std::string> words, llvm::ArrayRef<Size> sizes);

/// Returns the sizes of a launch: its grid, blocks, clusters, dynamic shared memory and buffers. The words of `ptxray
/// run`, with options written as `--name=value`, then have names in their places.
Sizes takeLaunchSizes(std::vector<std::string> &words);

/// `NAME=N`; false: it is not that.
bool readSize(llvm::StringRef text, Size &size);

/// Values that are less, the least one first and then ever nearer to the value that it has.
std::vector<uint64_t> lesserValues(const Size &size);

/// Returns the words as one line that a shell reads.
std::string asOneLine(llvm::ArrayRef<std::string> words);
/// Returns the words in the first line that begins with `// run: `.
std::vector<std::string> launchWordsIn(llvm::StringRef text);

} // namespace ptxray
