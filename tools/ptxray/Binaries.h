#pragma once
// Functions that the commands reading binaries share.
#include "Binary/Binary.h"
#include "BinaryOptions.h"

namespace ptxray {

/// The first bytes of an ELF file.
inline constexpr llvm::StringLiteral elfMagic = "\x7f"
                                                "ELF";

/// A binary, and the bytes to which its entries refer.
struct OpenBinary {
  std::string path;
  std::unique_ptr<SourceBuffer> file;
  Binary content;
  ReadLimits limits;
};

/// Parses a size such as `64M`. Returns nothing if the text is invalid.
std::optional<uint64_t> bytesNamed(llvm::StringRef text);
/// Returns the value of `--max-size`.
Expected<ReadLimits> readLimits(const Arguments &arguments);

/// A binary or a text.
struct OpenInput {
  std::unique_ptr<OpenBinary> binary;
  std::unique_ptr<SourceBuffer> text;
};
Expected<OpenInput> openInput(llvm::StringRef path, const ReadLimits &limits);

/// One PTX module of an input: the input itself, the entry that `--text` selects, or the only entry.
struct OneText {
  std::unique_ptr<SourceBuffer> source; // null if there is none
  std::string problem;                  // why there is none
  std::string entry;                    // name of the entry; empty if the input is PTX
  bool isSeparate = false;              // compiled for linking
  bool isObject = false;                // the input is a cubin, which contains no PTX, or a truncated one
};
OneText openText(llvm::StringRef path, const Arguments &arguments);

/// A PTX module in a binary that is to be checked.
struct TextTask {
  size_t entry = 0;
  std::vector<size_t> alike; // entries with the same text
  bool isSeparate = false;   // compiled for linking
  bool failsArch = false;    // the first one in a container without code for `--arch`
};
/// Returns the distinct PTX modules. `arch` is empty or a target.
std::vector<TextTask> textTasks(const OpenBinary &binary, llvm::StringRef arch);

/// Returns whether a file is a binary, according to its first bytes. Reads only regular files.
bool beginsAsBinary(const std::string &path);
bool isPlainFile(const std::string &path);

} // namespace ptxray
