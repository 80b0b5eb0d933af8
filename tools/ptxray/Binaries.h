#pragma once
// The commands that read binaries share these functions.
#include "Binary/Binary.h"
#include "BinaryOptions.h"

namespace ptxray {

/// Files of the format ELF begin with these bytes.
inline constexpr llvm::StringLiteral elfMagic = "\x7f"
                                                "ELF";

/// A binary, with the bytes that its entries lie in.
struct OpenBinary {
  std::string path;
  std::unique_ptr<SourceBuffer> file;
  Binary content;
  ReadLimits limits;
};

/// Returns the number of bytes that a text names, such as `64M`; nothing: it names none.
std::optional<uint64_t> bytesNamed(llvm::StringRef text);
/// Reads `--max-size`.
Expected<ReadLimits> readLimits(const Arguments &arguments);

/// An input that may be a binary: one of the two.
struct OpenInput {
  std::unique_ptr<OpenBinary> binary;
  std::unique_ptr<SourceBuffer> text;
};
Expected<OpenInput> openInput(llvm::StringRef path, const ReadLimits &limits);

/// One text of an input: the input itself, or the entry that `--text` names, or the only one.
struct OneText {
  std::unique_ptr<SourceBuffer> source; // null: there is none
  std::string problem;                  // why there is none
  std::string entry;                    // what the entry is called; empty: the input is a text
  bool isSeparate = false;              // it was made to be linked
  bool isObject = false;                // the input is a cubin, which has none, or a torn one
};
OneText openText(llvm::StringRef path, const Arguments &arguments);

/// A text of a binary that is to be checked.
struct TextTask {
  size_t entry = 0;
  std::vector<size_t> alike; // entries with the same text
  bool isSeparate = false;   // it was made to be linked
  bool failsArch = false;    // the first text of a container that has nothing for `--arch`
};
/// Returns the texts, each once. `arch` is empty or a target.
std::vector<TextTask> textTasks(const OpenBinary &binary, llvm::StringRef arch);

/// Returns whether a file is a binary, by its first bytes. Only plain files are read.
bool beginsAsBinary(const std::string &path);
bool isPlainFile(const std::string &path);

} // namespace ptxray
