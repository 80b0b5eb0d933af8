#pragma once
// Finds the layouts of an instruction from its qualifiers, and from values that qualifiers do not specify (the shape in
// a descriptor, an id, a selector).
#include "Layout/Layout.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

namespace ptxray::layout {

/// A query about an instruction. Omitted numbers have default values.
struct Request {
  std::string instruction;               // `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32`, or shorter
  std::string arch;                      // `gfx12` for AMD's instructions
  llvm::StringMap<std::string> settings; // `m` -> `128`

  std::optional<uint32_t> number(llvm::StringRef name) const;
  uint32_t number(llvm::StringRef name, uint32_t otherwise) const { return number(name).value_or(otherwise); }
  llvm::StringRef text(llvm::StringRef name) const;
};

/// The layouts, or the reason why there are none.
struct Answer {
  std::vector<Layout> layouts;
  std::vector<std::string> notes;
  std::string complaint;

  static Answer refuse(std::string why) { return {{}, {}, std::move(why)}; }
};

/// The dotted words of an instruction. `cta_group::1` is one word.
struct Words {
  explicit Words(llvm::StringRef instruction);
  bool has(llvm::StringRef word) const;
  bool starts(llvm::StringRef mnemonic) const { return !all.empty() && all.front() == mnemonic; }
  /// Returns the rest of the first word that begins with `start`: `f16` for `kind::`.
  llvm::StringRef behind(llvm::StringRef start) const;
  /// Returns the shape: {16, 8, 16} for `m16n8k16`; 0 for a missing letter.
  std::optional<std::array<uint32_t, 3>> shape() const;
  /// Returns the element types, in order.
  llvm::SmallVector<llvm::StringRef, 4> types() const;

  llvm::SmallVector<llvm::StringRef, 12> all;
};

/// Returns the width of an element of this type, written without its dot; 0 if there is no such type.
uint32_t bitsOfType(llvm::StringRef type);

Answer describe(const Request &request);

// Describe the layouts of one family; `describe` selects the function.
Answer describeMovement(const Words &words);                             // Fragments.cpp
Answer describeMma(const Words &words, const Request &request);          // Fragments.cpp
Answer describeWgmma(const Words &words, const Request &request);        // Fragments.cpp
Answer describeWmma(const Words &words);                                 // Fragments.cpp
Answer describeRdna4(const Words &words);                                // Fragments.cpp
Answer describeTensorLoad(const Words &words, const Request &request);   // TensorMemory.cpp
Answer describeTensorCopy(const Words &words);                           // TensorMemory.cpp
Answer describeTensorMma(const Words &words, const Request &request);    // TensorMemory.cpp
Answer describeSharedMemory(const Words &words, const Request &request); // SharedMemory.cpp
/// Returns the layout of sixteen 4-bit or 6-bit elements in shared memory. They occupy 16 bytes if they are padded,
/// otherwise only the bytes that they need.
Layout sixteenElements(uint32_t bits, bool padded); // SharedMemory.cpp
/// Returns the layout of a 4-bit or 6-bit element within a byte: its bits as one row, highest bit first.
Layout elementInByte(llvm::StringRef type); // SharedMemory.cpp

} // namespace ptxray::layout
